"""Events: points in streams, to wait for and to measure time with."""
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUresult, cuCtxPopCurrent, cuCtxPushCurrent, cuEventCreate, cuEventDestroy, cuEventElapsedTime, cuEventQuery,
    cuEventSynchronize)

from gpunp.cuda.driver cimport check, index_of, is_exiting, primary_context, use_context
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
    timing : bool, default False
        Whether the event records the time; needed by `elapsed_time`.
    blocking : bool, default False
        Whether `synchronize` sleeps instead of spinning.
    device : Device or int, optional
        The current device by default.
    """

    def __init__(self, bint timing=False, bint blocking=False, device=None):
        cdef int index = index_of(device)
        self.context = primary_context(index)
        self.device_index = index
        self.timing = timing
        use_context(self.context)
        # CU_EVENT_BLOCKING_SYNC is 1, CU_EVENT_DISABLE_TIMING 2.
        check(cuEventCreate(&self.handle, (1 if blocking else 0) | (0 if timing else 2)), "cuEventCreate")

    def __dealloc__(self):
        if self.handle != NULL and not is_exiting():
            cuCtxPushCurrent(self.context)
            cuEventDestroy(self.handle)
            cuCtxPopCurrent(&self.context)

    @property
    def ptr(self):
        """The CUevent handle, an integer."""
        return <uintptr_t>self.handle

    @property
    def done(self):
        """Whether the work before the event has run; does not wait."""
        use_context(self.context)
        cdef CUresult result = cuEventQuery(self.handle)
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
        use_context(self.context)
        with nogil:
            result = cuEventSynchronize(self.handle)
        check(result, "cuEventSynchronize")
        check_status(<Device>get_device(f"cuda:{self.device_index}"))

    def __repr__(self):
        return f"<Event {<uintptr_t>self.handle:#x} on cuda:{self.device_index}>"


def elapsed_time(Event start not None, Event end not None):
    """Milliseconds between two recorded events.

    Parameters
    ----------
    start, end : Event
        Made with ``timing=True``; both must have happened (``end.synchronize()``).

    Returns
    -------
    float
    """
    cdef float milliseconds = 0
    if not (start.timing and end.timing):
        raise ValueError("elapsed_time: the events record no time; create them with Event(timing=True)")
    use_context(start.context)
    check(cuEventElapsedTime(&milliseconds, start.handle, end.handle), "cuEventElapsedTime")
    return milliseconds
