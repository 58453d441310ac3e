"""Events: points in streams, to wait for and to measure time with."""
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUresult, cuCtxPopCurrent, cuCtxPushCurrent, cuEventCreate, cuEventDestroy, cuEventElapsedTime, cuEventQuery,
    cuEventSynchronize)

from gpunp.cuda.driver cimport (
    check, index_of, is_exiting, primary_context, refuse_wait, use_context, waits_forbidden)
from gpunp.cuda.queueing cimport unlocked
from gpunp.device cimport Device, check_status

from gpunp.device import get_device

# Set by gpunp.cuda.stream: returns the Stream of its first argument.
cdef object _as_stream = None


def install_as_stream(function):
    """Set the function that makes a Stream of what users pass as one."""
    global _as_stream
    _as_stream = function


cdef class Event:
    """A point in a stream, to wait for and to measure time with.

    Parameters
    ----------
    block : bool, default False
        Whether `synchronize` sleeps instead of spinning.
    disable_timing : bool, default False
        Whether the event records no time, which `elapsed_time` needs.
    interprocess : bool, default False
        Whether other processes may open it; such an event records no time.
    timing : bool, optional
        The opposite of ``disable_timing``.
    blocking : bool, optional
        Another name of ``block``.
    device : Device or int, optional
        The current device by default.

    Raises
    ------
    ValueError
        If an event between processes is to record the time.
    """

    def __init__(self, bint block=False, disable_timing=None, bint interprocess=False, *, timing=None, blocking=None,
                 device=None):
        cdef int index = index_of(device)
        cdef unsigned int flags
        if timing is None:
            timing = not (interprocess if disable_timing is None else disable_timing)
        elif disable_timing is not None and bool(disable_timing) == bool(timing):
            raise ValueError("Event: timing and disable_timing contradict each other; give one of them")
        if interprocess and timing:
            raise ValueError("Event: an event between processes cannot record the time; pass disable_timing=True")
        if blocking is not None:
            block = blocking
        self.context = primary_context(index)
        self.device_index = index
        self.timing = timing
        use_context(self.context)
        # CU_EVENT_BLOCKING_SYNC is 1, CU_EVENT_DISABLE_TIMING 2, CU_EVENT_INTERPROCESS 4.
        flags = (1 if block else 0) | (0 if timing else 2) | (4 if interprocess else 0)
        check(unlocked(host_calls.existing, cuEventCreate, &self.handle, flags), "cuEventCreate")

    def __dealloc__(self):
        if self.handle != NULL and not is_exiting():
            cuCtxPushCurrent(self.context)
            unlocked(host_calls.existing, cuEventDestroy, self.handle)
            cuCtxPopCurrent(&self.context)

    @property
    def ptr(self):
        """The CUevent handle, an integer."""
        return <uintptr_t>self.handle

    @property
    def done(self):
        """Whether the work before the event has run; does not wait."""
        self.require_real("Event.done")
        use_context(self.context)
        cdef CUresult result = unlocked(host_calls.existing, cuEventQuery, self.handle)
        if result == CUresult.CUDA_ERROR_NOT_READY:
            return False
        check(result, "cuEventQuery")
        return True

    def record(self, stream=None):
        """Record the event on a stream, the current one by default, and return the event.

        Parameters
        ----------
        stream : Stream, object with ``__cuda_stream__``, optional
            On the same device.

        Returns
        -------
        Event
        """
        if _as_stream is None:
            __import__("gpunp.cuda.stream")  # sets it
        _as_stream(stream, self.device_index).record(self)
        return self

    def synchronize(self):
        """Wait until the work before the event has run, and raise errors that this thread's kernels reported."""
        cdef CUresult result
        self.require_real("Event.synchronize")
        if waits_forbidden:
            refuse_wait("Event.synchronize")
        use_context(self.context)
        with nogil:
            host_calls.waiting = 1
            result = cuEventSynchronize(self.handle)
        host_calls.waiting = 0
        check(result, "cuEventSynchronize")
        check_status(<Device>get_device(f"cuda:{self.device_index}"))

    cdef int require_real(self, str call) except -1:
        """Raise if the event is a point in a graph that is being captured, which never happens."""
        if self.capture is not None and self.capture.active:
            raise RuntimeError(f"{call}: the event was recorded on a stream that is being captured, so that it does "
                               "not happen; synchronize after a launch of the graph")
        return 0

    def __repr__(self):
        return f"<Event {<uintptr_t>self.handle:#x} on cuda:{self.device_index}>"


def elapsed_time(Event start not None, Event end not None):
    """Milliseconds between two recorded events.

    Parameters
    ----------
    start, end : Event
        Made without ``disable_timing``; both must have happened (``end.synchronize()``).

    Returns
    -------
    float
    """
    cdef float milliseconds = 0
    cdef CUresult result
    if not (start.timing and end.timing):
        raise ValueError("elapsed_time: the events record no time; create them without disable_timing")
    if start.device_index != end.device_index:
        raise ValueError(f"elapsed_time: the events are on cuda:{start.device_index} and cuda:{end.device_index}; "
                         "clocks of devices differ, so take both from one")
    use_context(start.context)
    result = cuEventElapsedTime(&milliseconds, start.handle, end.handle)
    if result == CUresult.CUDA_ERROR_NOT_READY:
        raise RuntimeError("elapsed_time: an event has not happened yet; call end.synchronize() before")
    if result == CUresult.CUDA_ERROR_INVALID_HANDLE:
        raise ValueError("elapsed_time: an event was not recorded; call start.record() and end.record() before")
    check(result, "cuEventElapsedTime")
    return milliseconds


get_elapsed_time = elapsed_time
