// Cyclic reduction of one long system with a band matrix: rows of blocks with odd numbers are eliminated,
// until one is left, and then found again level by level. Blocks are solved with pivoting, without exchanges
// between them.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/interpolate/reduction_params.h"
#include "gpunp/kernel.h"
#include "gpunp/status.h"

namespace gpunp {
namespace reduction {

// WIDTH is 0 for the kernels that take it from the parameters.
template <int WIDTH>
GPUNP_HD int width_of(const ReductionParams& p) {
    return WIDTH ? WIDTH : p.width;
}
template <int WIDTH>
GPUNP_HD int64_t columns_of(const ReductionParams& p) {
    return 3 * width_of<WIDTH>(p) + p.sides;
}

// An element of the band matrix, 0 outside of it; the matrix is filled up by rows of the unit matrix.
GPUNP_HD double band_element(const ReductionParams& p, int width, int64_t row, int64_t column) {
    if (row >= p.n) return row == column ? 1 : 0;
    if (column < 0 || column >= p.n) return 0;
    const int64_t diagonal = width + row - column;
    return diagonal < 0 || diagonal > 2 * width ? 0 : p.diagonals[diagonal * p.n + column];
}

// Of the first level: one element of the rows.
template <int WIDTH>
GPUNP_HD void load(const ReductionParams& p, int64_t i) {
    const int width = width_of<WIDTH>(p);
    const int64_t columns = columns_of<WIDTH>(p), each = columns - p.first;
    const int64_t row = i / each, column = p.first + i - row * each;
    double value;
    if (column < 3 * width) {
        value = band_element(p, width, row, (row / width - 1) * width + column);
    } else {
        const int64_t side = column - 3 * width;
        value = row < p.n ? p.b[row * p.sides + side] : 0;
        if (p.known && row < p.n) {
            double product = 0;
            for (int64_t at = row - width; at <= row + width; at++)
                if (at >= 0 && at < p.n)
                    product += band_element(p, width, row, at) * p.known[at * p.sides + side];
            value -= product;
        }
    }
    p.rows[row * columns + column] = value;
}
template <int WIDTH>
GPUNP_HD int64_t loads_of(const ReductionParams& p) {
    return p.count * width_of<WIDTH>(p) * (columns_of<WIDTH>(p) - p.first);
}

// Solves with the middle block of a row of blocks, in place; false if it is singular.
template <int WIDTH>
GPUNP_HD bool solve_block(const double* rows, int64_t columns, int width, double* y) {
    constexpr int MOST = WIDTH ? WIDTH : REDUCTION_WIDTH;
    double m[MOST][MOST];
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) {
        GPUNP_UNROLL
        for (int c = 0; c < width; c++) m[r][c] = rows[r * columns + width + c];
    }
    bool regular = true;
    GPUNP_UNROLL
    for (int k = 0; k < width; k++) {
        // The greatest element comes to row k by exchanges on the way, all with indices that are known when
        // the loops are unrolled.
        GPUNP_UNROLL
        for (int r = k + 1; r < width; r++) {
            const bool exchange = fabs(m[r][k]) > fabs(m[k][k]);
            GPUNP_UNROLL
            for (int c = 0; c < width; c++) {
                const double upper = m[k][c], lower = m[r][c];
                m[k][c] = exchange ? lower : upper;
                m[r][c] = exchange ? upper : lower;
            }
            const double upper = y[k], lower = y[r];
            y[k] = exchange ? lower : upper;
            y[r] = exchange ? upper : lower;
        }
        regular &= m[k][k] != 0;
        const double inverse = 1 / m[k][k];
        GPUNP_UNROLL
        for (int r = k + 1; r < width; r++) {
            const double factor = m[r][k] * inverse;
            GPUNP_UNROLL
            for (int c = k + 1; c < width; c++) m[r][c] -= factor * m[k][c];
            y[r] -= factor * y[k];
        }
    }
    GPUNP_UNROLL
    for (int k = width - 1; k >= 0; k--) {
        double sum = y[k];
        GPUNP_UNROLL
        for (int c = k + 1; c < width; c++) sum -= m[k][c] * y[c];
        y[k] = sum / m[k][k];
    }
    return regular;
}

GPUNP_HD void report_singular(const ReductionParams& p) {
    if (!p.status) return;
#if defined(__CUDA_ARCH__)
    atomicOr(p.status, GPUNP_STATUS_SINGULAR);
#else
    *p.status |= GPUNP_STATUS_SINGULAR;
#endif
}

// Subtracts from `sums` a block, to the left or to the right, times the solution of its row of blocks with
// one of that row's columns as the right side.
template <int WIDTH>
GPUNP_HD void subtract(const ReductionParams& p, const double* block, const double* other, int64_t column,
                       double* sums) {
    const int width = width_of<WIDTH>(p);
    const int64_t columns = columns_of<WIDTH>(p);
    double y[WIDTH ? WIDTH : REDUCTION_WIDTH];
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) y[r] = other[r * columns + column];
    if (!solve_block<WIDTH>(other, columns, width, y)) report_singular(p);
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) {
        GPUNP_UNROLL
        for (int c = 0; c < width; c++) sums[r] -= block[r * columns + c] * y[c];
    }
}

