// Kernel that reports nonzero info values of a vendor library's factorizations in the status word.
#pragma once
#include "gpunp/common/loop_params.h"
#include "gpunp/kernel.h"
#include "gpunp/linalg/params.h"

#if GPUNP_ON_DEVICE
#define GPUNP_REPORT_INFO                                                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)                         \
        report_info(const __grid_constant__::gpunp::InfoParams p) {                           \
        bool failed = false;                                                                  \
        for (int64_t i = threadIdx.x; i < p.count; i += blockDim.x) failed |= p.info[i] != 0; \
        if (failed) atomicOr(p.status, p.bit);                                                \
    }
#else
#define GPUNP_REPORT_INFO                                                                \
    static void report_info_host(const void* params) {                                   \
        const ::gpunp::InfoParams& p = *static_cast<const ::gpunp::InfoParams*>(params); \
        for (int64_t i = 0; i < p.count; i++)                                            \
            if (p.info[i] != 0) *p.status |= p.bit;                                      \
    }                                                                                    \
    GPUNP_HOST_KERNEL(report_info, report_info_host);
#endif
