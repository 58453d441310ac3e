"""Large matrices that are factored one panel of columns at a time."""
from libc.stdint cimport int32_t, int64_t

from gpunp.array.ndarray cimport ndarray
from gpunp.cuda.device cimport CudaDevice

cdef extern from "gpunp/linalg/panel_params.h" namespace "gpunp":
    cdef struct PanelLuParams:
        void* a
        int64_t stride
        int32_t* moves
        int32_t* info
        int64_t a_step, moves_step
        int32_t rows, columns

# A submatrix of each matrix of a stack: address of the first, row stride, and step to the next matrix, in elements.
cdef struct Part:
    char* data
    int64_t stride, step

# Partition of square matrices at a panel: the panel, the rows of its triangle right of it, the rest below these.
cdef struct Cut:
    int64_t at, width, after
    Part panel, right, rest

cdef class Panels:
    cdef CudaDevice device
    cdef int code, per_thread
    cdef int64_t itemsize, batch, rows, columns
    cdef str dtype
    cdef Part whole

    cdef Part part(self, ndarray a) except *
    # The submatrix that begins at a row and a column of a part.
    cdef Part corner(self, Part part, int64_t row, int64_t column) noexcept
    # Advance to the next panel, or to the first from zeroed structs; False after the last.
    cdef bint advance(self, Cut* cut, PanelLuParams* p) noexcept
    # Factor the panels of a stack, `rows` rows each, with one cluster per matrix.
    cdef int launch(self, str name, int64_t rows, const void* params) except -1
    # c = alpha * a @ b + beta * c, optionally with a or b transposed.
    cdef int product(self, int64_t m, int64_t n, int64_t k, Part a, bint transposed, Part b, Part c, double alpha,
                     double beta, bint b_transposed=*) except -1
    # Exchange rows of b like those of the panel, then solve with its triangle.
    cdef int rows_of(self, Part b, int64_t columns, Part triangle, int64_t size, int flags, Part inverses,
                     const int32_t* moves=*, int64_t moves_step=*) except -1

# LU-factor the leading square blocks in place and update the columns right of them. Returns the row moves of each
# panel.
cdef ndarray factor(Panels panels, ndarray a, ndarray info)
