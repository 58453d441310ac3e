"""The sorting engine: sorts the rows of C-contiguous arrays along the last axis.

- `sort_rows(a, out=None, descending=False)`: the sorted rows; ``out`` may be ``a`` itself.
- `argsort_rows(a, order=None, descending=False)`: stable int64 positions in the row. With ``order`` (int64,
  of the shape of ``a``), equal elements keep that order: a chain of such calls sorts by several keys.
- `sort_rows_with_order(a, descending=False)`: both in one sort.
- `gather_rows(a, order)`: ``a[r, order[r, i]]``, without a check of the positions.
- `sort_pairs(keys, values)`: keys sorted along the last axis, and the values permuted with them.

NaN is last, complex numbers are in NumPy's order, and -0.0 equals 0.0; equal elements keep their order.
Arguments must have at least one dimension; non-contiguous ones are copied first. Nothing waits for the device.
"""
import numpy as np

from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Buffer, Device, check_status
from gpunp.dtype_codes cimport C8, I8, U8, is_complex, is_inexact, is_signed
from gpunp.launch cimport LOOP_BLOCK
from gpunp.sorting.params cimport (
    FASTER, NOT_MEASURED, SLOWER, SORT_COMPLEX, SORT_FLOATING, SORT_INTEGER, SORT_SHORT, SORT_SHORT_BLOCK,
    GatherRowsParams, QuickSortParams, SortParams, SortRowShape, sort_row_shape)
from gpunp.sorting.radix cimport sort_radix
from gpunp.ufunc.copying cimport copy_into


cdef void _describe(SortParams* p, ndarray a, bint descending) noexcept:
    """Fill in the fields that define the order of the elements."""
    cdef int code = a.code
    memset(p, 0, sizeof(p[0]))
    p.itemsize = a.itemsize_
    p.passes = p.itemsize
    p.sign = <uint64_t>1 << (8 * min(p.itemsize, 8) - 1)
    if not is_inexact(code):
        p.kind = SORT_INTEGER
        if descending:
            p.flip = p.sign | (p.sign - 1)
        if is_signed(code):
            p.flip ^= p.sign
        return
    p.kind = SORT_COMPLEX if is_complex(code) else SORT_FLOATING
    if code == C8:
        p.sign = <uint64_t>1 << 31
    if p.sign >> 15 == 1:
        p.infinity = 0x7c00
    elif p.sign >> 31 == 1:
        p.infinity = 0x7f800000
    else:
        p.infinity = 0x7ff0000000000000
    if descending:
        p.flip = p.sign
        if code == C8:
            p.flip |= p.sign << 32


# In the order of QuickKind in kernels/include/gpunp/sorting/quick_params.h.
cdef tuple _QUICK_DTYPES = tuple(map(np.dtype, ("u4", "u8", "i4", "i8", "f4", "f8")))
cdef bint _quick_sort_is_set = False


cdef int _quick_sort(void* start, int64_t n, int kind) noexcept with gil:
    """NumPy's sort of host memory, which releases the lock meanwhile."""
    dtype = _QUICK_DTYPES[kind]
    try:
        np.frombuffer(PyMemoryView_FromMemory(<char*>start, n * <int64_t>dtype.itemsize, PyBUF_WRITE), dtype).sort()
    except BaseException:
        return -1
    return 0


def prefer_quick_sort(Device device not None, use):
    """Whether the CPU device sorts by NumPy where it can: True, False, or None to measure which sort is faster."""
    global _quick_sort_is_set
    cdef QuickSortParams p
    p.sort = _quick_sort
    p.verdict = NOT_MEASURED if use is None else FASTER if use else SLOWER
    device.launch(device.kernel("sorting_short", "set_quick_sort"), 1, 1, 1, 1, 0, &p, sizeof(p))
    _quick_sort_is_set = True


cdef int _sort_on_host(SortParams* p, Device device) except -1:
    cdef Py_ssize_t entry = (32 if p.itemsize == 16 else 16) if p.order_out != NULL else 16
    cdef Buffer space = device.allocate(2 * p.length * entry)
    p.keys[0] = space.ptr
    p.keys[1] = <char*>space.ptr + p.length * entry
    if not _quick_sort_is_set:
        prefer_quick_sort(device, None)
    device.launch(device.kernel("sorting_short", _short_name(p)), 1, 1, 1, 1, 0, p, sizeof(p[0]))
    return 0


