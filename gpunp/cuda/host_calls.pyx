"""Python functions that a stream calls once its work has run.

The driver calls them in a thread of its own, which needs the interpreter's lock. A thread that waits for a device has
left the lock, or soon will: the driver's thread polls for that, as being woken up takes longer than most functions.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cuda.bindings.cydriver cimport (
    CUcontext, CUresult, CUstream, cuCtxPopCurrent, cuCtxPushCurrent, cuLaunchHostFunc)

from gpunp.cuda.driver cimport check, is_exiting, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.stream cimport Stream, device_at, is_per_thread
from gpunp.device cimport BY_EVENT, flush_because
from gpunp.pooling cimport print_error

cdef extern from *:
    """
    #include <sched.h>
    #include <time.h>
    static double gpunp_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec + 1e-9 * now.tv_nsec;
    }
    // Leave the lock until the driver's threads have it. Otherwise a thread would keep it for milliseconds, and may
    // fill the driver's queue meanwhile, which then waits for the function.
    static int gpunp_let_go(void* wanting) {
        Py_BEGIN_ALLOW_THREADS
        const double until = gpunp_seconds() + 1e-3;
        while (__atomic_load_n((const int*)wanting, __ATOMIC_ACQUIRE) > 0 && gpunp_seconds() < until) sched_yield();
        Py_END_ALLOW_THREADS
        return 0;
    }
    // Before the lock is taken. Python makes and deletes a state of a foreign thread in every call; the driver's thread
    // calls often, so its state is kept.
    static void gpunp_want_lock(const int* waiting, int* wanting) {
        static thread_local int kept = 0;
        const double until = gpunp_seconds() + 2e-5;
        int polls = 1;
        while (__atomic_load_n(waiting, __ATOMIC_ACQUIRE) == 0 && polls)
            if (gpunp_seconds() > until) polls = 0;
        __atomic_fetch_add(wanting, 1, __ATOMIC_ACQ_REL);
        // The main thread may be in Python code; threads in calls of gpunp look at the number.
        if (!polls) Py_AddPendingCall(gpunp_let_go, wanting);
        if (!kept) {
            kept = 1;
            PyGILState_Ensure();
            PyEval_SaveThread();
        }
    }
    static void gpunp_has_lock(int* wanting) {
        __atomic_fetch_sub(wanting, 1, __ATOMIC_ACQ_REL);
    }
    """
    void gpunp_want_lock(const int* waiting, int* wanting) noexcept nogil
    void gpunp_has_lock(int* wanting) noexcept nogil
    Py_ssize_t Py_REFCNT(PyObject* value) noexcept
    int Py_AddPendingCall(int (*function)(void*) noexcept, void* data) noexcept

# Calls that have run and whose objects nobody else has. The driver's thread must not drop them: it must not call CUDA,
# which freeing memory does.
cdef list _done = []


cdef class _Call:
    """A call of a function; it owns a reference to itself until it is done, unless a graph keeps it."""

    cdef object function
    cdef tuple args
    cdef bint once

    def __cinit__(self):
        host_calls.existing += 1

    def __dealloc__(self):
        host_calls.existing -= 1

    cdef bint is_last_owner(self):
        """Whether the function or an argument would be deallocated with the call."""
        if Py_REFCNT(<PyObject*>self.function) == 1:
            return True
        for arg in self.args:
            # The tuple and the variable have references, too.
            if Py_REFCNT(<PyObject*>arg) <= 2:
                return True
        return False


cdef int _drop_done(void* unused) noexcept:
    global _done
    gone, _done = _done, []
    gone.clear()
    return 0


cdef void _run(void* data) noexcept nogil:
    # At exit there is no interpreter to call.
    if not is_exiting():
        gpunp_want_lock(&host_calls.waiting, &host_calls.wanting)
        _run_with_gil(data)


cdef void _run_with_gil(void* data) noexcept with gil:
    cdef _Call call = <_Call>data
    gpunp_has_lock(&host_calls.wanting)
    try:
        call.function(*call.args)
    except BaseException as error:
        # There is no caller that could get the error.
        print_error(error, call.function)
    if call.once:
        if call.is_last_owner():
            _done.append(call)
            # The main thread drops them; if it is told of too much else, the next call of `queue` does.
            if len(_done) == 1:
                Py_AddPendingCall(_drop_done, NULL)
        Py_DECREF(call)


cdef int _launch(CUstream stream, _Call call) except -1:
    """Queue a call; the context of the stream must be current."""
    cdef CUresult result
    if call.once:
        Py_INCREF(call)
    with nogil:
        result = cuLaunchHostFunc(stream, _run, <void*><PyObject*>call)
    if result != 0 and call.once:
        Py_DECREF(call)
    return check(result, "cuLaunchHostFunc")


def queue(Stream stream not None, str who not None, function, tuple args):
    """Have a stream call a function once everything queued so far has run."""
    cdef _Call call
    if not callable(function):
        raise TypeError(f"{who}: a callable is needed, not {type(function).__name__}")
    if _done:
        _drop_done(NULL)
    flush_because(device_at(stream.device_index), BY_EVENT)
    call = _Call.__new__(_Call)
    call.function, call.args, call.once = function, args, stream.capture is None
    if not call.once:
        stream.capture.keep_call(call)
    use_context(stream.context)
    _launch(stream.handle, call)


def _forget(calls):
    """Do nothing, after what was queued before."""


def keep_until_run(list calls not None, list streams not None):
    """Keep the calls of a graph, which is dropped, until streams have run what is queued on them."""
    cdef CUcontext context = NULL
    cdef Stream stream
    cdef _Call last
    for stream in streams:
        if stream.capture is not None:
            stream.capture.keep(calls)
            continue
        last = _Call.__new__(_Call)
        last.function, last.args, last.once = _forget, (calls,), True
        cuCtxPushCurrent(stream.context)
        try:
            # The default streams of threads have no handle here; the legacy stream waits for them.
            _launch(<CUstream>NULL if is_per_thread(stream) else stream.handle, last)
        finally:
            cuCtxPopCurrent(&context)
