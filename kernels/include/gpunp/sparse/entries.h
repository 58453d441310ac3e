// Unions and intersections of two arrays of compressed rows, and copies of rows: by entry, so that long rows
// delay nothing.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/entries_params.h"
#include "gpunp/sparse/rows.h"
#include "gpunp/sparse/spgemm.h"

namespace gpunp {
namespace sparse {

// Values of 16 bytes that are only copied.
struct alignas(16) Wide {
    uint64_t words[2];
};

// What is done with two values, of which one may be missing: both are written, or their sum, difference or
// product.
struct Both {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        ((T*)p.first)[at] = a ? *a : T{};
        ((T*)p.second)[at] = b ? *b : T{};
    }
};
template <class T>
GPUNP_HD void store_result(const MergeParams& p, int64_t at, T result) {
    ((T*)p.first)[at] = result;
    if (is_zero(result)) *p.zeros = 1;
}
template <class T>
GPUNP_HD T minus(T a, T b) {
    return a - b;
}
template <class T>
GPUNP_HD complex<T> minus(complex<T> a, complex<T> b) {
    return {a.re - b.re, a.im - b.im};
}
struct Plus {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        store_result(p, at, plus(a ? *a : T{}, b ? *b : T{}));
    }
};
struct Minus {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        store_result(p, at, minus(a ? *a : T{}, b ? *b : T{}));
    }
};
struct Times {
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, const T* a, const T* b) {
        store_result(p, at, plus_product(T{}, *a, *b));
    }
};

// The first entry of a row whose column is not below a column.
template <class I>
GPUNP_HD int64_t entry_from(const I* indptr, const I* indices, int64_t row, I column) {
    int64_t low = (int64_t)indptr[row], high = (int64_t)indptr[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (indices[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

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
template <class I>
struct Match {
    GPUNP_HD static const void* pointer(const MergeParams& p) { return p.a_indptr; }
    GPUNP_HD static int64_t count(const MergeParams& p) { return p.a_entries; }
    GPUNP_HD static int64_t other(const MergeParams& p, int64_t row, I column, bool* is_match) {
        const I *indptr = (const I*)p.b_indptr, *indices = (const I*)p.b_indices;
        const int64_t at = entry_from(indptr, indices, row, column);
        *is_match = at < (int64_t)indptr[row + 1] && indices[at] == column;
        return at;
    }
    GPUNP_HD static void entry(const MergeParams& p, int64_t row, int64_t k) {
        bool is_match;
        other(p, row, ((const I*)p.a_indices)[k], &is_match);
        p.found[k] = is_match;
    }
};
// In a union, an entry comes after those of both arrays that are before it; matches are counted once.
template <class T, class I, class Operation>
struct UnionFirst {
    GPUNP_HD static const void* pointer(const MergeParams& p) { return p.a_indptr; }
    GPUNP_HD static int64_t count(const MergeParams& p) { return p.a_entries; }
    GPUNP_HD static void entry(const MergeParams& p, int64_t row, int64_t k) {
        bool is_match;
        const I column = ((const I*)p.a_indices)[k];
        const int64_t other = Match<I>::other(p, row, column, &is_match);
        const int64_t at = k + other - (int64_t)((const I*)p.before)[k];
        ((I*)p.indices)[at] = column;
        Operation::store(p, at, (const T*)p.a_data + k, is_match ? (const T*)p.b_data + other : nullptr);
    }
};
template <class T, class I, class Operation>
struct UnionSecond {
    GPUNP_HD static const void* pointer(const MergeParams& p) { return p.b_indptr; }
    GPUNP_HD static int64_t count(const MergeParams& p) { return p.b_entries; }
    GPUNP_HD static void entry(const MergeParams& p, int64_t row, int64_t k) {
        const I column = ((const I*)p.b_indices)[k];
        const I *indptr = (const I*)p.a_indptr, *indices = (const I*)p.a_indices;
        const int64_t other = entry_from(indptr, indices, row, column);
        if (other < (int64_t)indptr[row + 1] && indices[other] == column) return;
        const int64_t at = k + other - (int64_t)((const I*)p.before)[other];
        ((I*)p.indices)[at] = column;
        Operation::store(p, at, (const T*)nullptr, (const T*)p.b_data + k);
    }
};
template <class T, class I, class Operation>
struct Intersection {
    GPUNP_HD static const void* pointer(const MergeParams& p) { return p.a_indptr; }
    GPUNP_HD static int64_t count(const MergeParams& p) { return p.a_entries; }
    GPUNP_HD static void entry(const MergeParams& p, int64_t row, int64_t k) {
        const int64_t at = (int64_t)((const I*)p.before)[k];
        if ((int64_t)((const I*)p.before)[k + 1] == at) return;
        bool is_match;
        const I column = ((const I*)p.a_indices)[k];
        const int64_t other = Match<I>::other(p, row, column, &is_match);
        ((I*)p.indices)[at] = column;
        Operation::store(p, at, (const T*)p.a_data + k, (const T*)p.b_data + other);
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
