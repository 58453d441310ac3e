"""Captures of graphs: memory, host copies and status words that belong to what a stream records.

A stream that is being captured has a `Capture`. Memory that is allocated for the stream comes from a `CapturePool`, so
that a later launch of the graph finds it unused by others. Memory that is freed meanwhile is kept by the capture, as
the graph may use it. Host memory that is uploaded is copied, as the graph will read it later.
"""
import operator

cimport cython
from libc.stdint cimport uint32_t, uintptr_t
from libc.string cimport memcpy
from cuda.bindings.cydriver cimport (
    CUcontext, CUdeviceptr, CUevent, CUgraph, CUresult, CUstream, CUstreamCaptureMode, CUstreamCaptureStatus,
    cuCtxPopCurrent, cuCtxPushCurrent, cuEventCreate, cuEventDestroy, cuEventRecord, cuGraphDestroy, cuMemcpyHtoDAsync,
    cuMemFreeHost, cuMemHostAlloc, cuStreamBeginCapture, cuStreamEndCapture, cuStreamIsCapturing, cuStreamSynchronize,
    cuStreamWaitEvent)

from gpunp.cuda cimport pool as pools
from gpunp.cuda.driver cimport check, is_exiting, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.pool cimport CudaBuffer, Pool, capacity_of, pool_hooks
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.reports cimport GraphWords
from gpunp.cuda.stream cimport Stream, current_stream, is_per_thread, stream_hooks
from gpunp.device cimport BY_STREAM, Buffer, Device, flush_because

from gpunp.cuda.stream import Stream as make_stream
from gpunp.device import preparations
from gpunp.watching import expect_graphs

cdef enum:
    SLAB = 1 << 16          # the least page-locked memory that is allocated at once for uploads
    NO_TIMING = 2           # CU_EVENT_DISABLE_TIMING

# The captures that are going on.
cdef list _active = []


cdef class Following:
    """The streams on which a graph was launched."""

    def __cinit__(self):
        self.streams, self.outer = [], []

    cdef list everywhere(self):
        """The streams, and those on which graphs that contain the graph were launched."""
        cdef Following other
        found = list(self.streams)
        for other in self.outer:
            found += other.everywhere()
        return found

    cdef int add(self, Stream stream) except -1:
        if stream is not self.last:
            self.last = stream
            if stream not in self.streams:
                self.streams.append(stream)
        return 0

    cdef int let_wait(self, Stream stream) noexcept:
        """Let a stream wait for what is queued on the others; for memory that it will free."""
        cdef CUcontext context = NULL
        cdef CUevent event = NULL
        cdef Stream other
        cuCtxPushCurrent(stream.context)
        for other in self.everywhere():
            if (other.capture is None and other.handle != stream.handle
                    and unlocked(host_calls.existing, cuEventCreate, &event, NO_TIMING) == 0):
                # The default stream of another thread has no handle here; the legacy stream waits for it.
                unlocked(host_calls.existing, cuEventRecord, event,
                         <CUstream>NULL if is_per_thread(other) else other.handle)
                unlocked(host_calls.existing, cuStreamWaitEvent, stream.handle, event, 0)
                unlocked(host_calls.existing, cuEventDestroy, event)
        cuCtxPopCurrent(&context)
        return 0