cdef str _short_name(const SortParams* p):
    return "sort_wide" if p.itemsize == 16 else ("sort_u8" if p.itemsize == 8 else "sort_u4")


cdef int _sort_short(SortParams* p, Device device) except -1:
    cdef int64_t rows = SORT_SHORT_BLOCK // p.length
    cdef int64_t blocks = min((p.rows + rows - 1) // rows, device.multiprocessors * device.tuning.fill_blocks)
    device.launch(device.kernel("sorting_short", _short_name(p)), <unsigned int>blocks, 1, 1,
                  SORT_SHORT_BLOCK, 0, p, sizeof(p[0]))
    return 0


cdef int _sort_blocks(SortParams* p, Device device, SortRowShape shape) except -1:
    cdef str width = "u4" if p.itemsize < 8 else "u8"
    cdef str content = "keys" if p.order_out == NULL else "pairs"
    device.launch(device.kernel(f"sorting_rows_{width}", f"sort_rows_{content}_{shape.elements}"),
                  <unsigned int>min(p.rows, <int64_t>0x7fffffff), 1, 1, shape.threads, 0, p, sizeof(p[0]))
    return 0


cdef ndarray _contiguous(ndarray a):
    if a.c_contiguous:
        return a
    cdef ndarray copy = new_array(a.code, a.ndim_, a.shape_, a.device_)
    copy_into(copy, a)
    return copy


cdef int _sort(ndarray a, ndarray out, ndarray order_in, ndarray order_out, bint descending) except -1:
    """Sort the rows of ``a`` into ``out`` and their order into ``order_out``; all contiguous, either may be None."""
    cdef SortParams p
    cdef Device device = a.device_
    cdef ndarray copy
    cdef SortRowShape shape
    check_status(device)
    if a.size_ == 0:
        return 0
    _describe(&p, a, descending)
    p.length = a.shape_[a.ndim_ - 1]
    p.rows = a.size_ // p.length
    p.input = a.data_ptr()
    if out is not None:
        p.output = out.data_ptr()
    if order_in is not None:
        p.order_in = <const int64_t*>order_in.data_ptr()
    if order_out is not None:
        p.order_out = <int64_t*>order_out.data_ptr()
    if device.is_cpu:
        return _sort_on_host(&p, device)
    if p.length <= SORT_SHORT:
        return _sort_short(&p, device)
    if p.itemsize == 16:
        return _sort_halves(a, out, order_in, order_out, descending)
    shape = sort_row_shape(p.length, p.itemsize == 8)
    if order_in is not None:
        copy = new_array(a.code, a.ndim_, a.shape_, device)
        _gather(a, order_in, copy)
        p.input = copy.data_ptr()
    elif p.input == p.output and p.passes == 1 and not shape.elements:
        # A single pass over the device cannot run in place.
        copy = new_array(a.code, a.ndim_, a.shape_, device)
        copy_into(copy, a)
        p.input = copy.data_ptr()
    if shape.elements:
        return _sort_blocks(&p, device, shape)
    p.even = p.input == p.output
    return sort_radix(&p, device)


cdef int _sort_halves(ndarray a, ndarray out, ndarray order_in, ndarray order_out,
                      bint descending) except -1:
    """Sort long rows of 16-byte complex numbers: by the low half of the key, then stably by the high half."""
    cdef ndarray half = new_array(U8, a.ndim_, a.shape_, a.device_)
    cdef ndarray order = new_array(I8, a.ndim_, a.shape_, a.device_)
    cdef ndarray copy
    _gather(a, None, half, high=False, descending=descending)
    _sort(half, out=None, order_in=order_in, order_out=order, descending=False)
    if order_out is None:
        order_out = new_array(I8, a.ndim_, a.shape_, a.device_)
    _gather(a, None, half, high=True, descending=descending)
    _sort(half, out=None, order_in=order, order_out=order_out, descending=False)
    if out is None:
        return 0
    if out.data_ptr() == a.data_ptr():
        copy = new_array(a.code, a.ndim_, a.shape_, a.device_)
        copy_into(copy, a)
        a = copy
    return _gather(a, order_out, out)


cdef int _gather(ndarray a, ndarray order, ndarray out, bint high=False, bint descending=False) except -1:
    """Gather elements of ``a`` by ``order``; without one, extract halves of the keys of 16-byte complex elements."""
    cdef GatherRowsParams p
    cdef Device device = a.device_
    cdef int64_t blocks
    check_status(device)
    if out.size_ == 0:
        return 0
    p.input = a.data_ptr()
    p.order = NULL
    if order is not None:
        p.order = <const int64_t*>order.data_ptr()
    p.output = out.data_ptr()
    p.in_length = a.shape_[a.ndim_ - 1]
    p.out_length = out.shape_[out.ndim_ - 1]
    p.rows = out.size_ // p.out_length
    p.itemsize = a.itemsize_
    p.high = high
    p.descending = descending
    blocks = min((out.size_ + LOOP_BLOCK - 1) // LOOP_BLOCK, device.multiprocessors * device.tuning.fill_blocks)
    name = "complex_halves" if order is None else "gather_rows"
    device.launch(device.kernel("sorting_short", name), <unsigned int>blocks, 1, 1, LOOP_BLOCK, 0,
                  &p, sizeof(p))
    return 0


def sort_rows(ndarray a not None, ndarray out=None, bint descending=False):
    """Sort the rows of an array.

    Parameters
    ----------
    a : ndarray
        An array of one or more dimensions.
    out : ndarray, optional
        C-contiguous, of the dtype and shape of ``a``; may be ``a``.
    descending : bool, optional
        Greatest first; NaN is still last, and equal elements keep their order.

    Returns
    -------
    ndarray
        ``out`` if given, otherwise a C-contiguous array.
    """
    if out is None:
        out = new_array(a.code, a.ndim_, a.shape_, a.device_)
    if not a.c_contiguous:
        copy_into(out, a)
        a = out
    _sort(a, out, order_in=None, order_out=None, descending=descending)
    return out


def argsort_rows(ndarray a not None, ndarray order=None, bint descending=False):
    """The stable order of the rows of an array.

    Parameters
    ----------
    a : ndarray
        An array of one or more dimensions.
    order : ndarray of int64, optional
        The order that equal elements keep, of the shape of ``a``.
    descending : bool, optional
        Greatest first.

    Returns
    -------
    ndarray of int64
    """
    cdef ndarray out
    a = _contiguous(a)
    if order is not None:
        order = _contiguous(order)
    out = new_array(I8, a.ndim_, a.shape_, a.device_)
    _sort(a, out=None, order_in=order, order_out=out, descending=descending)
    return out


def sort_rows_with_order(ndarray a not None, bint descending=False):
    """Sort the rows of an array and find their stable order.

    Returns
    -------
    tuple of ndarray
        The sorted rows, and int64 positions in the rows.
    """
    cdef ndarray out, order
    a = _contiguous(a)
    out = new_array(a.code, a.ndim_, a.shape_, a.device_)
    order = new_array(I8, a.ndim_, a.shape_, a.device_)
    _sort(a, out, order_in=None, order_out=order, descending=descending)
    return out, order


def gather_rows(ndarray a not None, ndarray order not None):
    """Gather ``a[..., order[..., i]]`` row by row; positions must be within the rows.

    Parameters
    ----------
    a : ndarray
    order : ndarray of int64
        Positions; must have as many rows as ``a``, of any length.

    Returns
    -------
    ndarray
        The elements, of the shape of ``order`` and the dtype of ``a``.
    """
    cdef ndarray out
    a, order = _contiguous(a), _contiguous(order)
    out = new_array(a.code, order.ndim_, order.shape_, a.device_)
    _gather(a, order, out)
    return out


def sort_pairs(ndarray keys not None, ndarray values not None):
    """Sort rows of keys stably and permute the values, of the same shape, with them.

    Returns
    -------
    tuple of ndarray
        The sorted keys and the permuted values.
    """
    keys, order = sort_rows_with_order(keys)
    return keys, gather_rows(values, order)
