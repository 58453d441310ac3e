// Short rows, sorted by comparing all pairs: an element's position is the number of elements before it.
#pragma once
#include "gpunp/common/loop_params.h"
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/sorting/sort_keys.h"

#if GPUNP_ON_DEVICE
namespace gpunp {

// One element per thread, and as many whole rows per block as fit.
template <class K>
__device__ __forceinline__ void sort_short(const SortParams& p) {
    // As many keys as one vector load from shared memory reads.
    using Keys = Vector<K>;
    // Rows are padded to whole vectors with the greatest key.
    __shared__ Keys space[4 * SORT_SHORT_BLOCK / Keys::WIDTH];
    K* const keys = space[0].at;
    const int length = (int)p.length, pitch = (length + 3) & ~3;
    const int rows = SORT_SHORT_BLOCK / length;
    const int slot = threadIdx.x / length, i = threadIdx.x - slot * length;
    K* const row_keys = keys + slot * pitch;
    if (slot < rows)
        for (int j = length + i; j < pitch; j += length) memset(row_keys + j, 0xff, sizeof(K));
    const int64_t step = (int64_t)gridDim.x * rows;
    for (int64_t first = (int64_t)blockIdx.x * rows; first < p.rows; first += step) {
        const int64_t row = first + slot;
        const bool mine = slot < rows && row < p.rows;
        K key{}, compared{};
        int64_t at = i;
        if (mine) {
            if (p.order_in) at = p.order_in[row * length + i];
            key = SortAccess<K>::load_key(p, sort_row(p.input, p, row), at);
            compared = comparable(p, key);
            row_keys[i] = compared;
        }
        __syncthreads();
        if (mine) {
            int place = 0;
#pragma unroll 4
            for (int j = 0; j < length; j += Keys::WIDTH) {
                const Keys others = *reinterpret_cast<const Keys*>(row_keys + j);
#pragma unroll
                for (int k = 0; k < Keys::WIDTH; k++)
                    place +=
                        (int)(others.at[k] < compared) | ((int)(others.at[k] == compared) & (int)(j + k < i));
            }
            if (p.output) SortAccess<K>::store(p, sort_row(p.output, p, row), place, from_key(p, key));
            if (p.order_out) p.order_out[row * length + place] = at;
        }
        __syncthreads();
    }
}

// Turns the digit counts of a row into start positions of the digits, and decides what each pass does.
__device__ __forceinline__ void radix_plan(const SortParams& p) {
    __shared__ uint64_t warp_sums[SORT_DIGITS / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t row = blockIdx.x;
    uint32_t active = 0;
    for (int pass = 0; pass < p.passes; pass++) {
        uint64_t* bin = p.bins + (row * p.passes + pass) * SORT_DIGITS + threadIdx.x;
        const uint64_t count = *bin;
        uint64_t sum = warp::inclusive_sum(count, lane);
        if (lane == 31) warp_sums[warp] = sum;
        if (!__syncthreads_or(count == (uint64_t)p.length)) active |= 1u << pass;
        for (int w = 0; w < warp; w++) sum += warp_sums[w];
        *bin = sum - count;
        __syncthreads();
    }
    if (threadIdx.x) return;
    if (active == 0) active = 1;
    // If the output is the input, the first pass must not write to it: make the number of passes even.
    if (p.even && (__popc(active) & 1)) active |= ~active & (active + 1);
    const int total = __popc(active);
    int done = 0;
    for (int pass = 0; pass < p.passes; pass++) {
        uint32_t step = 0;
        if (active >> pass & 1) {
            done++;
            step = SORT_ACTIVE;
            if (done == 1) step |= SORT_FIRST;
            if (done == 1 && !p.order_out && p.kind != SORT_COMPLEX && !*p.zeros) step |= SORT_ANY_ORDER;
            if (done == total) step |= SORT_LAST;
            if (((total - done) & 1) == 0) step |= SORT_TARGET;
        }
        p.steps[row * p.passes + pass] = step;
    }
}

template <class T>
__device__ __forceinline__ void gather_rows_as(const GatherRowsParams& p) {
    const int64_t total = p.rows * p.out_length, stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
        const int64_t row = p.rows == 1 ? 0 : i / p.out_length;
        static_cast<T*>(p.output)[i] = static_cast<const T*>(p.input)[row * p.in_length + p.order[i]];
    }
}

__device__ __forceinline__ void gather_rows(const GatherRowsParams& p) {
    switch (p.itemsize) {
        case 1:
            return gather_rows_as<uint8_t>(p);
        case 2:
            return gather_rows_as<uint16_t>(p);
        case 4:
            return gather_rows_as<uint32_t>(p);
        case 8:
            return gather_rows_as<uint64_t>(p);
        default:
            return gather_rows_as<int4>(p);
    }
}

// One half of the comparable key of each 16-byte complex element.
__device__ __forceinline__ void complex_halves(const GatherRowsParams& p) {
    const uint64_t flip = (uint64_t)(p.descending ? 1 : 0) << 63;
    const int64_t total = p.rows * p.out_length, stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
        const WideKey key = comparable_wide(to_wide_key(static_cast<const WideKey*>(p.input)[i], flip));
        static_cast<uint64_t*>(p.output)[i] = p.high ? key.high : key.low;
    }
}

}  // namespace gpunp

#define GPUNP_SORT_SHORT(symbol, K)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::SORT_SHORT_BLOCK) \
        symbol(const __grid_constant__::gpunp::SortParams p) {              \
        ::gpunp::sort_short<K>(p);                                          \
    }
#define GPUNP_SORT_SUPPORT                                                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::SORT_DIGITS)       \
        radix_plan(const __grid_constant__::gpunp::SortParams p) {           \
        ::gpunp::radix_plan(p);                                              \
    }                                                                        \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)        \
        gather_rows(const __grid_constant__::gpunp::GatherRowsParams p) {    \
        ::gpunp::gather_rows(p);                                             \
    }                                                                        \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)        \
        complex_halves(const __grid_constant__::gpunp::GatherRowsParams p) { \
        ::gpunp::complex_halves(p);                                          \
    }
#else
#include "gpunp/sorting/sort_host.h"

#define GPUNP_SORT_SHORT(symbol, K) GPUNP_HOST_KERNEL(symbol, ::gpunp::sort_rows<K>);
#define GPUNP_SORT_SUPPORT                                \
    GPUNP_HOST_KERNEL(gather_rows, ::gpunp::gather_rows); \
    GPUNP_HOST_KERNEL(set_quick_sort, ::gpunp::set_quick_sort);
#endif
