// Products of compressed rows with a vector, or with the columns of a matrix. One group of threads sums up a
// row, so that the order of the sum is the same in every call.
#pragma once
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

    // The sum of every step-th entry of a row, times column c of x. Columns that do not exist count as 0.
    GPUNP_HD T sum(const RowsParams& p, int64_t row, int64_t c, int first, int step) const {
        const int64_t end = place(p, row + 1);
        T total = {};
        for (int64_t k = place(p, row) + first; k < end; k += step) {
            const int64_t column = (int64_t)indices[k];
            if ((uint64_t)column < (uint64_t)p.columns)
                total = plus_product(total, data[k], x[column * p.vectors + c]);
        }
        return total;
    }
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
        if (row < p.rows) total = rows.sum(p, row, 0, lane, p.lanes);
        for (int distance = p.lanes / 2; distance > 0; distance /= 2)
            total = plus(total, warp::shuffle_down(total, distance, p.lanes));
        if (row < p.rows && lane == 0) rows.y[row] = plus(rows.y[row], total);
    }
}

template <class T, class I>
__device__ __forceinline__ void matrix_rows(const RowsParams& p) {
    const Rows<T, I> rows(p);
    const int lane = threadIdx.x & (p.lanes - 1), groups = ROWS_BLOCK / p.lanes;
    const int64_t step = (int64_t)gridDim.x * groups;
    for (int64_t row = (int64_t)blockIdx.x * groups + threadIdx.x / p.lanes; row < p.rows; row += step)
        for (int64_t c = lane; c < p.vectors; c += p.lanes) {
            T& y = rows.y[row * p.vectors + c];
            y = plus(y, rows.sum(p, row, c, 0, 1));
        }
}

#define GPUNP_ROWS(name, ...)                                                \
    extern "C" __global__ void __launch_bounds__(::gpunp::ROWS_BLOCK)        \
        sparse_vector_##name(const __grid_constant__::gpunp::RowsParams p) { \
        ::gpunp::sparse::vector_rows<__VA_ARGS__>(p);                        \
    }                                                                        \
    extern "C" __global__ void __launch_bounds__(::gpunp::ROWS_BLOCK)        \
        sparse_matrix_##name(const __grid_constant__::gpunp::RowsParams p) { \
        ::gpunp::sparse::matrix_rows<__VA_ARGS__>(p);                        \
    }

#else

template <class T, class I>
void all_rows(const void* params) {
    const RowsParams& p = *static_cast<const RowsParams*>(params);
    const Rows<T, I> rows(p);
    for (int64_t row = 0; row < p.rows; row++)
        for (int64_t c = 0; c < p.vectors; c++) {
            T& y = rows.y[row * p.vectors + c];
            y = plus(y, rows.sum(p, row, c, 0, 1));
        }
}

#define GPUNP_ROWS(name, ...)                                                          \
    GPUNP_HOST_KERNEL(sparse_vector_##name, (::gpunp::sparse::all_rows<__VA_ARGS__>)); \
    GPUNP_HOST_KERNEL(sparse_matrix_##name, (::gpunp::sparse::all_rows<__VA_ARGS__>));

#endif

}  // namespace sparse
}  // namespace gpunp
