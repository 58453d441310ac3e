// Parameters of the kernels on panels, the block columns of large matrices. Fields named `..._step` are the
// distances between the matrices of a stack, in elements.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Columns of a panel, threads of a block that holds a part of it, and values in `moves` per panel.
enum : int { PANEL_COLUMNS = 128, PANEL_THREADS = 512, PANEL_MOVES = 3 * PANEL_COLUMNS + 4 };
// A block that works on the rows beside a panel: its columns and threads, the rows of the triangle per step,
// the row stride of the triangle in shared memory, and the elements of shared memory.
enum : int { PANEL_STRIP = 16, PANEL_STRIP_THREADS = 256, PANEL_STEP = 32, PANEL_STRIDE = PANEL_COLUMNS + 4 };
enum : int {
    PANEL_STRIP_ELEMENTS = PANEL_COLUMNS * (PANEL_STRIDE + PANEL_STEP + 4 + 1) + 2 * PANEL_STEP * PANEL_STRIP
};

// A block that factors a diagonal block: its threads and the elements of its shared memory.
enum : int { PANEL_FACTOR_THREADS = 256, PANEL_FACTOR_ELEMENTS = PANEL_COLUMNS * (PANEL_STRIDE + 1) };

// Upper bound of the shared memory, in bytes, of a block that holds `rows` rows of a panel.
GPUNP_HD constexpr int64_t panel_bytes(int64_t rows, int64_t itemsize) {
    return itemsize * (PANEL_COLUMNS * rows + 70 * PANEL_COLUMNS) + 8192;
}

// Bits of PanelRowsParams::flags. The triangle is the lower one in memory, or the upper one read from its
// end, or the transpose of the upper one. Its diagonal is one, or with PANEL_DIAGONAL that in memory.
enum : int { PANEL_UPPER = 1, PANEL_TRANSPOSED = 2, PANEL_DIAGONAL = 4 };

// QR factorization of a row-major panel by Householder reflectors.
struct PanelQrParams {
    void* a;  // overwritten by R and, below the diagonal, the reflectors
    int64_t stride;
    void* reflectors;  // a copy of the reflectors, with their ones and zeros
    int64_t reflectors_stride;
    void* tau;
    int64_t a_step, reflectors_step, tau_step;
    int32_t rows, columns;
};

// LU factorization of a row-major panel with row exchanges. The Cholesky kernel takes the same struct.
struct PanelLuParams {
    void* a;
    int64_t stride;
    // PANEL_MOVES values per matrix and panel: the source rows of the first rows, then PANEL_COLUMNS pairs
    // (to, from) of other rows, -1 if unused, then whether the exchanges flip the determinant's sign.
    int32_t* moves;
    int32_t* info;  // set to 1 if a pivot was zero, or for Cholesky not positive
    int64_t a_step, moves_step;
    int32_t rows, columns;
};

// The determinant from the LU factors of a whole matrix.
struct PanelDeterminantParams {
    const void* a;
    int64_t stride, a_step, panels;
    const int32_t* moves;  // PANEL_MOVES for each panel of each matrix
    void* sign;
    void* logarithm;
    int32_t n;
};

// Rows of the largest matrix whose exchanges a block keeps in shared memory, and its threads.
enum : int { PANEL_ORDER_ROWS = 4096, PANEL_ORDER_THREADS = 512 };

// LU factors of square matrices in LAPACK's form.
struct PanelOrderParams {
    const void* a;         // the factors that the panels left
    void* out;             // those in LAPACK's form
    const int32_t* moves;  // PANEL_MOVES for each panel of each matrix
    int32_t* order;        // n for each panel of each matrix: sources of the rows, by later panels
    int32_t* swaps;        // n for each matrix: LAPACK's row exchanges, counted from 0
    int64_t batch;
    int32_t n;
};

// The columns beside a panel: their rows are exchanged like those of the panel, then solved with a triangle.
struct PanelRowsParams {
    void* b;  // at the first row of the panel
    int64_t stride, columns;
    const void* triangle;
    int64_t triangle_stride;
    const void* inverses;  // of the diagonal, used instead of what the flags select; or null
    const int32_t* moves;  // or null
    int64_t b_step, triangle_step, inverses_step, moves_step, matrices;
    int32_t size;  // of the triangle
    int32_t flags;
};

// Rows per thread, which holds one column; then threads and eigenvalues per block of the bisection.
enum : int { TRIDIAGONAL_ROWS = 32, BISECTION_THREADS = 128, BISECTION_VALUES = 4 };

// A symmetric matrix, its tridiagonal form, and its eigenvalues in ascending order; all in double precision.
struct TridiagonalParams {
    const void* a;
    int64_t stride;
    void* diagonal;
    void* beside;
    void* values;
    int32_t n;
};

// Tridiagonal form by a whole GPU: rows and threads per block, and rows of the largest matrix. Then threads
// per block of the eigenvector kernel.
enum : int { GRID_ROWS = 16, GRID_THREADS = 512, GRID_MOST = 2048, VECTOR_THREADS = 32 };

// A symmetric single-precision matrix and its tridiagonal form.
struct GridTridiagonalParams {
    const void* a;
    int64_t stride;
    void* reflectors;  // row-major; zero before the launch
    int64_t reflectors_stride;
    void* tau;
    void* diagonal;  // double, as are the elements beside it
    void* beside;
    void* exchange;  // pairs of floats, a multiple of four per row; all bits set before the launch
    int64_t exchange_stride;
    int32_t n;
};

// Eigenvectors of a tridiagonal matrix. All arrays are double but the vectors, which are columns of floats.
struct TridiagonalVectorsParams {
    const void* diagonal;
    const void* beside;
    void* values;
    void* from_above;  // n x n workspace, as is the next
    void* from_below;
    void* vectors;
    int64_t vectors_stride;
    int32_t n;
};

}  // namespace gpunp
