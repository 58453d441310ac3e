// Named panel kernels, for GPUs only: the CPU device uses LAPACK.
#pragma once
#include "gpunp/linalg/panel_lu.h"
#include "gpunp/linalg/panel_qr.h"
#include "gpunp/linalg/panel_rows.h"

#if GPUNP_ON_DEVICE
// R rows per thread; each cluster factors the panel of one matrix.
#define GPUNP_PANELS(T, R)                                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_THREADS, 1)   \
        qr_panel_##R##_##T(const __grid_constant__::gpunp::PanelQrParams p) { \
        ::gpunp::linalg::qr_panel<::gpunp::T, R>(p);                          \
    }                                                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_THREADS, 1)   \
        lu_panel_##R##_##T(const __grid_constant__::gpunp::PanelLuParams p) { \
        ::gpunp::linalg::lu_panel<::gpunp::T, R>(p);                          \
    }
#define GPUNP_PANEL_NEIGHBOURS(T)                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::PANEL_STRIP_THREADS) \
        panel_rows_##T(const __grid_constant__::gpunp::PanelRowsParams p) {    \
        ::gpunp::linalg::panel_rows<::gpunp::T>(p);                            \
    }
#else
#define GPUNP_PANELS(T, R)
#define GPUNP_PANEL_NEIGHBOURS(T)
#endif
