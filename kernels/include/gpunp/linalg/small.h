// Kernels on stacks of small matrices: one block per matrix, which it keeps in shared memory.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/linalg/factors.h"
#include "gpunp/linalg/jacobi.h"
#include "gpunp/linalg/lu.h"
#include "gpunp/linalg/lu_warp.h"
#include "gpunp/linalg/qr.h"

#if GPUNP_ON_DEVICE
#define GPUNP_SMALL_MATRICES(symbol, function)                                    \
    extern "C" __global__ void __launch_bounds__(256)                             \
        symbol(const __grid_constant__::gpunp::SmallMatrixParams p) {             \
        extern __shared__ __align__(16) char memory[];                            \
        const ::gpunp::linalg::Team team{(int)threadIdx.x, (int)blockDim.x};      \
        for (int64_t i = blockIdx.x; i < p.batch; i += gridDim.x) {               \
            function(team, p, i, (int)blockIdx.y * ::gpunp::SMALL_SIDES, memory); \
            team.sync();                                                          \
        }                                                                         \
    }
// A multiprocessor must have room for `blocks` blocks of one warp each.
#define GPUNP_SMALL_SYSTEMS(symbol, T, N, blocks)                     \
    extern "C" __global__ void __launch_bounds__(32, blocks)          \
        symbol(const __grid_constant__::gpunp::SmallMatrixParams p) { \
        ::gpunp::linalg::solve_by_warps<T, N>(p);                     \
    }
#else
#include <stdlib.h>
// The host uses the kernel for any number of right-hand sides.
#define GPUNP_SMALL_SYSTEMS(symbol, T, N, blocks)
#define GPUNP_SMALL_MATRICES(symbol, function)                                                         \
    static void symbol##_host(const void* params) {                                                    \
        const ::gpunp::SmallMatrixParams& p = *static_cast<const ::gpunp::SmallMatrixParams*>(params); \
        ::gpunp::parallel_for(p.batch, 16, [&](int64_t begin, int64_t end) {                           \
            char* memory = static_cast<char*>(malloc(p.shared));                                       \
            if (!memory) abort();                                                                      \
            int first = 0;                                                                             \
            do {                                                                                       \
                for (int64_t i = begin; i < end; i++)                                                  \
                    function(::gpunp::linalg::Team{0, 1}, p, i, first, memory);                        \
                first += ::gpunp::SMALL_SIDES;                                                         \
            } while (first < p.sides);                                                                 \
            free(memory);                                                                              \
        });                                                                                            \
    }                                                                                                  \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif
