"""LU factors in LAPACK's form and triangular systems of large real matrices, one panel of columns at a time."""
from libc.stdint cimport int32_t, int64_t

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.cuda.clusters cimport largest_cluster
from gpunp.dtype_codes cimport F4, F8, I4
from gpunp.linalg.panels cimport Panels, Part, factor

cdef extern from "gpunp/linalg/panel_params.h" namespace "gpunp":
    enum:
        PANEL_COLUMNS, PANEL_UPPER, PANEL_TRANSPOSED, PANEL_DIAGONAL, PANEL_ORDER_ROWS, PANEL_ORDER_THREADS
    cdef struct PanelOrderParams:
        const void* a
        void* out
        const int32_t* moves
        int32_t* order
        int32_t* swaps
        int64_t batch
        int32_t n


def lu(ndarray a not None, ndarray info not None, ndarray out not None, ndarray swaps not None):
    """LU factors of square matrices, which are overwritten, in LAPACK's form; its exchanges count from 0."""
    cdef Panels panels = Panels(a)
    cdef PanelOrderParams p
    cdef Py_ssize_t[3] shape
    cdef ndarray moves, order
    cdef unsigned int n = <unsigned int>panels.rows, batch = <unsigned int>panels.batch
    if panels.rows > PANEL_ORDER_ROWS:
        raise ValueError(f"lu_factor: panels of {panels.rows:,} rows do not fit shared memory")
    moves = factor(panels, a, info)
    shape[0], shape[1], shape[2] = panels.batch, moves.shape_[1], panels.rows
    order = new_array(I4, 3, shape, a.device_)
    p.a, p.out, p.batch, p.n = a.data_ptr(), out.data_ptr(), panels.batch, <int32_t>panels.rows
    p.moves, p.order = <const int32_t*>moves.data_ptr(), <int32_t*>order.data_ptr()
    p.swaps = <int32_t*>swaps.data_ptr()
    panels.device.launch(panels.device.kernel("cluster_blocks", "panel_order"), batch, 1, 1,
                         PANEL_ORDER_THREADS, 0, &p, sizeof(p))
    panels.device.launch(panels.device.kernel("cluster_blocks", "panel_gather_" + panels.dtype), n,
                         min(batch, <unsigned int>65535), 1, PANEL_ORDER_THREADS, 0, &p, sizeof(p))


def takes(ndarray a not None):
    """Whether the kernels beside panels solve triangular systems of the dtype on the device; of any size."""
    return not a.device_.is_cpu and (a.code == F4 or a.code == F8) and largest_cluster(a.device_) > 0


def triangular(ndarray a not None, ndarray b not None, bint upper, bint transposed, bint unit):
    """Solve triangular systems in place: b becomes the solutions. Of lower triangles no transposes are taken."""
    cdef int64_t n = a.shape_[1], sides = b.shape_[2], at, width, after
    cdef Panels panels = Panels(a)
    cdef Part whole = panels.part(b), block, nothing = Part(NULL, 0, 0)
    cdef int flags = 0 if unit else PANEL_DIAGONAL
    if transposed and not upper:
        raise ValueError("triangular: give the transpose of a lower triangle as an upper one")
    if upper and not transposed:
        at = (n - 1) // PANEL_COLUMNS * PANEL_COLUMNS
        while at >= 0:
            width = min(<int64_t>PANEL_COLUMNS, n - at)
            block = panels.corner(whole, at, 0)
            panels.rows_of(block, sides, panels.corner(panels.whole, at, at), width, PANEL_UPPER | flags, nothing)
            if at:
                panels.product(at, sides, width, panels.corner(panels.whole, 0, at), False, block, whole, -1, 1)
            at -= PANEL_COLUMNS
        return
    for at in range(0, n, PANEL_COLUMNS):
        width = min(<int64_t>PANEL_COLUMNS, n - at)
        after = at + width
        block = panels.corner(whole, at, 0)
        panels.rows_of(block, sides, panels.corner(panels.whole, at, at), width,
                       flags | (PANEL_TRANSPOSED if transposed else 0), nothing)
        if after < n:
            panels.product(n - after, sides, width,
                           panels.corner(panels.whole, at if transposed else after, after if transposed else at),
                           transposed, block, panels.corner(whole, after, 0), -1, 1)
