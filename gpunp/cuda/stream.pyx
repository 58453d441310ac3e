"""Streams, and the current stream of each thread."""
import threading

from cpython.ref cimport PyObject
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free
from cuda.bindings.cydriver cimport (
    CUresult, CUstream, cuCtxPopCurrent, cuCtxPushCurrent, cuEventRecord,
    cuStreamCreateWithPriority, cuStreamDestroy, cuStreamGetDevice, cuStreamQuery, cuStreamSynchronize,
    cuStreamWaitEvent)

from gpunp.cuda.driver cimport (
    MAX_DEVICES, check, index_of, is_exiting, primary_context, refuse_wait, use_context, waits_forbidden)
from gpunp.cuda.event cimport Event, host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.device cimport BY_EVENT, BY_STREAM, BY_WAIT, Device, check_status, flush_because

from gpunp.cuda.event import install_as_stream
from gpunp.device import get_device
from gpunp.watching import expect_graphs

cdef extern from *:
    """
    // The chosen stream of this thread on each device, or null; _ThreadStreams owns the references.
    static thread_local PyObject* gpunp_thread_streams[64];
    """
    PyObject* gpunp_thread_streams[MAX_DEVICES]
    Py_ssize_t Py_REFCNT(PyObject* value) noexcept


# CU_STREAM_PER_THREAD; the legacy default stream is 0 or CU_STREAM_LEGACY, 1.
cdef CUstream PER_THREAD = <CUstream><uintptr_t>2

cdef list _devices = [None] * MAX_DEVICES
cdef list _legacy = [None] * MAX_DEVICES
cdef PyObject* _legacy_pointers[MAX_DEVICES]
cdef object _local = threading.local()
# The addresses of all living streams; two objects may wrap one CUstream.
cdef set _all = set()


cdef class _ThreadStreams:
    """The streams a thread chose; deallocated with the thread, before its C thread-locals are reused."""

    cdef list chosen
    cdef list stack

    def __cinit__(self):
        self.chosen = [None] * MAX_DEVICES
        self.stack = []

    def __dealloc__(self):
        cdef int i
        for i in range(MAX_DEVICES):
            gpunp_thread_streams[i] = NULL


cdef _ThreadStreams _thread_streams():
    cdef _ThreadStreams streams = getattr(_local, "streams", None)
    if streams is None:
        streams = _local.streams = _ThreadStreams()
    return streams


cdef void _choose(_ThreadStreams streams, Stream stream) noexcept:
    streams.chosen[stream.device_index] = stream
    gpunp_thread_streams[stream.device_index] = <PyObject*>stream


cdef Stream _make(int index, CUstream handle, bint owned, object owner, type kind=Stream):
    cdef Stream stream = kind.__new__(kind)
    stream.context = primary_context(index)
    stream.device_index = index
    stream.handle = handle
    stream.owned = owned
    stream.owner = owner
    return stream


cdef Device device_at(int index):
    """The device with this number; its name is put together only once."""
    if _devices[index] is None:
        _devices[index] = get_device(f"cuda:{index}")
    return <Device>_devices[index]


cdef Stream current_stream(int device_index):
    cdef PyObject* found = gpunp_thread_streams[device_index]
    if found != NULL:
        return <Stream>found
    found = _legacy_pointers[device_index]
    if found != NULL:
        return <Stream>found
    return _legacy_stream(device_index)


cdef object exchange_stream(int device_index, object stream):
    cdef PyObject* found = gpunp_thread_streams[device_index]
    before = None if found == NULL else <Stream>found
    gpunp_thread_streams[device_index] = <PyObject*>NULL if stream is None else <PyObject*>stream
    return before


cdef bint is_per_thread(Stream stream) noexcept:
    return stream.handle == PER_THREAD


cdef Stream _legacy_stream(int index):
    primary_context(index)
    made = None
    if _legacy[index] is None:
        made = _make(index, NULL, owned=False, owner=None)
    # Creating it ran Python code, during which another thread may have set it.
    if _legacy[index] is None:
        _legacy[index] = made
        _legacy_pointers[index] = <PyObject*>made
    return _legacy[index]


cdef list streams_of(int device_index):
    cdef Stream stream
    cdef list found = []
    for address in tuple(_all):
        # A collection of garbage may free streams meanwhile.
        if address in _all and Py_REFCNT(<PyObject*><size_t>address) > 0:
            stream = <Stream><PyObject*><size_t>address
            if stream.context != NULL and stream.device_index == device_index:
                found.append(stream)
    return found


def get_current_stream(device=None):
    """Return the stream that this thread's calls use on a device.

    Parameters
    ----------
    device : Device or int, optional
        The current device by default.

    Returns
    -------
    Stream
    """
    return current_stream(index_of(device))


