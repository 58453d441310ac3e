"""Python functions that a stream calls once its work has run."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cuda.bindings.cydriver cimport CUresult, cuLaunchHostFunc

from gpunp.cuda.driver cimport check, is_exiting, use_context
from gpunp.cuda.stream cimport Stream
from gpunp.device cimport BY_EVENT, Device, flush_because

cdef extern from *:
    """
    // Python makes and deletes a state of a foreign thread in every call. The driver's thread calls often, so its state
    // is kept.
    static void gpunp_keep_thread_state(void) {
        static thread_local int kept = 0;
        if (!kept) {
            kept = 1;
            PyGILState_Ensure();
            PyEval_SaveThread();
        }
    }
    """
    void gpunp_keep_thread_state() noexcept nogil


cdef class _Call:
    """A call of a function; it owns a reference to itself until it is done, unless a graph keeps it."""

    cdef object function
    cdef tuple args
    cdef bint once


cdef void _run(void* data) noexcept nogil:
    # At exit there is no interpreter to call.
    if not is_exiting():
        gpunp_keep_thread_state()
        _run_with_gil(data)


cdef void _run_with_gil(void* data) noexcept with gil:
    cdef _Call call = <_Call>data
    try:
        # What the function raises is printed, as nobody waits for it.
        call.function(*call.args)
    finally:
        if call.once:
            Py_DECREF(call)


def queue(Stream stream not None, str who not None, function, tuple args):
    """Have a stream call a function once everything queued so far has run."""
    cdef _Call call
    cdef CUresult result
    if not callable(function):
        raise TypeError(f"{who}: a callable is needed, not {type(function).__name__}")
    flush_because(<Device>stream.device, BY_EVENT)
    call = _Call.__new__(_Call)
    call.function, call.args, call.once = function, args, stream.capture is None
    if call.once:
        Py_INCREF(call)
    else:
        stream.capture.keep(call)
    use_context(stream.context)
    result = cuLaunchHostFunc(stream.handle, _run, <void*><PyObject*>call)
    if result != 0 and call.once:
        Py_DECREF(call)
    check(result, "cuLaunchHostFunc")