@cython.no_gc_clear
cdef class CapturePool(Pool):
    """Memory of a graph, which is given back once neither the graph nor an array needs it."""

    def __init__(self, Pool origin not None, Following following not None):
        # The base class would create a pool of the driver.
        self.origin = origin
        self.device_index, self.context = origin.device_index, origin.context
        self.helper = make_stream(non_blocking=True, device=origin.device_index)
        self.blocks, self.spare = [], {}
        self.following = following
        self.active = self.of_graph = True

    def __dealloc__(self):
        if is_exiting() or self.helper is None:
            return
        # What this thread has queued may use results of the graph.
        self.following.add(current_stream(self.device_index))
        self.following.let_wait(self.helper)
        for address, capacity in self.blocks:
            self.origin.used -= <size_t>capacity
            self.origin.release(<void*><uintptr_t>address, capacity, self.helper, 0)

    cdef Buffer allocate(self, Device device, size_t nbytes):
        cdef CudaBuffer buffer = CudaBuffer.__new__(CudaBuffer)
        cdef Stream stream = current_stream(self.device_index)
        cdef CUresult result
        cdef list spare
        buffer.device, buffer.nbytes, buffer.stream = device, nbytes, stream
        if nbytes == 0:
            return buffer
        buffer.capacity = capacity_of(nbytes)
        if buffer.capacity < nbytes:
            raise self.origin.out_of_memory(nbytes)
        spare = self.spare.get((buffer.capacity, stream))
        if spare:
            buffer.ptr = <void*><uintptr_t>spare.pop()
        else:
            buffer.ptr = self.origin.request(buffer.capacity, nbytes, self.helper)
            self.blocks.append((<uintptr_t>buffer.ptr, buffer.capacity))
            self.origin.used += buffer.capacity
            self.origin.peak = max(self.origin.peak, self.origin.used)
            self.origin.total_count += 1
            with nogil:
                # So that any stream may use it.
                result = cuStreamSynchronize(self.helper.handle)
            check(result, "cuStreamSynchronize")
        buffer.pool = self
        return buffer

    cdef void give_back(self, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept:
        cdef Capture capture
        if self.active:
            # In stream order, later calls of the same capture may write it.
            self.spare.setdefault((capacity, stream), []).append(<uintptr_t>pointer)
        elif pools.captures and not is_exiting():
            for capture in _active:
                if capture.stream.device_index == self.device_index:
                    capture.kept.append(self)


@cython.no_gc_clear
cdef class _Block:
    """A block that was freed while a graph was being captured."""

    cdef Pool pool
    cdef void* pointer
    cdef size_t capacity, thread
    cdef Stream stream
    cdef Following following

    def __dealloc__(self):
        if not is_exiting():
            if self.following is not None:
                self.following.let_wait(self.stream)
            self.pool.give_back(self.pointer, self.capacity, self.stream, self.thread)


cdef bint _keep_block(Pool pool, void* pointer, size_t capacity, Stream stream, size_t thread) noexcept:
    cdef Capture capture
    cdef _Block block = None
    if is_exiting():
        return False
    for capture in _active:
        if capture.stream.device_index != pool.device_index:
            continue
        if block is None:
            block = _Block.__new__(_Block)
            block.pool, block.pointer, block.capacity = pool, pointer, capacity
            block.stream, block.thread = stream, thread
            block.following = capture.following
        capture.kept.append(block)
    return block is not None


cdef void _keep_owner(int device_index, object owner) noexcept:
    cdef Capture capture
    for capture in _active:
        if capture.stream.device_index == device_index:
            capture.kept.append(owner)


cdef Buffer _allocate(object capture, Pool origin, Device device, size_t nbytes):
    cdef Capture found = capture
    cdef CapturePool own = found.pools.get(id(origin))
    if own is None:
        own = CapturePool(origin, found.following)
        found.pools[id(origin)] = own
    return own.allocate(device, nbytes)


pool_hooks.allocate = _allocate
pool_hooks.keep_block = _keep_block
pool_hooks.keep_owner = _keep_owner


cdef int _upload(Stream stream, void* target, const void* source, size_t nbytes) except -1:
    """Queue a copy of host memory as it is now."""
    cdef void* copy
    use_context(stream.context)
    copy = (<Capture>stream.capture).host_room(nbytes)
    memcpy(copy, source, nbytes)
    return check(unlocked(host_calls.existing, cuMemcpyHtoDAsync, <CUdeviceptr>target, copy, nbytes, stream.handle),
                 "cuMemcpyHtoDAsync")


cdef uint32_t* _word(Stream stream, str call) except NULL:
    return (<Capture>stream.capture).words.take(call)


stream_hooks.upload = _upload
stream_hooks.word = _word


@cython.no_gc_clear
cdef class Capture:
    """What the graph that a stream records needs: memory of devices and of the host, and places for errors."""

    def __init__(self, Stream stream not None):
        self.stream = stream
        self.streams, self.kept, self.calls, self.slabs, self.pools = [stream], [], [], [], {}
        self.following = Following()
        self.words = GraphWords(stream.device_index)

    def __dealloc__(self):
        cdef CUcontext context = NULL
        cdef uintptr_t place
        if is_exiting() or not self.slabs:
            return
        # Copies of running launches read them; the driver waits for those before it frees the memory. Functions of the
        # host, which may be among them, need the interpreter's lock.
        cuCtxPushCurrent(self.stream.context)
        for address, _ in self.slabs:
            place = address
            with nogil:
                cuMemFreeHost(<void*>place)
        cuCtxPopCurrent(&context)

    def join(self, Stream stream not None):
        """Have another stream record for the same graph; called before it waits for an event of the capture."""
        if stream.device_index != self.stream.device_index:
            raise RuntimeError(f"Stream.wait_event: {stream} is on another device than {self.stream}, which is being "
                               "captured, and a graph of gpunp runs on one device; capture a graph on each device")
        stream.capture = self
        self.streams.append(stream)

    def keep(self, owner):
        """Keep an object alive as long as the graph."""
        self.kept.append(owner)

    def keep_call(self, call):
        """Keep a call of a function of the host as long as the graph, and until its launches have run."""
        self.calls.append(call)

    cdef int leave(self) except -1:
        """End the recording of all streams."""
        cdef Stream stream
        cdef CapturePool own
        self.active = False
        _active.remove(self)
        pools.captures -= 1
        for stream in self.streams:
            stream.capture = None
        for own in self.pools.values():
            own.active = False
            own.spare.clear()
        return 0

    cdef void* host_room(self, size_t nbytes) except NULL:
        """Page-locked memory for a copy of what is uploaded."""
        cdef void* memory = NULL
        cdef size_t size
        if not self.slabs or self.slab_used + nbytes > <size_t>self.slabs[len(self.slabs) - 1][1]:
            size = max(<size_t>SLAB, nbytes)
            check(unlocked(host_calls.existing, cuMemHostAlloc, &memory, size, 1), "cuMemHostAlloc")
            self.slabs.append((<uintptr_t>memory, size))
            self.slab_used = 0
        memory = <char*><uintptr_t>self.slabs[len(self.slabs) - 1][0] + self.slab_used
        self.slab_used += (nbytes + 63) & ~<size_t>63
        return memory


def begin_capture(Stream stream not None, mode=None):
    """Begin what `Stream.begin_capture` promises, and return the Capture."""
    cdef CUstreamCaptureMode how = <CUstreamCaptureMode><int>(2 if mode is None else operator.index(mode))
    cdef Capture capture
    if not 0 <= <int>how <= 2:
        raise ValueError(f"begin_capture: mode is 0 (global), 1 (of the thread) or 2 (relaxed), not {mode}")
    if <uintptr_t>stream.handle < 2:
        raise RuntimeError("begin_capture: the legacy default stream cannot be captured; choose another one with "
                           "'with gpunp.cuda.Stream(non_blocking=True) as stream'")
    if stream.capture is not None:
        raise RuntimeError(f"begin_capture: {stream} is being captured already; call end_capture first")
    # What was called before does not belong to the graph.
    flush_because(<Device>stream.device, BY_STREAM)
    for prepare in preparations:
        prepare(stream.device)
    expect_graphs()
    capture = Capture(stream)
    use_context(stream.context)
    check(cuStreamBeginCapture(stream.handle, how), "cuStreamBeginCapture")
    capture.active = True
    stream.capture = capture
    _active.append(capture)
    pools.captures += 1
    return capture


cdef Capture _capture_of(Stream stream, str call):
    cdef Capture capture = stream.capture
    if capture is None:
        raise RuntimeError(f"{call}: {stream} is not being captured; call begin_capture first")
    if capture.stream is not stream:
        raise RuntimeError(f"{call}: the capture began on {capture.stream}, and {stream} joined it; end it there")
    return capture


cdef CUgraph finish_capture(Stream stream) except NULL:
    cdef Capture capture = _capture_of(stream, "end_capture")
    cdef CUgraph handle = NULL
    cdef CUresult result
    try:
        flush_because(<Device>stream.device, BY_STREAM)
    except BaseException:
        abandon_capture(stream)
        raise
    capture.leave()
    use_context(stream.context)
    result = cuStreamEndCapture(stream.handle, &handle)
    if result != 0:
        if handle != NULL:
            cuGraphDestroy(handle)
        _end_failed(result, stream)
    return handle


cdef int _end_failed(CUresult result, Stream stream) except -1:
    hint = {
        CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: "a call that cannot be part of a graph was made meanwhile, "
        "such as one that waits for the device",
        CUresult.CUDA_ERROR_STREAM_CAPTURE_UNJOINED: "another stream joined the capture with wait_event; let this one "
        "wait for it before the end",
        CUresult.CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: "another thread began it, which only the relaxed mode allows",
    }.get(result, "the driver refuses it")
    try:
        check(result, "cuStreamEndCapture")
    except RuntimeError as error:
        raise RuntimeError(f"end_capture: there is no graph of {stream}, because {hint}") from error
    return 0


def abandon_capture(Stream stream not None):
    """End a capture without a graph; raises nothing that the driver says about the capture."""
    cdef Capture capture = _capture_of(stream, "abandon_capture")
    cdef CUgraph handle = NULL
    try:
        flush_because(<Device>stream.device, BY_STREAM)
    finally:
        capture.leave()
        use_context(stream.context)
        cuStreamEndCapture(stream.handle, &handle)
        if handle != NULL:
            cuGraphDestroy(handle)


def is_capturing(Stream stream not None):
    """Whether the driver records what is queued on a stream."""
    cdef CUstreamCaptureStatus status = CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
    if stream.capture is not None:
        return True
    if <uintptr_t>stream.handle < 2:
        # They cannot be captured, and asking for their state would break captures of other streams.
        return False
    use_context(stream.context)
    check(cuStreamIsCapturing(stream.handle, &status), "cuStreamIsCapturing")
    return status != CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
