// The barrier of all threads of a cooperative launch, for kernels in Python.
#pragma once

#include <cooperative_groups.h>

extern "C" __device__ int gpunp_jit_grid_barrier() {
    cooperative_groups::this_grid().sync();
    return 0;
}