// One column of one row of blocks of the next level.
template <int WIDTH>
GPUNP_HD void elimination(const ReductionParams& p, int64_t i) {
    const int width = width_of<WIDTH>(p);
    const int64_t columns = columns_of<WIDTH>(p), each = columns - p.first, size = width * columns;
    const int64_t block = i / each, column = p.first + i - block * each;
    const double* rows = p.rows + 2 * block * size;
    const bool left = block > 0, right = 2 * block + 1 < p.count;
    double sums[WIDTH ? WIDTH : REDUCTION_WIDTH];
    const bool own = column >= width && (column < 2 * width || column >= 3 * width);
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) sums[r] = own ? rows[r * columns + column] : 0;
    // The columns of the rows beside it: those to its left have this row's middle as their right block.
    if (left && (column < 2 * width || own)) {
        const int64_t from = column < width ? column : column < 2 * width ? column + width : column;
        subtract<WIDTH>(p, rows, rows - size, from, sums);
    }
    if (right && column >= width) {
        const int64_t from = column < 2 * width ? column - width : column;
        subtract<WIDTH>(p, rows + 2 * width, rows + size, from, sums);
    }
    double* to = p.rows + p.count * size + block * size + column;
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) to[r * columns] = sums[r];
}
template <int WIDTH>
GPUNP_HD int64_t eliminations_of(const ReductionParams& p) {
    return (p.count + 1) / 2 * (columns_of<WIDTH>(p) - p.first);
}

// One side of the solution of a row of blocks with an odd number, from those beside it; or of the only one.
template <int WIDTH>
GPUNP_HD void substitution(const ReductionParams& p, int64_t i) {
    const int width = width_of<WIDTH>(p);
    const int64_t columns = columns_of<WIDTH>(p), size = width * columns;
    const int64_t pair = i / p.sides, side = i - pair * p.sides, block = p.count > 1 ? 2 * pair + 1 : 0;
    const double* rows = p.rows + block * size;
    const int64_t step = ((int64_t)width << p.level) * p.sides;
    double* x = p.x + block * step + side;
    double y[WIDTH ? WIDTH : REDUCTION_WIDTH];
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) {
        double sum = rows[r * columns + 3 * width + side];
        GPUNP_UNROLL
        for (int c = 0; c < width; c++) {
            const double* row = rows + r * columns + c;
            if (block > 0) sum -= row[0] * x[c * p.sides - step];
            if (block + 1 < p.count) sum -= row[2 * width] * x[c * p.sides + step];
        }
        y[r] = sum;
    }
    if (!solve_block<WIDTH>(rows, columns, width, y)) report_singular(p);
    GPUNP_UNROLL
    for (int r = 0; r < width; r++) x[r * p.sides] = y[r];
}
template <int WIDTH>
GPUNP_HD int64_t substitutions_of(const ReductionParams& p) {
    return (p.count > 1 ? p.count / 2 : 1) * p.sides;
}

