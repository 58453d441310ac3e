// The rows of entries, and copies of rows: by entry, so that long rows delay nothing.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/entries_params.h"
#include "gpunp/sparse/rows.h"

namespace gpunp {
namespace sparse {

// Values of 16 bytes that are only copied.
struct alignas(16) Wide {
    uint64_t words[2];
};

// What is done with entry k of a row. Each of them names the rows that it goes through.
template <class I>
struct Expand {
    GPUNP_HD static const void* pointer(const EntriesParams& p) { return p.indptr; }
    GPUNP_HD static int64_t count(const EntriesParams& p) { return p.entries; }
    GPUNP_HD static void entry(const EntriesParams& p, int64_t row, int64_t k) { p.row_of[k] = row; }
};
template <class T, class I>
struct Copy {
    GPUNP_HD static const void* pointer(const EntriesParams& p) { return p.indptr; }
    GPUNP_HD static int64_t count(const EntriesParams& p) { return p.entries; }
    GPUNP_HD static void entry(const EntriesParams& p, int64_t row, int64_t k) {
        const int64_t from =
            (int64_t)((const I*)p.from_indptr)[p.chosen[row]] + (k - (int64_t)((const I*)p.indptr)[row]);
        ((I*)p.indices)[k] = ((const I*)p.from_indices)[from];
        ((T*)p.data)[k] = ((const T*)p.from_data)[from];
    }
};

#if GPUNP_ON_DEVICE

// The row of an entry between two rows: the last one that does not start after it.
template <class I>
__device__ __forceinline__ int64_t row_of_entry(const I* indptr, int64_t low, int64_t high, int64_t k) {
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if ((int64_t)indptr[middle] <= k)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
// The same by a whole warp, among all rows.
template <class I>
__device__ __forceinline__ int64_t row_by_warp(const I* indptr, int64_t rows, int64_t k) {
    const int lane = threadIdx.x & 31;
    int64_t low = 0, high = rows - 1;
    while (low < high) {
        const int64_t part = (high - low + 31) / 32, wanted = low + (lane + 1) * part;
        const int whole = __popc(warp::ballot((int64_t)indptr[wanted < high ? wanted : high] <= k));
        const int64_t reached = low + whole * part, next = reached + part;
        if (whole < 32) high = (next < high ? next : high) - 1;
        low = reached < high ? reached : high;
    }
    return low;
}
template <class I, class Work, class Params>
__device__ __forceinline__ void each_entry(const Params& p) {
    __shared__ int64_t range[2];
    const I* indptr = (const I*)Work::pointer(p);
    const int64_t count = Work::count(p), begin = (int64_t)blockIdx.x * ENTRIES_CHUNK;
    const int64_t end = begin + ENTRIES_CHUNK < count ? begin + ENTRIES_CHUNK : count;
    if (threadIdx.x < 64) {
        const int64_t row = row_by_warp(indptr, p.rows, threadIdx.x < 32 ? begin : end - 1);
        if ((threadIdx.x & 31) == 0) range[threadIdx.x / 32] = row;
    }
    __syncthreads();
    for (int64_t k = begin + threadIdx.x; k < end; k += ENTRIES_BLOCK)
        Work::entry(p, row_of_entry(indptr, range[0], range[1], k), k);
}

#define GPUNP_ENTRIES(name, Params, I, ...)                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::ENTRIES_BLOCK)                  \
        sparse_##name(const __grid_constant__::gpunp::Params p) {                         \
        ::gpunp::sparse::each_entry<I, ::gpunp::sparse::__VA_ARGS__, ::gpunp::Params>(p); \
    }

#else

template <class I, class Work, class Params>
void each_entry(const void* params) {
    const Params& p = *static_cast<const Params*>(params);
    const I* indptr = (const I*)Work::pointer(p);
    const int64_t count = Work::count(p);
    for (int64_t row = 0; row < p.rows; row++)
        for (int64_t k = indptr[row]; k < (int64_t)indptr[row + 1] && k < count; k++) Work::entry(p, row, k);
}

#define GPUNP_ENTRIES(name, Params, I, ...) \
    GPUNP_HOST_KERNEL(sparse_##name,        \
                      (::gpunp::sparse::each_entry<I, ::gpunp::sparse::__VA_ARGS__, ::gpunp::Params>));

#endif

}  // namespace sparse
}  // namespace gpunp