def as_stream(value, device=None):
    """A Stream from a Stream, an object with ``__cuda_stream__``, or None (the current stream)."""
    if value is None:
        return get_current_stream(device)
    if isinstance(value, Stream):
        return value
    return ExternalStream(value, device=device)


install_as_stream(as_stream)


cdef int refuse_capture(Stream stream, str call, str what) except -1:
    raise RuntimeError(f"{call}: this cannot be part of a graph, because it {what}; {stream} is being captured. Do it "
                       "before the capture, or after a launch of the graph")


cdef class Stream(StreamMethods):
    """A queue of work on a CUDA device; queued work runs in order.

    Parameters
    ----------
    null : bool, default False
        Whether this is the legacy default stream.
    non_blocking : bool, default False
        Whether the stream runs beside the legacy default stream; otherwise each waits for the other.
    ptds : bool, default False
        Whether this is the per-thread default stream.
    priority : int, optional
        Lower numbers run first, 0 is the default; the driver clamps numbers out of range (see ``priority_range``).
    device : Device or int, optional
        The current device by default.

    Notes
    -----
    ``with stream:`` and ``stream.use()`` choose it for the calling thread, on its own device. Memory is
    tied to the stream it was allocated on: synchronize, or let one stream wait for the other, before
    another stream uses an array that is still being written. ``Stream.null`` is the legacy default stream of
    the current device, ``Stream.ptds`` the per-thread one.
    """

    def __cinit__(self):
        _all.add(<size_t><void*>self)

    def __init__(self, bint null=False, bint non_blocking=False, bint ptds=False, priority=None, *, device=None):
        cdef int index = index_of(device), rank
        if null and ptds:
            raise ValueError("Stream: null and ptds name different default streams; give one of them")
        if (null or ptds) and (non_blocking or priority is not None):
            raise ValueError("Stream: a default stream has no non_blocking and no priority; leave them out")
        self.context = primary_context(index)
        self.device_index = index
        if null or ptds:
            self.handle = PER_THREAD if ptds else NULL
        else:
            use_context(self.context)
            rank = priority or 0
            check(unlocked(host_calls.existing, cuStreamCreateWithPriority, &self.handle, non_blocking, rank),
                  "cuStreamCreateWithPriority")
            self.owned = True

    def __dealloc__(self):
        cdef int i
        if not is_exiting():
            # What follows may let other threads run, which must not find the stream any more.
            _all.discard(<size_t><void*>self)
            if self.cached_bytes and stream_hooks.drop_blocks != NULL:
                stream_hooks.drop_blocks(self)
            if self.owned:
                # Queued work still finishes; the driver frees the stream after it.
                cuCtxPushCurrent(self.context)
                unlocked(host_calls.existing, cuStreamDestroy, self.handle)
                cuCtxPopCurrent(&self.context)
        for i in range(NUM_BINS):
            free(self.bins[i].items)

    @staticmethod
    def legacy_default(device=None):
        """The legacy default stream, current until another is chosen.

        Parameters
        ----------
        device : Device or int, optional
            A CUDA device; by default the current one.
        """
        return _legacy_stream(index_of(device))

    @staticmethod
    def per_thread_default(device=None):
        """The per-thread default stream: a different queue in every thread.

        Parameters
        ----------
        device : Device or int, optional
            A CUDA device; by default the current one.
        """
        return _make(index_of(device), PER_THREAD, owned=False, owner=None)

    @property
    def ptr(self):
        """The CUstream handle, an integer."""
        expect_graphs()
        return <uintptr_t>self.handle

    @property
    def device(self):
        """The device that the stream is on."""
        return device_at(self.device_index)

    @property
    def done(self):
        """Whether everything queued so far has run; does not wait."""
        if self.capture is not None:
            refuse_capture(self, "Stream.done", "asks the device")
        use_context(self.context)
        cdef CUresult result = unlocked(host_calls.existing, cuStreamQuery, self.handle)
        if result == CUresult.CUDA_ERROR_NOT_READY:
            return False
        check(result, "cuStreamQuery")
        return True

    def __cuda_stream__(self):
        """The protocol by which libraries exchange streams."""
        expect_graphs()
        return 0, <uintptr_t>self.handle

    def use(self):
        """Make this the calling thread's current stream on its device, and return it."""
        # Deferred calls start now, on the stream they were made for, so that waiting for it includes them.
        flush_because(device_at(self.device_index), BY_STREAM)
        _choose(_thread_streams(), self)
        return self

    def __enter__(self):
        cdef _ThreadStreams mine = _thread_streams()
        before = mine.chosen[self.device_index]
        flush_because(device_at(self.device_index), BY_STREAM)
        mine.stack.append((self.device_index, before))
        _choose(mine, self)
        return self

    def __exit__(self, *exc):
        cdef _ThreadStreams mine = _thread_streams()
        cdef Stream before
        cdef int index
        index, before = mine.stack.pop()
        gpunp_thread_streams[index] = <PyObject*>NULL if before is None else <PyObject*>before
        mine.chosen[index] = before
        flush_because(device_at(self.device_index), BY_STREAM)

    def synchronize(self):
        """Wait until everything queued on the stream has run, and raise errors that this thread's kernels reported."""
        cdef CUresult result
        cdef Device device = device_at(self.device_index)
        if self.capture is not None:
            refuse_capture(self, "Stream.synchronize", "waits for the device")
        if waits_forbidden:
            refuse_wait("Stream.synchronize")
        flush_because(device, BY_WAIT)
        use_context(self.context)
        with nogil:
            host_calls.waiting = 1
            result = cuStreamSynchronize(self.handle)
        host_calls.waiting = 0
        check(result, "cuStreamSynchronize")
        check_status(device)

    def record(self, Event event=None):
        """Record an event (a new one by default) after the work queued so far, and return it.

        Parameters
        ----------
        event : Event, optional
            On the same device.

        Returns
        -------
        Event
        """
        if event is None:
            event = Event(timing=False, device=self.device_index)
        elif event.device_index != self.device_index:
            raise ValueError(f"Stream.record: the event is on cuda:{event.device_index} and the stream on cuda:"
                             f"{self.device_index}; make the event with device={self.device_index}")
        flush_because(device_at(self.device_index), BY_EVENT)
        use_context(self.context)
        check(unlocked(host_calls.existing, cuEventRecord, event.handle, self.handle), "cuEventRecord")
        event.capture = self.capture
        return event

    def wait_event(self, Event event not None):
        """Let work queued from now on wait for an event, without blocking the host.

        Parameters
        ----------
        event : Event
            It may be on another device.
        """
        flush_because(device_at(self.device_index), BY_EVENT)
        if event.capture is not self.capture:
            self.capture_of(event)
        use_context(self.context)
        check(unlocked(host_calls.existing, cuStreamWaitEvent, self.handle, event.handle, 0), "cuStreamWaitEvent")

    cdef int capture_of(self, Event event) except -1:
        """Join the capture that an event was recorded in, or leave the stream as it is; raise where both exclude it."""
        if event.capture is not None and event.capture.active:
            if self.capture is None:
                event.capture.join(self)
            elif event.capture is not self.capture:
                raise RuntimeError("Stream.wait_event: the stream and the event belong to different captures; end one "
                                   "before")
        elif self.capture is not None:
            raise RuntimeError(
                f"Stream.wait_event: the event was recorded outside of the capture of {self}, where a graph cannot "
                "wait for it; let the stream that launches the graph wait")
        return 0

    def wait_stream(self, other):
        """Let work queued from now on wait for what another stream has queued so far.

        Parameters
        ----------
        other : Stream
            It may be on another device.
        """
        self.wait_event((<Stream?>as_stream(other, self.device_index)).record())

    def __eq__(self, other):
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.handle == (<Stream>other).handle
                and self.device_index == (<Stream>other).device_index)

    def __hash__(self):
        return hash((self.device_index, <uintptr_t>self.handle))

    def __repr__(self):
        name = {0: "legacy default", 1: "legacy default", 2: "per-thread default"}.get(
            <uintptr_t>self.handle, f"{<uintptr_t>self.handle:#x}")
        return f"<{type(self).__name__} {name} on cuda:{self.device_index}>"


cdef class ExternalStream(Stream):
    """A stream that another library created.

    Parameters
    ----------
    stream : int or object with ``__cuda_stream__``
        A CUstream handle. An object is kept alive; a handle must stay valid while arrays allocated on it exist.
    device : Device or int, optional
        By default the device of the handle, or the current device for a default stream.
    """

    def __init__(self, stream, device=None):
        cdef int index = index_of(device)
        cdef int place = 0
        if hasattr(stream, "__cuda_stream__"):
            exporter = stream.__cuda_stream__
            version, handle = exporter() if callable(exporter) else exporter
            if version != 0:
                raise ValueError(f"ExternalStream: __cuda_stream__ has version {version}, 0 is expected")
            self.owner = stream
        elif isinstance(stream, int):
            handle = stream
        else:
            raise TypeError("ExternalStream: an integer handle or an object with __cuda_stream__ is needed, "
                            f"not {type(stream).__name__}")
        expect_graphs()
        self.handle = <CUstream><uintptr_t>handle
        primary_context(index)
        if device is None and handle > 2 and cuStreamGetDevice(self.handle, &place) == 0:
            index = place
        self.context = primary_context(index)
        self.device_index = index
