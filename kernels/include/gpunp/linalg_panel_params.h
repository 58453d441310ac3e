// What the kernels on panels, the block columns of large matrices, are told. Numbers of elements from one
// matrix of a stack to the next are `..._step`.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Columns of a panel, and threads of a block that holds a part of one.
enum : int { PANEL_COLUMNS = 128, PANEL_THREADS = 512, PANEL_MOVES = 3 * PANEL_COLUMNS };
// Columns and threads of a block that works on the rows beside a panel.
enum : int { PANEL_STRIP = 32, PANEL_STRIP_THREADS = 256 };

// Bits of PanelRowsParams::flags. Which triangle of the memory: the upper one, read from its end, or the
// transpose of the upper one; without a bit, the lower one. Its diagonal: ones, or what is in the memory.
enum : int { PANEL_UPPER = 1, PANEL_TRANSPOSED = 2, PANEL_DIAGONAL = 4 };

// Householder reflectors of a panel by rows.
struct PanelQrParams {
    void* a;  // becomes R above and the reflectors below the diagonal
    int64_t stride;
    void* reflectors;  // once more, with their ones and zeros
    int64_t reflectors_stride;
    // PANEL_COLUMNS^2: above the diagonal the products of reflectors. With 1 / tau on it, this is the inverse
    // of T in the product of the reflections, I - V T V^T.
    void* products;
    void* tau;
    int64_t a_step, reflectors_step, products_step, tau_step;
    int32_t rows, columns;
};

// LU factors of a panel by rows, the rows exchanged.
struct PanelLuParams {
    void* a;
    int64_t stride;
    // PANEL_MOVES a matrix: where the first rows come from, then PANEL_COLUMNS pairs of other rows: to, from
    // (or -1).
    int32_t* moves;
    int32_t* info;  // 1 where a pivot was zero
    int64_t a_step;
    int32_t rows, columns;
};

// Rows of other columns: exchanged like those of a panel, and solved with a triangle.
struct PanelRowsParams {
    void* b;  // at the first row of the panel
    int64_t stride, columns;
    const void* triangle;
    int64_t triangle_stride;
    const void* inverses;  // of the diagonal, instead of what the flags say; or null
    const int32_t* moves;  // or null
    int64_t b_step, triangle_step, inverses_step, matrices;
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

}  // namespace gpunp
