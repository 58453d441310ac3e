"""Calls of the driver and of its libraries that queue work on a stream."""
from cuda.bindings.cydriver cimport CUresult

cdef extern from *:
    """
    #ifndef GPUNP_QUEUEING
    #define GPUNP_QUEUEING
    #define GPUNP_UNLOCKED(leave, function, ...) gpunp_unlocked(leave, [&] { return function(__VA_ARGS__); })
    template <class Call> static inline auto gpunp_unlocked(bool leave, Call call) {
        if (!leave) return call();
        PyThreadState* const state = PyEval_SaveThread();
        const auto result = call();
        PyEval_RestoreThread(state);
        return result;
    }
    #endif
    """
    # The result of a function, which is called without the interpreter's lock if ``leave`` is set:
    #     unlocked(host_calls.existing, cuMemsetD8Async, address, value, count, stream)
    # A call waits while the driver's queue is full, perhaps for a function of the host that needs the lock. So calls
    # leave it as long as there are such functions; other threads may run meanwhile.
    CUresult unlocked "GPUNP_UNLOCKED" (bint leave, ...)
    # The same for functions of the libraries.
    int unlocked_call "GPUNP_UNLOCKED" (bint leave, ...)
