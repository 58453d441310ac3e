// Products of compressed rows with a vector, or with the columns of a matrix. One group of threads sums up a
// row, so that the order of the sum is the same in every call.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/sparse/rows_params.h"
#include "gpunp/types.h"
#if GPUNP_ON_DEVICE
#include "gpunp/common/warp.h"
#endif

namespace gpunp {
namespace sparse {

template <class T>
GPUNP_HD T plus_product(T sum, T a, T b) {
    return sum + a * b;
}
template <class T>
GPUNP_HD complex<T> plus_product(complex<T> sum, complex<T> a, complex<T> b) {
    return {sum.re + a.re * b.re - a.im * b.im, sum.im + a.re * b.im + a.im * b.re};
}
template <class T>
GPUNP_HD T plus(T a, T b) {
    return a + b;
}
template <class T>
GPUNP_HD complex<T> plus(complex<T> a, complex<T> b) {
    return {a.re + b.re, a.im + b.im};
}

// The arrays with their types.
template <class T, class I>
struct Rows {
    const I* indptr;
    const I* indices;
    const T* data;
    const T* x;
    T* y;

    GPUNP_HD explicit Rows(const RowsParams& p)
        : indptr((const I*)p.indptr),
          indices((const I*)p.indices),
          data((const T*)p.data),
          x((const T*)p.x),
          y((T*)p.y) {}

    // Where a row ends, or the one before starts: within the entries.
    GPUNP_HD int64_t place(const RowsParams& p, int64_t row) const {
        const int64_t at = (int64_t)indptr[row];
        return at < 0 ? 0 : at < p.entries ? at : p.entries;
    }

    // The sum of every step-th entry from `first` to `end`, times column c of x. Columns that do not exist
    // count as 0.
    GPUNP_HD T sum(const RowsParams& p, int64_t first, int64_t end, int64_t c, int step) const {
        T total = {};
        for (int64_t k = first; k < end; k += step) {
            const int64_t column = (int64_t)indices[k];
            if ((uint64_t)column < (uint64_t)p.columns)
                total = plus_product(total, data[k], x[column * p.vectors + c]);
        }
        return total;
    }

    GPUNP_HD void store(const RowsParams& p, int64_t row, int64_t c, T total) const {
        T& to = y[row * p.vectors + c];
        to = p.add ? plus(to, total) : total;
    }
};

// The part of an array that is a share: entries from `first` to `end`, rows from `row` to `last`, which is
// not finished.
struct Share {
    int64_t row, last, first, end;
};

#if GPUNP_ON_DEVICE

template <class T, class I>
__device__ __forceinline__ void vector_rows(const RowsParams& p) {
    const Rows<T, I> rows(p);
    const int lane = threadIdx.x & (p.lanes - 1), groups = ROWS_BLOCK / p.lanes;
    const int64_t step = (int64_t)gridDim.x * groups;
    // All threads of a warp take part in the same number of steps, as they exchange sums.
    for (int64_t first = (int64_t)blockIdx.x * groups; first < p.rows; first += step) {
        const int64_t row = first + threadIdx.x / p.lanes;
        T total = {};
        if (row < p.rows) total = rows.sum(p, rows.place(p, row) + lane, rows.place(p, row + 1), 0, p.lanes);
        for (int distance = p.lanes / 2; distance > 0; distance /= 2)
            total = plus(total, warp::shuffle_down(total, distance, p.lanes));
        if (row < p.rows && lane == 0) rows.store(p, row, 0, total);
    }
}

template <class T, class I>
__device__ __forceinline__ void matrix_rows(const RowsParams& p) {
    const Rows<T, I> rows(p);
    const int lane = threadIdx.x & (p.lanes - 1), groups = ROWS_BLOCK / p.lanes;
    const int64_t step = (int64_t)gridDim.x * groups;
    for (int64_t row = (int64_t)blockIdx.x * groups + threadIdx.x / p.lanes; row < p.rows; row += step)
        for (int64_t c = lane; c < p.vectors; c += p.lanes)
            rows.store(p, row, c, rows.sum(p, rows.place(p, row), rows.place(p, row + 1), c, 1));
}

// How many rows end before a number of steps, in which each row ends after its last entry. The lanes of a
// warp look at 32 rows at a time.
template <class T, class I>
__device__ __forceinline__ int64_t rows_before(const RowsParams& p, const Rows<T, I>& rows, int64_t steps) {
    const int lane = threadIdx.x & 31;
    int64_t low = 0, high = p.rows;
    while (low < high) {
        const int64_t part = (high - low + 31) / 32, wanted = low + lane * part + part - 1;
        const int64_t at = wanted < high ? wanted : high - 1;
        const int whole = __popc(warp::ballot(rows.place(p, at + 1) + at < steps));
        const int64_t after = low + whole * part, end = after + part - 1;
        low = after < high ? after : high;
        if (whole < 32 && end < high) high = end;
    }
    return low;
}
template <class T, class I>
__device__ __forceinline__ Share share_of(const RowsParams& p, const Rows<T, I>& rows, int64_t tile) {
    const int64_t all = p.rows + p.entries, begin = tile * p.tile;
    const int64_t stop = begin + p.tile < all ? begin + p.tile : all;
    const int64_t row = rows_before(p, rows, begin), last = rows_before(p, rows, stop);
    // A row pointer that does not increase must not lead outside of the arrays.
    const int64_t first = begin > row ? begin - row : 0,
                  end = stop - last < p.entries ? stop - last : p.entries;
    return {row, last, first, end - first < p.tile ? end : first + p.tile};
}

// The factors of some products of entries, every step-th one from k on, with column c of x.
template <class T, int COUNT>
struct Factors {
    T value[COUNT], other[COUNT];
    unsigned valid;

