// CUDA C++'s qualifiers and functions for kernels that the host's compiler builds for the CPU device.
#pragma once
#include "gpunp/custom/kinds.h"

#define __device__
#define __host__
#define __global__
#define __constant__ static const
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)

inline float rsqrtf(float x) {
    return 1 / sqrtf(x);
}
inline double rsqrt(double x) {
    return 1 / sqrt(x);
}
