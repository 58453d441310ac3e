"""Fourier transforms through cuFFT, loaded at first use.

A plan is made for a layout: lengths, strides and one batch. Plans are kept by the caches of
`gpunp.fft.config`, one for each thread and device; their work area comes from the device's memory for the
time of a call. From setting the stream to queueing the transform the interpreter lock is held, so that a
plan may be shared by threads.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset
from cuda.bindings.cydriver cimport CUcontext, CUstream, cuCtxPopCurrent, cuCtxPushCurrent

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.cuda.cufft_layout cimport Calls, Layout, batches, embed
from gpunp.cuda.driver cimport is_exiting, primary_context, use_context
from gpunp.cuda.library cimport Library
from gpunp.cuda.stream cimport current_stream
from gpunp.device cimport Buffer, Device, check_status

from gpunp.fft.config import cache_of

# The codes of gpunp/types.h.
cdef enum:
    F4 = 10
    F8 = 11
    C8 = 12
    C16 = 13

# Values of cufft.h and library_types.h.
cdef enum:
    FORWARD = -1
    INVERSE = 1
    DATA_R_32F = 0
    DATA_R_64F = 1
    DATA_C_32F = 4
    DATA_C_64F = 5

cdef enum:
    MAX_RANK = 3
    # Where the usual case ends: such lengths may have kernels of our own.
    LONG = 1 << 20

ctypedef long long longlong
ctypedef int (*CreateFunction)(int* plan) noexcept nogil
ctypedef int (*DestroyFunction)(int plan) noexcept nogil
ctypedef int (*SetAutoAllocationFunction)(int plan, int automatic) noexcept nogil
ctypedef int (*MakePlanFunction)(
    int plan, int rank, longlong* n, longlong* in_embed, longlong in_stride, longlong in_distance, int in_type,
    longlong* out_embed, longlong out_stride, longlong out_distance, int out_type, longlong batch,
    size_t* work_size, int type) noexcept nogil
ctypedef int (*SetWorkAreaFunction)(int plan, void* area) noexcept nogil
ctypedef int (*SetStreamFunction)(int plan, CUstream stream) noexcept nogil
ctypedef int (*ExecuteFunction)(int plan, void* source, void* target, int direction) noexcept nogil
ctypedef int (*VersionFunction)(int* version) noexcept nogil

cdef Library _library = Library("cufft", "cuFFT 12", "Fourier transforms on CUDA need")
cdef bint _loaded = False
cdef CreateFunction _create = NULL
cdef DestroyFunction _destroy = NULL
cdef SetAutoAllocationFunction _set_auto_allocation = NULL
cdef MakePlanFunction _make_plan = NULL
cdef SetWorkAreaFunction _set_work_area = NULL
cdef SetStreamFunction _set_stream = NULL
cdef ExecuteFunction _execute = NULL
cdef VersionFunction _get_version = NULL

cdef dict _STATUS = {
    1: "INVALID_PLAN", 2: "ALLOC_FAILED", 3: "INVALID_TYPE", 4: "INVALID_VALUE", 5: "INTERNAL_ERROR",
    6: "EXEC_FAILED", 7: "SETUP_FAILED", 8: "INVALID_SIZE", 9: "UNALIGNED_DATA", 11: "INVALID_DEVICE",
    13: "NO_WORKSPACE", 14: "NOT_IMPLEMENTED", 16: "NOT_SUPPORTED", 17: "MISSING_DEPENDENCY",
    18: "NVRTC_FAILURE", 19: "NVJITLINK_FAILURE", 20: "NVSHMEM_FAILURE",
}


cdef int _check(int status, str call) except -1:
    if status != 0:
        raise RuntimeError(f"{call} failed: CUFFT_{_STATUS.get(status, 'STATUS')} ({status})")
    return 0


cdef int _load() except -1:
    global _loaded, _create, _destroy, _set_auto_allocation, _make_plan, _set_work_area, _set_stream
    global _execute, _get_version
    if _loaded:
        return 0
    _create = <CreateFunction>_library.function("cufftCreate")
    _destroy = <DestroyFunction>_library.function("cufftDestroy")
    _set_auto_allocation = <SetAutoAllocationFunction>_library.function("cufftSetAutoAllocation")
    _make_plan = <MakePlanFunction>_library.function("cufftXtMakePlanMany")
    _set_work_area = <SetWorkAreaFunction>_library.function("cufftSetWorkArea")
    _set_stream = <SetStreamFunction>_library.function("cufftSetStream")
    _execute = <ExecuteFunction>_library.function("cufftXtExec")
    _get_version = <VersionFunction>_library.function("cufftGetVersion")
    _loaded = True
    return 0


cdef class LibraryPlan:
    """A plan of cuFFT; it has no work area of its own."""

    cdef int handle
    cdef bint made
    cdef Device device
    cdef readonly size_t work_size
    # What the plan was told last.
    cdef CUstream stream
    cdef void* area
    cdef readonly str text

    def __dealloc__(self):
        cdef CUcontext context
        if self.made and not is_exiting():
            # Plans may go in the middle of a call for another device.
            cuCtxPushCurrent(primary_context(self.device.index))
            _destroy(self.handle)
            cuCtxPopCurrent(&context)

    def __repr__(self):
        return f"<cuFFT plan on {self.device}: {self.text}, work area {self.work_size} bytes>"


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


cdef str _describe(Layout* layout):
    kind = "R2C" if layout.in_type < 4 else "C2R" if layout.out_type < 4 else "C2C"
    lengths = "x".join(str(layout.n[i]) for i in range(layout.rank))
    precision = "single" if layout.in_type in (DATA_R_32F, DATA_C_32F) else "double"
    return (f"{kind} {lengths} {precision}, batch {layout.batch}, strides {layout.in_stride} "
            f"and {layout.out_stride}")


cdef LibraryPlan _make(Device device, Layout* layout):
    """A new plan; the context is current."""
    cdef LibraryPlan plan = LibraryPlan.__new__(LibraryPlan)
    _load()
    plan.device = device
    _check(_create(&plan.handle), "cufftCreate")
    plan.made = True
    # The work area is ours for each call: plans do not hold memory that others could use.
    _check(_set_auto_allocation(plan.handle, 0), "cufftSetAutoAllocation")
    _check(_make_plan(plan.handle, <int>layout.rank, <longlong*>layout.n, <longlong*>layout.in_embed,
                      layout.in_stride, layout.in_distance, <int>layout.in_type, <longlong*>layout.out_embed,
                      layout.out_stride, layout.out_distance, <int>layout.out_type, layout.batch,
                      &plan.work_size,
                      DATA_C_32F if layout.in_type in (DATA_R_32F, DATA_C_32F) else DATA_C_64F),
           "cufftXtMakePlanMany")
    plan.text = _describe(layout)
    # Unlike any stream and any address, so that the first call sets both.
    plan.stream = <CUstream><uintptr_t>-1
    plan.area = <void*><uintptr_t>-1
    return plan


cdef LibraryPlan _find(Device device, Layout* layout):
    """The plan of a layout, from this thread's cache or new."""
    cdef bytes key = PyBytes_FromStringAndSize(<char*>layout, sizeof(Layout))
    cache = cache_of(device.index, device)
    plan = cache.find(key)
    if plan is None:
        plan = _make(device, layout)
        cache.add(key, plan)
    return <LibraryPlan>plan