    template <class I>
    __device__ __forceinline__ void load(const RowsParams& p, const Rows<T, I>& rows, int64_t k, int64_t end,
                                         int step, int64_t c) {
        int64_t column[COUNT];
        valid = 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int64_t at = k + (int64_t)i * step;
            column[i] = at < end ? (int64_t)rows.indices[at] : -1;
            value[i] = at < end ? rows.data[at] : T{};
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const bool exists = (uint64_t)column[i] < (uint64_t)p.columns;
            valid |= (unsigned)exists << i;
            other[i] = rows.x[(exists ? column[i] : 0) * p.vectors + c];
        }
    }
    __device__ __forceinline__ T add(T total, int i) const {
        const T sum = plus_product(total, value[i], other[i]);
        return valid >> i & 1 ? sum : total;
    }
};

template <class T, class I>
__device__ __forceinline__ void vector_shares(const RowsParams& p) {
    constexpr int TILE = sizeof(T) >= ROWS_WIDE_ITEMSIZE ? ROWS_TILE / 2 : ROWS_TILE;
    __shared__ T products[TILE];
    __shared__ Share found;
    const Rows<T, I> rows(p);
    const int64_t tile = blockIdx.x;
    if (threadIdx.x < 32) {
        const Share share = share_of(p, rows, tile);
        if (threadIdx.x == 0) found = share;
    }
    __syncthreads();
    const Share share = found;
    // Loads come before their uses, so that they are under way together.
    constexpr int EACH = TILE / ROWS_BLOCK;
    Factors<T, EACH> factors;
    factors.load(p, rows, share.first + threadIdx.x, share.end, ROWS_BLOCK, 0);
#pragma unroll
    for (int i = 0; i < EACH; i++) products[i * ROWS_BLOCK + threadIdx.x] = factors.add(T{}, i);
    __syncthreads();
    const int64_t count = share.last - share.row + 1;
    int lanes = 1;
    while (lanes < 32 && 2 * lanes * count <= ROWS_BLOCK) lanes *= 2;
    const int lane = threadIdx.x & (lanes - 1), groups = ROWS_BLOCK / lanes;
    for (int64_t i = 0; i < count; i += groups) {
        const int64_t row = share.row + i + threadIdx.x / lanes;
        T total = {};
        if (row <= share.last && row < p.rows) {
            const int64_t begin = rows.place(p, row), stop = rows.place(p, row + 1);
            const int first = begin > share.first ? (int)(begin - share.first) : 0;
            const int end = (int)((stop < share.end ? stop : share.end) - share.first);
            for (int k = first + lane; k < end; k += lanes) total = plus(total, products[k]);
        }
        for (int distance = lanes / 2; distance > 0; distance /= 2)
            total = plus(total, warp::shuffle_down(total, distance, lanes));
        if (lane > 0 || row > share.last) continue;
        if (row < share.last) {
            rows.store(p, row, 0, total);
        } else {
            p.open_row[tile] = row;
            ((T*)p.open_sum)[tile] = total;
        }
    }
}

template <class T, class I>
__device__ __forceinline__ void matrix_shares(const RowsParams& p) {
    const Rows<T, I> rows(p);
    const int64_t step = (int64_t)gridDim.x * (ROWS_BLOCK / 32);
    const int lane = threadIdx.x & (p.lanes - 1), group = (threadIdx.x & 31) / p.lanes;
    for (int64_t tile = (int64_t)blockIdx.x * (ROWS_BLOCK / 32) + threadIdx.x / 32; tile < p.tiles;
         tile += step) {
        const Share share = share_of(p, rows, tile);
        if ((threadIdx.x & 31) == 0) p.open_row[tile] = share.last;
        for (int64_t row = share.row + group; row <= share.last && row < p.rows; row += 32 / p.lanes) {
            const int64_t begin = rows.place(p, row), stop = rows.place(p, row + 1);
            const int64_t first = begin > share.first ? begin : share.first;
            const int64_t end = stop < share.end ? stop : share.end;
            for (int64_t c = lane; c < p.vectors; c += p.lanes) {
                T total = {};
                for (int64_t k = first; k < end; k += 4) {
                    Factors<T, 4> factors;
                    factors.load(p, rows, k, end, 1, c);
#pragma unroll
                    for (int i = 0; i < 4; i++) total = factors.add(total, i);
                }
                if (row < share.last)
                    rows.store(p, row, c, total);
                else
                    ((T*)p.open_sum)[tile * p.vectors + c] = total;
            }
        }
    }
}

// Adds what shares left of rows that they do not finish: a row may go through many shares, which are
// neighbors.
template <class T>
__device__ __forceinline__ void close_rows(const RowsParams& p) {
    const int64_t step = (int64_t)gridDim.x * ROWS_BLOCK, all = p.tiles * p.vectors;
    const T* sums = (const T*)p.open_sum;
    for (int64_t i = (int64_t)blockIdx.x * ROWS_BLOCK + threadIdx.x; i < all; i += step) {
        const int64_t tile = p.vectors > 1 ? i / p.vectors : i, c = i - tile * p.vectors,
                      row = p.open_row[tile];
        if (row >= p.rows || (tile > 0 && p.open_row[tile - 1] == row)) continue;
        int64_t low = tile + 1, high = p.tiles;
        // Most rows end in the next share.
        if (low < high && p.open_row[low] != row) high = low;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (p.open_row[middle] == row)
                low = middle + 1;
            else
                high = middle;
        }
        T total = {};
#pragma unroll 8
        for (int64_t k = tile; k < low; k++) total = plus(total, sums[k * p.vectors + c]);
        T& to = ((T*)p.y)[row * p.vectors + c];
        to = plus(to, total);
    }
}

