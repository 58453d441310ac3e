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

// Before a loop of few, known rounds.
#if GPUNP_ON_DEVICE
#define GPUNP_UNROLL _Pragma("unroll")
#else
#define GPUNP_UNROLL
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