cdef int _queue(LibraryPlan plan, Calls* calls, char* source, char* target, int direction) except -1:
    """Run a plan for every call, in the order of the device's current stream."""
    cdef CUstream stream = current_stream(plan.device.index).handle
    cdef Buffer area = None
    cdef int64_t[64] at
    cdef int d
    if plan.work_size:
        # It goes back to the pool when this function returns, and to its next owner in stream order.
        area = plan.device.allocate(plan.work_size)
        # An allocator of the user may have changed it.
        use_context(primary_context(plan.device.index))
    # Allocating may let other threads run, which may have the same plan: all is set from here on.
    if area is not None and area.ptr != plan.area:
        _check(_set_work_area(plan.handle, area.ptr), "cufftSetWorkArea")
        plan.area = area.ptr
    if stream != plan.stream:
        _check(_set_stream(plan.handle, stream), "cufftSetStream")
        plan.stream = stream
    for d in range(calls.ndim):
        at[d] = 0
    while True:
        _check(_execute(plan.handle, source, target, direction), "cufftXtExec")
        d = calls.ndim - 1
        while d >= 0:
            at[d] += 1
            source += calls.in_step[d]
            target += calls.out_step[d]
            if at[d] < calls.extent[d]:
                break
            source -= calls.in_step[d] * calls.extent[d]
            target -= calls.out_step[d] * calls.extent[d]
            at[d] = 0
            d -= 1
        if d < 0:
            return 0


def transform(ndarray x not None, ndarray y not None, axes, bint forward):
    """Transform ``x`` along up to three axes into ``y``, if the strides of both fit; else return False.

    The dtypes say which transform: complex to complex, real to complex or complex to real, where the last
    of ``axes`` is the halved one. All lengths are right. A real ``y`` costs the values of ``x``.
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
        # The axes commute: the outer ones go by their strides.
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
    _queue(plan, &calls, source, target, FORWARD if forward else INVERSE)
    return True


def last_axis(ndarray x not None, bint real, bint forward):
    """The transform along the last axis of a dense array, for the usual case; else None.

    Complex to complex, or real to complex where ``real`` is set; unscaled.
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
    _queue(plan, &calls, x.data_ptr(), y.data_ptr(), FORWARD if forward else INVERSE)
    return y


def version():
    """The version of cuFFT, 12000 for 12.0.0; loads it."""
    cdef int value = 0
    _load()
    _check(_get_version(&value), "cufftGetVersion")
    return value
