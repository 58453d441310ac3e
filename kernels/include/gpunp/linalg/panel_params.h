// What the kernels on panels, the block columns of large matrices, are told. Numbers of elements from one
// matrix of a stack to the next are `..._step`.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Columns of a panel, and threads of a block that holds a part of one.
enum : int { PANEL_COLUMNS = 128, PANEL_THREADS = 512, PANEL_MOVES = 3 * PANEL_COLUMNS + 4 };
// Columns and threads of a block that works on the rows beside a panel, whose triangle it takes in blocks of
// so many rows, and the elements of shared memory that it has.
enum : int { PANEL_STRIP = 16, PANEL_STRIP_THREADS = 256, PANEL_STEP = 32, PANEL_STRIDE = PANEL_COLUMNS + 4 };
enum : int {
    PANEL_STRIP_ELEMENTS = PANEL_COLUMNS * (PANEL_STRIDE + PANEL_STEP + 4 + 1) + 2 * PANEL_STEP * PANEL_STRIP
};

// Threads and elements of shared memory of a block that factors a diagonal block.
enum : int { PANEL_FACTOR_THREADS = 256, PANEL_FACTOR_ELEMENTS = PANEL_COLUMNS * (PANEL_STRIDE + 1) };

// Bytes of shared memory of a block that holds so many rows of a panel, at most.
GPUNP_HD constexpr int64_t panel_bytes(int64_t rows, int64_t itemsize) {
    return itemsize * (PANEL_COLUMNS * rows + 70 * PANEL_COLUMNS) + 8192;
}

// Bits of PanelRowsParams::flags. Which triangle of the memory: the upper one, read from its end, or the
// transpose of the upper one; without a bit, the lower one. Its diagonal: ones, or what is in the memory.
enum : int { PANEL_UPPER = 1, PANEL_TRANSPOSED = 2, PANEL_DIAGONAL = 4 };

// Householder reflectors of a panel by rows.
struct PanelQrParams {
    void* a;  // becomes R above and the reflectors below the diagonal
    int64_t stride;
    void* reflectors;  // once more, with their ones and zeros
    int64_t reflectors_stride;
    void* tau;
    int64_t a_step, reflectors_step, tau_step;
    int32_t rows, columns;
};

// LU factors of a panel by rows, the rows exchanged.
struct PanelLuParams {
    void* a;
    int64_t stride;
    // PANEL_MOVES a matrix and panel: where the first rows come from, then PANEL_COLUMNS pairs of other rows:
    // to, from (or -1), then whether the exchanges turn the determinant's sign.
    int32_t* moves;
    int32_t* info;  // 1 where a pivot was zero
    int64_t a_step, moves_step;
    int32_t rows, columns;
};

// What is read off the factors of a whole matrix.
struct PanelDeterminantParams {
    const void* a;
    int64_t stride, a_step, panels;
    const int32_t* moves;  // PANEL_MOVES for each panel of each matrix
    void* sign;
    void* logarithm;
    int32_t n;
};

// Rows of other columns: exchanged like those of a panel, and solved with a triangle.
struct PanelRowsParams {
    void* b;  // at the first row of the panel
    int64_t stride, columns;
    const void* triangle;
    int64_t triangle_stride;
    const void* inverses;  // of the diagonal, instead of what the flags say; or null
    const int32_t* moves;  // or null
    int64_t b_step, triangle_step, inverses_step, moves_step, matrices;
    int32_t size;  // of the triangle
    int32_t flags;
};

// Rows of a thread, which has one column; then threads of a block of the bisection, and eigenvalues.
enum : int { TRIDIAGONAL_ROWS = 32, BISECTION_THREADS = 128, BISECTION_VALUES = 4 };

// A symmetric matrix, its tridiagonal form, and its eigenvalues in ascending order; all double.
struct TridiagonalParams {
    const void* a;
    int64_t stride;
    void* diagonal;
    void* beside;
    void* values;
    int32_t n;
};

// Rows and threads of a block, and rows of the largest matrix, whose tridiagonal form a whole GPU finds.
enum : int { GRID_ROWS = 16, GRID_THREADS = 512, GRID_MOST = 2048, VECTOR_THREADS = 32 };

// A symmetric matrix of single precision and its tridiagonal form.
struct GridTridiagonalParams {
    const void* a;
    int64_t stride;
    void* reflectors;  // by rows; zeros before
    int64_t reflectors_stride;
    void* tau;
    void* diagonal;  // and what is beside it: double
    void* beside;
    void* exchange;  // pairs of floats, a multiple of four to a row; all bits are set before
    int64_t exchange_stride;
    int32_t n;
};

// Eigenvectors of a tridiagonal matrix, all double but the vectors, which are columns.
struct TridiagonalVectorsParams {
    const void* diagonal;
    const void* beside;
    void* values;
    void* from_above;  // n x n, for what is found on the way
    void* from_below;
    void* vectors;
    int64_t vectors_stride;
    int32_t n;
};

}  // namespace gpunp
