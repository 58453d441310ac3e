// The kernels on panels under their names. They are launched on GPUs only: the CPU device has LAPACK.
#pragma once
#include "gpunp/linalg/panel_lu.h"
#include "gpunp/linalg/panel_qr.h"
#include "gpunp/linalg/panel_rows.h"

#if GPUNP_ON_DEVICE
// With R rows a thread; a launch is one cluster.
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
