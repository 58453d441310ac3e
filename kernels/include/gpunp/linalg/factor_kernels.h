// Named kernels on band and symmetric indefinite matrices, and on row exchanges: one block per matrix.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/linalg/band.h"
#include "gpunp/linalg/ldl.h"
#include "gpunp/linalg/orders.h"

#if GPUNP_ON_DEVICE
#define GPUNP_BLOCK_PER_MATRIX(symbol, P, threads, ...)                                                 \
    extern "C" __global__ void __launch_bounds__(threads) symbol(const __grid_constant__::gpunp::P p) { \
        const ::gpunp::linalg::Team team{(int)threadIdx.x, (int)blockDim.x};                            \
        for (int64_t i = blockIdx.x; i < p.batch; i += gridDim.x) {                                     \
            __VA_ARGS__;                                                                                \
            team.sync();                                                                                \
        }                                                                                               \
    }
#define GPUNP_SHARED_LARGEST __shared__::gpunp::linalg::Largest shared
#else
#define GPUNP_BLOCK_PER_MATRIX(symbol, P, threads, ...)                \
    static void symbol##_host(const void* params) {                    \
        const ::gpunp::P& p = *static_cast<const ::gpunp::P*>(params); \
        const ::gpunp::linalg::Team team{0, 1};                        \
        for (int64_t i = 0; i < p.batch; i++) {                        \
            __VA_ARGS__;                                               \
        }                                                              \
    }                                                                  \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#define GPUNP_SHARED_LARGEST ::gpunp::linalg::Largest shared
#endif

#define GPUNP_FACTORS(T)                                                                   \
    GPUNP_BLOCK_PER_MATRIX(band_solve_##T, BandParams, ::gpunp::BAND_THREADS,              \
                           ::gpunp::linalg::band_solve_one<::gpunp::T>(team, p, i))        \
    GPUNP_BLOCK_PER_MATRIX(band_positive_##T, BandParams, ::gpunp::BAND_THREADS,           \
                           ::gpunp::linalg::band_positive_one<::gpunp::T>(team, p, i))     \
    GPUNP_BLOCK_PER_MATRIX(ldl_##T, LdlParams, ::gpunp::LDL_THREADS, GPUNP_SHARED_LARGEST; \
                           ::gpunp::linalg::ldl_one<::gpunp::T>(team, p, i, shared))
#define GPUNP_ORDERS                                                            \
    GPUNP_BLOCK_PER_MATRIX(order_of_swaps, OrderParams, ::gpunp::ORDER_THREADS, \
                           ::gpunp::linalg::order_of_swaps(team, p, i))
