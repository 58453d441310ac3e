"""QR, LU and Cholesky factors of large matrices, one panel of columns at a time.

One of our kernels factors a panel in the registers of a cluster of blocks: a column takes half a microsecond (LU)
or one microsecond (QR). The columns right of the panel are updated by matrix products, always in IEEE arithmetic.
All matrices of a C-ordered stack go through every step together.
"""
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.cuda.cublas cimport IEEE, Matrix, gemm
from gpunp.cuda.clusters cimport cluster_kernel, largest_cluster, launch_clusters
from gpunp.cuda.device cimport CudaDevice, CudaKernel
from gpunp.device cimport check_status
from gpunp.dtype_codes cimport F4, F8, I4
from gpunp.tuning cimport Tuning

cdef extern from "gpunp/linalg/panel_params.h" namespace "gpunp":
    enum:
        PANEL_COLUMNS, PANEL_THREADS, PANEL_MOVES, PANEL_STRIP, PANEL_STRIP_THREADS, PANEL_STRIP_ELEMENTS
        PANEL_UPPER, PANEL_TRANSPOSED, PANEL_DIAGONAL, PANEL_FACTOR_THREADS, PANEL_FACTOR_ELEMENTS
    int64_t panel_bytes(int64_t rows, int64_t itemsize) noexcept
    cdef struct PanelQrParams:
        void* a
        int64_t stride
        void* reflectors
        int64_t reflectors_stride
        void* tau
        int64_t a_step, reflectors_step, tau_step
        int32_t rows, columns
    cdef struct PanelDeterminantParams:
        const void* a
        int64_t stride, a_step, panels
        const int32_t* moves
        void* sign
        void* logarithm
        int32_t n
    cdef struct PanelRowsParams:
        void* b
        int64_t stride, columns
        const void* triangle
        int64_t triangle_stride
        const void* inverses
        const int32_t* moves
        int64_t b_step, triangle_step, inverses_step, moves_step, matrices
        int32_t size, flags

cdef int _rows_of_thread(CudaDevice device, int code, int64_t rows) except -1:
    """Rows per thread with which a panel fits a cluster; 0 if it does not fit."""
    cdef int most = largest_cluster(device)
    if rows <= 8 * 16 * most:
        return 16
    if code == F4 and rows <= 8 * 32 * most:
        return 32
    return 0


def takes(ndarray a not None):
    """Whether panels of the stack's matrices fit a cluster."""
    if a.device_.is_cpu or (a.code != F4 and a.code != F8):
        return False
    return _rows_of_thread(a.device_, a.code, a.shape_[a.ndim_ - 2]) > 0


def takes_blocks(ndarray a not None):
    """Whether the Cholesky kernels for blocks take a stack: up to sizes where they are faster than cuSOLVER."""
    cdef const Tuning* tuning = &a.device_.tuning
    cdef int64_t most = tuning.cholesky_rows_f4 if a.code == F4 else tuning.cholesky_rows_f8
    if a.shape_[0] > 1:
        most = tuning.cholesky_stack_rows
    # These kernels are built only for the architectures of the cluster kernels.
    return ((a.code == F4 or a.code == F8) and a.shape_[a.ndim_ - 1] <= most
            and not a.device_.is_cpu and largest_cluster(a.device_) > 0)


cdef Part NOTHING = Part(NULL, 0, 0)