#define GPUNP_ROWS_KERNEL(symbol, ...)                                \
    extern "C" __global__ void __launch_bounds__(::gpunp::ROWS_BLOCK) \
        symbol(const __grid_constant__::gpunp::RowsParams p) {        \
        ::gpunp::sparse::__VA_ARGS__(p);                              \
    }
#define GPUNP_ROWS(name, ...)                                                  \
    GPUNP_ROWS_KERNEL(sparse_vector_##name, vector_rows<__VA_ARGS__>)          \
    GPUNP_ROWS_KERNEL(sparse_matrix_##name, matrix_rows<__VA_ARGS__>)          \
    GPUNP_ROWS_KERNEL(sparse_vector_shares_##name, vector_shares<__VA_ARGS__>) \
    GPUNP_ROWS_KERNEL(sparse_matrix_shares_##name, matrix_shares<__VA_ARGS__>)
#define GPUNP_ROWS_CLOSE(name, T) GPUNP_ROWS_KERNEL(sparse_close_##name, close_rows<T>)

#else

template <class T, class I>
void all_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    const Rows<T, I> rows(p);
    const int64_t cost = p.rows ? p.entries / p.rows * p.vectors * 4 : 1;
    parallel_for(p.rows, grain_of(cost), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++)
            for (int64_t c = 0; c < p.vectors; c++)
                rows.store(p, row, c, rows.sum(p, rows.place(p, row), rows.place(p, row + 1), c, 1));
    });
}

// The shares of the device, one after another.
template <class T, class I>
void all_shares(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    const Rows<T, I> rows(p);
    const int64_t all = p.rows + p.entries;
    int64_t row = 0;
    for (int64_t tile = 0; tile < p.tiles; tile++) {
        const int64_t begin = tile * p.tile, stop = begin + p.tile < all ? begin + p.tile : all;
        Share share = {row, row, begin - row, 0};
        while (share.last < p.rows && rows.place(p, share.last + 1) + share.last < stop) share.last++;
        share.end = stop - share.last;
        for (; row <= share.last && row < p.rows; row++) {
            const int64_t from = rows.place(p, row), to = rows.place(p, row + 1);
            const int64_t first = from > share.first ? from : share.first,
                          end = to < share.end ? to : share.end;
            for (int64_t c = 0; c < p.vectors; c++) {
                const T total = rows.sum(p, first, end, c, 1);
                if (row < share.last)
                    rows.store(p, row, c, total);
                else
                    ((T*)p.open_sum)[tile * p.vectors + c] = total;
            }
        }
        row = p.open_row[tile] = share.last;
    }
}

template <class T>
void close_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    for (int64_t tile = 0; tile < p.tiles; tile++)
        for (int64_t c = 0; c < p.vectors && p.open_row[tile] < p.rows; c++) {
            T& to = ((T*)p.y)[p.open_row[tile] * p.vectors + c];
            to = plus(to, ((const T*)p.open_sum)[tile * p.vectors + c]);
        }
}

#define GPUNP_ROWS(name, ...)                                                                   \
    GPUNP_HOST_KERNEL(sparse_vector_##name, (::gpunp::sparse::all_rows<__VA_ARGS__>));          \
    GPUNP_HOST_KERNEL(sparse_matrix_##name, (::gpunp::sparse::all_rows<__VA_ARGS__>));          \
    GPUNP_HOST_KERNEL(sparse_vector_shares_##name, (::gpunp::sparse::all_shares<__VA_ARGS__>)); \
    GPUNP_HOST_KERNEL(sparse_matrix_shares_##name, (::gpunp::sparse::all_shares<__VA_ARGS__>));
#define GPUNP_ROWS_CLOSE(name, T) GPUNP_HOST_KERNEL(sparse_close_##name, ::gpunp::sparse::close_rows<T>);

#endif

}  // namespace sparse
}  // namespace gpunp
