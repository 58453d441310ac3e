"""Launches of the kernels of matrices with constant diagonals or antidiagonals."""
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.layout import empty
from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device, check_status

cdef extern from "gpunp/linalg/windows_params.h" namespace "gpunp":
    enum:
        WINDOWS_BLOCK "gpunp::WINDOWS_BLOCK"
        WINDOWS_ITEMS "gpunp::WINDOWS_ITEMS"
        WINDOWS_ROWS "gpunp::WINDOWS_ROWS"
    cdef struct WindowsParams:
        const void* first
        const void* second
        void* out
        int64_t batch, rows, columns, step, split, first_step, second_step, first_batch, second_batch

cdef int MOST_BLOCKS = 65535
cdef dict _KERNELS = {size: f"windows_u{size}" for size in (1, 2, 4, 8, 16)}


cdef int _place(ndarray vectors, int64_t origin, bint backward, const void** address, int64_t* step,
                int64_t* batch) except -1:
    """Describe vectors, contiguous along the last axis, of which element ``origin`` is value 0."""
    cdef int64_t size = vectors.shape_[vectors.ndim_ - 1]
    address[0] = vectors.data_ptr() + origin * vectors.itemsize_
    step[0] = -1 if backward else 1
    batch[0] = size if vectors.ndim_ > 1 else 0
    return 0


def windows(ndarray first not None, ndarray second not None, int64_t rows, int64_t columns, int64_t step,
            int64_t split, int64_t second_origin, bint first_backward=False, bint second_backward=False):
    """Matrices whose element (i, j) is value ``j + step * i`` of two vectors.

    Parameters
    ----------
    first, second : ndarray
        Of one dtype; contiguous, with the same number of vectors along all axes but the last.
    rows, columns : int
    step : {1, -1}
    split : int
        The least value that is taken from ``second``.
    second_origin : int
        The element of ``second`` that value 0 would be; may be outside. Of ``first`` it is the first one.
    first_backward, second_backward : bool, optional
        Whether greater values are elements before.
    """
    cdef Device device = first.device_
    cdef WindowsParams p
    cdef ndarray out = empty((*first.shape[:first.ndim_ - 1], rows, columns), first.dtype, device=first.device)
    cdef int64_t across, down
    memset(&p, 0, sizeof(p))
    check_status(device)
    if out.size_ == 0:
        return out
    _place(first, 0, first_backward, &p.first, &p.first_step, &p.first_batch)
    _place(second, second_origin, second_backward, &p.second, &p.second_step, &p.second_batch)
    p.out, p.rows, p.columns, p.batch = out.data_ptr(), rows, columns, out.size_ // (rows * columns)
    p.step, p.split = step, split
    across = (columns + WINDOWS_BLOCK * WINDOWS_ITEMS - 1) // (WINDOWS_BLOCK * WINDOWS_ITEMS)
    down = min((p.batch * rows + WINDOWS_ROWS - 1) // WINDOWS_ROWS, <int64_t>MOST_BLOCKS)
    device.launch(device.kernel("windows", _KERNELS[out.itemsize_]), <unsigned int>across, <unsigned int>down,
                  1, WINDOWS_BLOCK, 0, &p, sizeof(p))
    return out
