// Compiler differences: after this header nvcc and the host compiler see the same names.
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

// Unrolls the next loop, which has few iterations, known at compile time.
#if GPUNP_ON_DEVICE
#define GPUNP_UNROLL _Pragma("unroll")
#else
#define GPUNP_UNROLL
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>
