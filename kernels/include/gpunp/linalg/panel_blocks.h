// Named kernels for the diagonal blocks of large matrices, for GPUs only: the CPU device uses LAPACK.
#pragma once
#include "gpunp/linalg/panel_cholesky.h"
#include "gpunp/linalg/panel_determinant.h"
#include "gpunp/linalg/panel_order.h"

#if GPUNP_ON_DEVICE
#define GPUNP_PANEL_BLOCKS(T)                                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_FACTOR_THREADS)     \
        cholesky_block_##T(const __grid_constant__::gpunp::PanelLuParams p) {       \
        ::gpunp::linalg::cholesky_block<::gpunp::T>(p);                             \
    }                                                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_THREADS)            \
        determinant_##T(const __grid_constant__::gpunp::PanelDeterminantParams p) { \
        ::gpunp::linalg::panel_determinant<::gpunp::T>(p);                          \
    }                                                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_ORDER_THREADS)      \
        panel_gather_##T(const __grid_constant__::gpunp::PanelOrderParams p) {      \
        ::gpunp::linalg::panel_gather<::gpunp::T>(p);                               \
    }
#define GPUNP_PANEL_ORDER                                                      \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_ORDER_THREADS) \
        panel_order(const __grid_constant__::gpunp::PanelOrderParams p) {      \
        ::gpunp::linalg::panel_order(p);                                       \
    }
#else
#define GPUNP_PANEL_BLOCKS(T)
#define GPUNP_PANEL_ORDER
#endif