cdef class Panels:
    """A stack of matrices on its device."""

    def __cinit__(self, ndarray a, *_):
        check_status(a.device_)
        self.device = a.device_
        self.code, self.itemsize = a.code, a.itemsize_
        self.batch, self.rows, self.columns = a.shape_[0], a.shape_[1], a.shape_[2]
        self.dtype = "f4" if a.code == F4 else "f8"
        self.per_thread = _rows_of_thread(self.device, a.code, self.rows)
        self.whole = self.part(a)

    cdef Part part(self, ndarray a) except *:
        return Part(a.data_ptr(), a.shape_[2], a.shape_[1] * a.shape_[2])

    cdef Part corner(self, Part part, int64_t row, int64_t column) noexcept:
        """The submatrix that begins at a row and a column of ``part``."""
        return Part(part.data + (row * part.stride + column) * self.itemsize, part.stride, part.step)

    cdef bint advance(self, Cut* cut, PanelLuParams* p) noexcept:
        """Advance to the next panel, or to the first from zeroed structs; False after the last."""
        cut.at = cut.after
        cut.width = min(<int64_t>PANEL_COLUMNS, self.rows - cut.at)
        cut.after = cut.at + cut.width
        cut.panel = self.corner(self.whole, cut.at, cut.at)
        cut.right = self.corner(cut.panel, 0, cut.width)
        cut.rest = self.corner(cut.panel, cut.width, cut.width)
        p.a, p.stride, p.a_step = cut.panel.data, cut.panel.stride, cut.panel.step
        p.rows, p.columns = <int32_t>(self.rows - cut.at), <int32_t>cut.width
        return cut.width > 0

    cdef int launch(self, str name, int64_t rows, const void* params) except -1:
        """Factor the panels of a stack, ``rows`` rows each, with one cluster per matrix."""
        cdef unsigned int shared_bytes = <unsigned int>panel_bytes(8 * self.per_thread, self.itemsize)
        cdef CudaKernel kernel
        if not self.per_thread:
            raise ValueError(f"panels of {self.rows:,} rows do not fit a cluster of {self.device.name}")
        kernel = cluster_kernel(self.device, "cluster_panel_" + self.dtype,
                                f"{name}_panel_{self.per_thread}_{self.dtype}", shared_bytes)
        cdef unsigned int blocks = 1
        while blocks * 8 * self.per_thread < rows:
            blocks *= 2
        return launch_clusters(self.device, kernel, blocks, <unsigned int>self.batch, PANEL_THREADS, params,
                               shared_bytes)

    cdef int product(self, int64_t m, int64_t n, int64_t k, Part a, bint transposed, Part b, Part c,
                     double alpha, double beta, bint b_transposed=False) except -1:
        """Compute c = alpha * a @ b + beta * c, optionally with a or b transposed."""
        cdef Matrix[3] x
        x[0] = Matrix(a.data, 1, a.stride, a.step) if transposed else Matrix(a.data, a.stride, 1, a.step)
        x[1] = Matrix(b.data, 1, b.stride, b.step) if b_transposed else Matrix(b.data, b.stride, 1, b.step)
        x[2] = Matrix(c.data, c.stride, 1, c.step)
        return gemm(self.device, self.code, m, n, k, &x[0], &x[1], &x[2], self.batch, alpha, beta, IEEE)

    cdef int rows_of(self, Part b, int64_t columns, Part triangle, int64_t size, int flags, Part inverses,
                     const int32_t* moves=NULL, int64_t moves_step=0) except -1:
        """Exchange rows of b like those of the panel, then solve with its triangle."""
        cdef PanelRowsParams p
        p.b, p.stride, p.columns, p.b_step = b.data, b.stride, columns, b.step
        p.triangle, p.triangle_stride, p.triangle_step = triangle.data, triangle.stride, triangle.step
        p.inverses, p.inverses_step = inverses.data, inverses.step
        p.moves, p.moves_step = moves, moves_step
        p.matrices, p.size, p.flags = self.batch, <int32_t>size, flags
        if columns == 0:
            return 0
        return self.device.launch(
            self.device.kernel("cluster_panel_" + self.dtype, "panel_rows_" + self.dtype),
            <unsigned int>((columns + PANEL_STRIP - 1) // PANEL_STRIP),
            <unsigned int>min(self.batch, <int64_t>65535), 1, PANEL_STRIP_THREADS,
            <unsigned int>(PANEL_STRIP_ELEMENTS * self.itemsize), &p, sizeof(p))


cdef class _Reflectors(Panels):
    """The reflectors of all panels, and the workspace for applying them."""
    cdef ndarray vectors, products, tau, work

    def __init__(self, ndarray a, int64_t columns, ndarray tau, int64_t widest):
        cdef Py_ssize_t[3] shape
        shape[0], shape[1], shape[2] = self.batch, self.rows, columns
        self.vectors = new_array(self.code, 3, shape, a.device_)
        shape[1], shape[2] = PANEL_COLUMNS, widest
        self.work = new_array(self.code, 3, shape, a.device_)
        shape[1] = (columns + PANEL_COLUMNS - 1) // PANEL_COLUMNS * PANEL_COLUMNS
        shape[2] = PANEL_COLUMNS
        self.products = new_array(self.code, 3, shape, a.device_)
        self.tau = tau

    cdef Part vectors_at(self, int64_t at) except *:
        return self.corner(self.part(self.vectors), at, at)

    cdef Part products_at(self, int64_t at) except *:
        return self.corner(self.part(self.products), at, 0)

    cdef Part tau_at(self, int64_t at) except *:
        return Part(self.tau.data_ptr() + at * self.itemsize, 1, self.tau.shape_[1])

    cdef int multiply(self, int64_t at, int64_t count) except -1:
        """Compute V^T V of a panel: its upper triangle, with 1 / tau on the diagonal, is T^-1."""
        cdef Part v = self.vectors_at(at)
        return self.product(count, count, self.rows - at, v, True, v, self.products_at(at), 1, 0)

    cdef int reflect(self, int64_t at, int64_t count, bint adjoint, Part c, int64_t columns) except -1:
        """Compute c -= V T V^T c (``adjoint``: with T^T) for the panel at column ``at``; c begins at row ``at``."""
        cdef Part w = Part(self.work.data_ptr(), columns, PANEL_COLUMNS * columns)
        cdef Part v = self.vectors_at(at)
        cdef int64_t rows = self.rows - at
        if columns == 0:
            return 0
        self.product(count, columns, rows, v, True, c, w, 1, 0)
        self.rows_of(w, columns, self.products_at(at), count, PANEL_TRANSPOSED if adjoint else PANEL_UPPER,
                     self.tau_at(at))
        return self.product(rows, columns, count, v, False, w, c, -1, 1)


def qr(ndarray a not None, int64_t columns, ndarray tau not None, ndarray q=None):
    """Factor the first ``columns`` columns of the matrices in place, packed as in LAPACK.

    The columns right of them are multiplied by Q^T. ``q`` must hold identities; it becomes the first columns of Q.
    """
    cdef int64_t steps = min(<int64_t>a.shape_[1], columns), at, width
    cdef int64_t wide = a.shape_[2] if q is None else max(a.shape_[2], q.shape_[2])
    cdef _Reflectors panels = _Reflectors(a, columns, tau, wide)
    cdef PanelQrParams p
    cdef Part x
    for at in range(0, steps, PANEL_COLUMNS):
        width = min(<int64_t>PANEL_COLUMNS, columns - at)
        x = panels.corner(panels.whole, at, at)
        p.a, p.stride, p.a_step = x.data, x.stride, x.step
        x = panels.vectors_at(at)
        p.reflectors, p.reflectors_stride, p.reflectors_step = x.data, x.stride, x.step
        x = panels.tau_at(at)
        p.tau, p.tau_step = x.data, x.step
        p.rows, p.columns = <int32_t>(panels.rows - at), <int32_t>width
        panels.launch("qr", panels.rows - at, &p)
        panels.multiply(at, min(width, steps - at))
        panels.reflect(at, min(width, steps - at), True, panels.corner(panels.whole, at, at + width),
                       panels.columns - at - width)
    if q is None or steps == 0:
        return
    at = (steps - 1) // PANEL_COLUMNS * PANEL_COLUMNS
    while at >= 0:
        # The rows and columns before `at` are still those of the identity, so they are skipped.
        panels.reflect(at, min(<int64_t>PANEL_COLUMNS, steps - at), False,
                       panels.corner(panels.part(q), at, at), q.shape_[2] - at)
        at -= PANEL_COLUMNS


def reflect(ndarray reflectors not None, ndarray tau not None, ndarray c not None):
    """Apply reflections to the matrices c in place, the last one first.

    Each row of ``reflectors`` is one reflector and must be zero before the diagonal.
    """
    cdef int64_t count = reflectors.shape_[1], columns = c.shape_[2], at, width, rows
    cdef Panels panels = Panels(c)
    cdef Py_ssize_t[3] shape
    cdef ndarray work, products
    cdef Part v, w, x, below
    shape[0], shape[1], shape[2] = panels.batch, PANEL_COLUMNS, columns
    work = new_array(panels.code, 3, shape, c.device_)
    shape[2] = PANEL_COLUMNS
    products = new_array(panels.code, 3, shape, c.device_)
    w, x = panels.part(work), panels.part(products)
    at = (count - 1) // PANEL_COLUMNS * PANEL_COLUMNS
    while at >= 0:
        width, rows = min(<int64_t>PANEL_COLUMNS, count - at), panels.rows - at
        v = panels.corner(panels.part(reflectors), at, at)
        below = panels.corner(panels.whole, at, 0)
        panels.product(width, width, rows, v, False, v, x, 1, 0, b_transposed=True)
        panels.product(width, columns, rows, v, False, below, w, 1, 0)
        panels.rows_of(w, columns, x, width, PANEL_UPPER,
                       Part(tau.data_ptr() + at * panels.itemsize, 1, tau.shape_[1]))
        panels.product(rows, columns, width, v, True, w, below, -1, 1)
        at -= PANEL_COLUMNS


cdef ndarray factor(Panels panels, ndarray a, ndarray info):
    """LU-factor the leading square blocks in place and update the columns right of them.

    Returns the row moves of each panel.
    """
    cdef PanelLuParams p
    cdef Cut cut
    cdef Py_ssize_t[3] shape
    cdef ndarray moves
    memset(&p, 0, sizeof(p))
    memset(&cut, 0, sizeof(cut))
    shape[0], shape[1] = panels.batch, (panels.rows + PANEL_COLUMNS - 1) // PANEL_COLUMNS
    shape[2] = PANEL_MOVES
    moves = new_array(I4, 3, shape, a.device_)
    p.moves, p.moves_step = <int32_t*>moves.data_ptr(), shape[1] * PANEL_MOVES
    p.info = <int32_t*>info.data_ptr()
    while panels.advance(&cut, &p):
        panels.launch("lu", p.rows, &p)
        panels.rows_of(cut.right, panels.columns - cut.after, cut.panel, cut.width, 0, NOTHING, p.moves,
                       p.moves_step)
        if cut.after < panels.rows:
            panels.product(panels.rows - cut.after, panels.columns - cut.after, cut.width,
                           panels.corner(cut.panel, cut.width, 0), False, cut.right, cut.rest, -1, 1)
        p.moves += PANEL_MOVES
    return moves


def solve(ndarray a not None, ndarray info not None):
    """Solve systems of augmented matrices (A | B) in place: B becomes the solutions."""
    factor(Panels(a), a, info)
    _solve_upper(a)


def determinant(ndarray a not None, ndarray sign not None, ndarray logarithm not None):
    """Signs, and logarithms of the absolute values, of determinants of square matrices, which are overwritten."""
    cdef Panels panels = Panels(a)
    cdef PanelDeterminantParams p
    cdef Py_ssize_t[1] shape
    cdef ndarray moves
    shape[0] = panels.batch
    # The info values are discarded: zero pivots show on the diagonal.
    moves = factor(panels, a, new_array(I4, 1, shape, a.device_))
    p.a, p.stride, p.a_step, p.n = a.data_ptr(), panels.whole.stride, panels.whole.step, <int32_t>panels.rows
    p.moves, p.panels = <const int32_t*>moves.data_ptr(), moves.shape_[1]
    p.sign, p.logarithm = sign.data_ptr(), logarithm.data_ptr()
    panels.device.launch(panels.device.kernel("cluster_blocks", "determinant_" + panels.dtype),
                         <unsigned int>panels.batch, 1, 1, PANEL_THREADS, 0, &p, sizeof(p))


def cholesky(ndarray a not None, ndarray info not None):
    """Replace the upper triangles of symmetric matrices by the Cholesky factors U, with A = U^T U.

    Only the upper triangles are read; the elements below the diagonal are overwritten.
    """
    cdef Panels panels = Panels(a)
    cdef CudaKernel kernel = panels.device.kernel("cluster_blocks", "cholesky_block_" + panels.dtype)
    cdef unsigned int shared_bytes = <unsigned int>(PANEL_FACTOR_ELEMENTS * panels.itemsize)
    cdef int64_t left, end, start, strip = a.device_.tuning.cholesky_strip_columns
    cdef PanelLuParams p
    cdef Cut cut
    memset(&p, 0, sizeof(p))
    memset(&cut, 0, sizeof(cut))
    p.info = <int32_t*>info.data_ptr()
    while panels.advance(&cut, &p):
        panels.device.launch(kernel, <unsigned int>panels.batch, 1, 1, PANEL_FACTOR_THREADS, shared_bytes, &p,
                             sizeof(p))
        left = panels.rows - cut.after
        panels.rows_of(cut.right, left, cut.panel, cut.width, PANEL_TRANSPOSED | PANEL_DIAGONAL, NOTHING)
        # Strips of columns down to the diagonal waste little work below it, and each call still fills the GPU.
        for start in range(0, left, strip):
            end = min(start + strip, left)
            panels.product(end, end - start, cut.width, cut.right, True,
                           panels.corner(cut.right, 0, start), panels.corner(cut.rest, 0, start), -1, 1)


cdef _solve_upper(ndarray a):
    """Back-substitute in augmented matrices (U | B), in place: B becomes the solutions."""
    cdef int64_t n = a.shape_[1], sides = a.shape_[2] - n, at, width
    cdef Panels panels = Panels(a)
    cdef Part right
    at = (n - 1) // PANEL_COLUMNS * PANEL_COLUMNS
    while at >= 0 and sides:
        width = min(<int64_t>PANEL_COLUMNS, n - at)
        right = panels.corner(panels.whole, at, n)
        panels.rows_of(right, sides, panels.corner(panels.whole, at, at), width, PANEL_UPPER | PANEL_DIAGONAL,
                       NOTHING)
        if at:
            panels.product(at, sides, width, panels.corner(panels.whole, 0, at), False, right,
                           panels.corner(panels.whole, 0, n), -1, 1)
        at -= PANEL_COLUMNS
