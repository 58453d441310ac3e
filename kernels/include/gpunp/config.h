// One door to the compiler: nvcc, NVRTC and the host compiler see the same names after this.
#pragma once

#if defined(__CUDACC__)
#define GPUNP_ON_DEVICE 1
#define GPUNP_HD __host__ __device__ __forceinline__
// Long functions: called, not inlined, which keeps compile times and code size down.
#define GPUNP_HD_CALLED inline __host__ __device__ __noinline__
#else
#define GPUNP_ON_DEVICE 0
#define GPUNP_HD inline
#define GPUNP_HD_CALLED inline
#endif

#if defined(__CUDACC_RTC__)
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
#else
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#endif

// What a kernel reports into the status word; the next call on the device raises it.
#define GPUNP_STATUS_NEGATIVE_POWER 1u
#define GPUNP_STATUS_INDEX_OUT_OF_BOUNDS 2u