// All further levels, by one block of threads or the only thread of the host.
template <int WIDTH, class Each>
GPUNP_HD void finish(const ReductionParams& params, Each each) {
    ReductionParams p = params;
    const int64_t size = width_of<WIDTH>(p) * columns_of<WIDTH>(p);
    while (p.count > 1) {
        each(eliminations_of<WIDTH>(p), [&](int64_t i) { elimination<WIDTH>(p, i); });
        p.rows += p.count * size;
        p.count = (p.count + 1) / 2;
        p.level++;
    }
    while (true) {
        each(substitutions_of<WIDTH>(p), [&](int64_t i) { substitution<WIDTH>(p, i); });
        if (p.level == params.level) return;
        p.level--;
        const int level = p.level - params.level;
        p.count = (params.count + ((int64_t)1 << level) - 1) >> level;
        p.rows -= p.count * size;
    }
}

#if GPUNP_ON_DEVICE
template <class Work>
__device__ __forceinline__ void each_of_grid(int64_t count, Work work) {
    const int64_t step = (int64_t)gridDim.x * REDUCTION_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * REDUCTION_BLOCK + threadIdx.x; i < count; i += step) work(i);
}
struct EachOfBlock {
    template <class Work>
    __device__ __forceinline__ void operator()(int64_t count, Work work) const {
        for (int64_t i = threadIdx.x; i < count; i += REDUCTION_TAIL) work(i);
        __syncthreads();
    }
};

#define GPUNP_REDUCTION_KERNEL(symbol, block, ...)                  \
    extern "C" __global__ void __launch_bounds__(block)             \
        symbol(const __grid_constant__::gpunp::ReductionParams p) { \
        using namespace ::gpunp::reduction;                         \
        __VA_ARGS__;                                                \
    }
#define GPUNP_REDUCTION_STEP(step, name, WIDTH)                                 \
    GPUNP_REDUCTION_KERNEL(reduction_##step##_##name, ::gpunp::REDUCTION_BLOCK, \
                           each_of_grid(step##s_of<WIDTH>(p), [&](int64_t i) { step<WIDTH>(p, i); }))
#define GPUNP_REDUCTION(name, WIDTH)                \
    GPUNP_REDUCTION_STEP(load, name, WIDTH)         \
    GPUNP_REDUCTION_STEP(elimination, name, WIDTH)  \
    GPUNP_REDUCTION_STEP(substitution, name, WIDTH) \
    GPUNP_REDUCTION_KERNEL(reduction_finish_##name, ::gpunp::REDUCTION_TAIL, finish<WIDTH>(p, EachOfBlock{}))
#else
struct EachInTurn {
    template <class Work>
    void operator()(int64_t count, Work work) const {
        for (int64_t i = 0; i < count; i++) work(i);
    }
};
template <class Work>
void each_in_parallel(int64_t count, Work work) {
    parallel_for(count, grain_of(64), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) work(i);
    });
}

#define GPUNP_REDUCTION_KERNEL(symbol, ...)                                                        \
    static void symbol##_host(const void* params) {                                                \
        using namespace ::gpunp::reduction;                                                        \
        const ::gpunp::ReductionParams& p = *static_cast<const ::gpunp::ReductionParams*>(params); \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#define GPUNP_REDUCTION_STEP(step, name, WIDTH)       \
    GPUNP_REDUCTION_KERNEL(reduction_##step##_##name, \
                           each_in_parallel(step##s_of<WIDTH>(p), [&](int64_t i) { step<WIDTH>(p, i); }))
#define GPUNP_REDUCTION(name, WIDTH)                \
    GPUNP_REDUCTION_STEP(load, name, WIDTH)         \
    GPUNP_REDUCTION_STEP(elimination, name, WIDTH)  \
    GPUNP_REDUCTION_STEP(substitution, name, WIDTH) \
    GPUNP_REDUCTION_KERNEL(reduction_finish_##name, finish<WIDTH>(p, EachInTurn{}))
#endif

}  // namespace reduction
}  // namespace gpunp
