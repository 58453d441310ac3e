"""Fourier transforms of arrays through cuFFT.

Plans are kept by the caches of `gpunp.fft.config`, one per thread and device.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.cuda.cufft cimport (
    DATA_C_32F, DATA_C_64F, DATA_R_32F, DATA_R_64F, FORWARD, INVERSE, Calls, Layout, LibraryPlan, make_plan,
    queue_plan)
from gpunp.cuda.driver cimport primary_context, use_context
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C16, C8, F4, F8
from gpunp.fft.plan_layout cimport batches, embed

from gpunp.fft.config import cache_of

cdef enum:
    MAX_RANK = 3
    # Complex lengths from here on are no longer the usual case: our own kernels may be faster.
    LONG = 1 << 20


cdef int _data_type(int code) except -1:
    if code == F4:
        return DATA_R_32F
    if code == F8:
        return DATA_R_64F
    if code == C8:
        return DATA_C_32F
    if code == C16:
        return DATA_C_64F
    raise TypeError(f"cuFFT: dtype code {code} is not single or double precision")


cdef LibraryPlan _find(Device device, Layout* layout):
    """The plan of a layout, from this thread's cache or newly made."""
    cdef bytes key = PyBytes_FromStringAndSize(<char*>layout, sizeof(Layout))
    cache = cache_of(device.index, device)
    plan = cache.find(key)
    if plan is None:
        plan = make_plan(device, layout)
        cache.add(key, plan)
    return <LibraryPlan>plan


def transform(ndarray x not None, ndarray y not None, axes, bint forward):
    """Transform ``x`` along up to three axes into ``y``, if the strides of both fit; else return False.

    The dtypes determine the transform: complex to complex, real to complex or complex to real, where the last
    of ``axes`` is the halved one. The shapes must match. With a real ``y`` the values of ``x`` are overwritten.
    """
    cdef Layout layout
    cdef Calls calls
    cdef int[3] order
    cdef int i, k, axis, rank = len(axes)
    cdef bint special
    cdef char* source = x.data_ptr()
    cdef char* target = y.data_ptr()
    check_status(x.device_)
    memset(&layout, 0, sizeof(Layout))
    layout.in_type = _data_type(x.code)
    layout.out_type = _data_type(y.code)
    special = layout.in_type != layout.out_type
    if rank < 1 or rank > MAX_RANK:
        raise ValueError(f"cuFFT transforms one to three axes, not {rank}")
    for i in range(rank):
        # The axes commute: sort them by descending stride; the halved axis stays last.
        axis = axes[i]
        k = i
        if not (special and i == rank - 1):
            while k > 0 and x.strides_[order[k - 1]] < x.strides_[axis]:
                order[k] = order[k - 1]
                k -= 1
        order[k] = axis
    if <size_t>source % max(x.itemsize_, y.itemsize_) or <size_t>target % max(x.itemsize_, y.itemsize_):
        return False
    layout.rank = rank
    if not (embed(x, rank, order, layout.in_embed, &layout.in_stride)
            and embed(y, rank, order, layout.out_embed, &layout.out_stride)
            and batches(x, y, rank, order, &layout, &calls)):
        return False
    for i in range(rank):
        layout.n[i] = max(x.shape_[order[i]], y.shape_[order[i]])
    if layout.out_type < 4:
        layout.n[rank - 1] = y.shape_[order[rank - 1]]
    elif layout.in_type < 4:
        layout.n[rank - 1] = x.shape_[order[rank - 1]]
    use_context(primary_context(x.device_.index))
    plan = _find(x.device_, &layout)
    queue_plan(plan, &calls, source, target, FORWARD if forward else INVERSE)
    return True


def last_axis(ndarray x not None, bint real, bint forward):
    """The unscaled transform along the last axis of a C-contiguous array, or None if it is not the usual case.

    Complex to complex, or real to complex if ``real`` is set.
    """
    cdef Layout layout
    cdef Calls calls
    cdef int64_t n, out_n
    cdef Py_ssize_t[6] shape
    cdef int d, code, ndim = x.ndim_
    if x.device_.is_cpu or not x.c_contiguous or ndim == 0 or ndim > 6 or x.size_ == 0:
        return None
    n = out_n = x.shape_[ndim - 1]
    if n < 2:
        return None
    code = x.code
    if real:
        if (code != F4 and code != F8) or <size_t>x.data_ptr() % (2 * x.itemsize_):
            return None
        code += C8 - F4
        out_n = n // 2 + 1
    elif (code != C8 and code != C16) or n >= LONG:
        return None
    check_status(x.device_)
    for d in range(ndim - 1):
        shape[d] = x.shape_[d]
    shape[ndim - 1] = out_n
    memset(&layout, 0, sizeof(Layout))
    layout.rank = 1
    layout.in_type = _data_type(x.code)
    layout.out_type = _data_type(code)
    layout.batch = x.size_ // n
    layout.n[0] = n
    layout.in_embed[0] = n
    layout.out_embed[0] = out_n
    layout.in_stride = layout.out_stride = 1
    layout.in_distance = n if layout.batch > 1 else 1
    layout.out_distance = out_n if layout.batch > 1 else 1
    calls.ndim = 0
    use_context(primary_context(x.device_.index))
    plan = _find(x.device_, &layout)
    y = new_array(code, ndim, shape, x.device_)
    queue_plan(plan, &calls, x.data_ptr(), y.data_ptr(), FORWARD if forward else INVERSE)
    return y
