"""cuFFT, loaded at first use: plans and their calls.

A plan is made for a layout: lengths, strides and one batch axis. Its work area is allocated on the device for each
call. The lock of the plan is held from setting the stream to queueing the transform, so that threads may share it.
"""
cimport cython
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset
from cuda.bindings.cydriver cimport CUcontext, CUstream, cuCtxPopCurrent, cuCtxPushCurrent

from gpunp.cuda.driver cimport is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.library cimport Library
from gpunp.cuda.queueing cimport unlocked_call
from gpunp.cuda.stream cimport current_stream
from gpunp.device cimport Buffer, Device

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


# The garbage collector must not clear `device` before __dealloc__, which needs its index.
@cython.no_gc_clear
cdef class LibraryPlan:
    """A cuFFT plan without a work area of its own."""

    def __dealloc__(self):
        cdef CUcontext context
        if self.made and not is_exiting():
            # Deallocation may run while the context of another device is current.
            cuCtxPushCurrent(primary_context(self.device.index))
            unlocked_call(host_calls.existing, _destroy, self.handle)
            cuCtxPopCurrent(&context)

    def __repr__(self):
        return f"<cuFFT plan on {self.device}: {self.text}, work area {self.work_size} bytes>"


cdef str _describe(Layout* layout):
    kind = "R2C" if layout.in_type < 4 else "C2R" if layout.out_type < 4 else "C2C"
    lengths = "x".join(str(layout.n[i]) for i in range(layout.rank))
    precision = "single" if layout.in_type in (DATA_R_32F, DATA_C_32F) else "double"
    return (f"{kind} {lengths} {precision}, batch {layout.batch}, strides {layout.in_stride} "
            f"and {layout.out_stride}")


cdef LibraryPlan make_plan(Device device, Layout* layout):
    cdef LibraryPlan plan = LibraryPlan.__new__(LibraryPlan)
    cdef int status
    cdef bint single
    _load()
    plan.device = device
    _check(_create(&plan.handle), "cufftCreate")
    plan.made = True
    # `queue_plan` allocates the work area per call, so that idle plans hold no memory.
    _check(_set_auto_allocation(plan.handle, 0), "cufftSetAutoAllocation")
    single = layout.in_type == DATA_R_32F or layout.in_type == DATA_C_32F
    # It copies tables to the device, and waits for it.
    status = unlocked_call(
        host_calls.existing, _make_plan, plan.handle, <int>layout.rank, <longlong*>layout.n,
        <longlong*>layout.in_embed, layout.in_stride, layout.in_distance, <int>layout.in_type,
        <longlong*>layout.out_embed, layout.out_stride, layout.out_distance, <int>layout.out_type, layout.batch,
        &plan.work_size, DATA_C_32F if single else DATA_C_64F)
    _check(status, "cufftXtMakePlanMany")
    plan.text = _describe(layout)
    # Equal to no stream and no address, so that the first call sets both.
    plan.stream = <CUstream><uintptr_t>-1
    plan.area = <void*><uintptr_t>-1
    return plan


cdef int _set_up(LibraryPlan plan, CUstream stream, void* area) noexcept:
    """Set the work area and the stream of the next call; returns the status."""
    cdef int status = 0
    if area != NULL and area != plan.area:
        status = _set_work_area(plan.handle, area)
        if status == 0:
            plan.area = area
    if status == 0 and stream != plan.stream:
        status = _set_stream(plan.handle, stream)
        if status == 0:
            plan.stream = stream
    return status


cdef bint _advance(const Calls* calls, int64_t* at, char** source, char** target) noexcept:
    """Go on to the next position of the axes that the plan lacks; False after the last one."""
    cdef int d
    for d in range(calls.ndim - 1, -1, -1):
        at[d] += 1
        source[0] += calls.in_step[d]
        target[0] += calls.out_step[d]
        if at[d] < calls.extent[d]:
            return True
        source[0] -= calls.in_step[d] * calls.extent[d]
        target[0] -= calls.out_step[d] * calls.extent[d]
        at[d] = 0
    return False


cdef int queue_plan(LibraryPlan plan, Calls* calls, char* source, char* target, int direction) except -1:
    plan.device.flush()
    cdef CUstream stream = current_stream(plan.device.index).handle
    cdef Buffer area = None
    cdef int64_t[64] at
    cdef int status
    if plan.work_size:
        # Freed when this function returns; in stream order, it is reused only after the transform.
        area = plan.device.allocate(plan.work_size)
        # A user-supplied allocator may have changed the current context.
        use_context(primary_context(plan.device.index))
    memset(at, 0, sizeof(at))
    with plan.lock:
        status = _set_up(plan, stream, NULL if area is None else area.ptr)
        while status == 0:
            status = unlocked_call(host_calls.existing, _execute, plan.handle, source, target, direction)
            if not _advance(calls, at, &source, &target):
                break
    return _check(status, "cufftXtExec")


def version():
    """Return the version of cuFFT, 12000 for 12.0.0; loads the library."""
    cdef int value = 0
    _load()
    _check(_get_version(&value), "cufftGetVersion")
    return value
