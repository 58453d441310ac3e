// Selection of elements by rank in each row, and partition of rows around a rank, without sorting.
//
// A compilation unit serves one element width U; SelectionParams::kind gives the meaning of the bits.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sorting/selection_keys.h"
#include "gpunp/sorting/selection_params.h"

namespace gpunp {

// The j-th requested rank, clamped to the row; a rank outside the row is reported in the status word.
GPUNP_HD int64_t wanted_rank(const SelectionParams& p, int64_t row, int j) {
    int64_t rank = p.ranks ? p.ranks[j * p.rank_stride + row * p.row_stride] : p.rank[j];
    if (rank < 0 || rank >= p.length) {
        *p.status |= GPUNP_STATUS_QUANTILE_OUT_OF_RANGE;
        rank = rank < 0 ? 0 : p.length - 1;
    }
    return rank;
}

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/sorting/selection_apart.h"
#include "gpunp/sorting/selection_blocks.h"
#include "gpunp/sorting/selection_rows.h"
#include "gpunp/sorting/selection_within.h"
#define GPUNP_SELECTION(name, U)                                                                           \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_BLOCK, gpunp::SELECTION_COUNTING_BLOCKS) \
        selection_histogram_##name(const __grid_constant__ gpunp::SelectionParams p) {                     \
        gpunp::selection_histogram<U>(p);                                                                  \
    }                                                                                                      \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_BLOCK)                                   \
        selection_split_##name(const __grid_constant__ gpunp::SelectionParams p) {                         \
        gpunp::selection_split<U>(p);                                                                      \
    }                                                                                                      \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_BLOCK)                                   \
        selection_rows_##name(const __grid_constant__ gpunp::SelectionParams p) {                          \
        gpunp::selection_rows<U>(p);                                                                       \
    }                                                                                                      \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_SHORT_ROWS)                              \
        selection_short_##name(const __grid_constant__ gpunp::SelectionParams p) {                         \
        gpunp::selection_short<U>(p);                                                                      \
    }
// For element widths whose keys take more than one level.
#define GPUNP_SELECTION_WINDOWS(name, U)                                                                 \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_SAMPLE_BLOCK)                          \
        selection_sample_##name(const __grid_constant__ gpunp::SelectionParams p) {                      \
        gpunp::selection_sample<U>(p);                                                                   \
    }                                                                                                    \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_BLOCK, gpunp::SELECTION_WITHIN_BLOCKS) \
        selection_within_##name(const __grid_constant__ gpunp::SelectionParams p) {                      \
        gpunp::selection_within<U>(p);                                                                   \
    }                                                                                                    \
    extern "C" __global__ void __launch_bounds__(gpunp::SELECTION_BLOCK, gpunp::SELECTION_WINDOW_BLOCKS) \
        selection_apart_##name(const __grid_constant__ gpunp::SelectionParams p) {                       \
        gpunp::selection_apart<U>(p);                                                                    \
    }
#else
#include "gpunp/sorting/selection_host.h"
#define GPUNP_SELECTION_WINDOWS(name, U)
#define GPUNP_SELECTION(name, U)                              \
    static void selection_rows_##name##_host(const void* p) { \
        ::gpunp::selection_rows_host<U>(p);                   \
    }                                                         \
    GPUNP_HOST_KERNEL(selection_rows_##name, selection_rows_##name##_host);
#endif
