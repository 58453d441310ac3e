"""What is told about fusion: events for an observer; and which functions are decorated with `fuse`."""
import _thread
import os
import sys

from gpunp.device cimport (
    BY_EVENT, BY_EXPORT, BY_KERNEL, BY_LENGTH, BY_LOOP, BY_MEMORY, BY_READ, BY_REQUEST, BY_STREAM, BY_WAIT,
)
from gpunp.dtype_codes cimport itemsize_of

import numpy as np

from gpunp.deferring import set_asking
from gpunp.device import flush_devices
from gpunp.dtype_codes import NAMES

cdef dict _WORDS = {
    BY_KERNEL: "another kernel",
    BY_READ: "a read of a value",
    BY_WAIT: "a synchronization",
    BY_EVENT: "an event of a stream",
    BY_EXPORT: "memory that is handed out",
    BY_MEMORY: "a lack of memory",
    BY_REQUEST: "a request",
    BY_LOOP: "the next round of a loop",
    BY_STREAM: "another stream",
    BY_LENGTH: "the length of the chain",
    BY_PAUSE: "a pause of the program",
    BY_SHAPE: "another shape",
    BY_OVERLAP: "overlapping memory",
    BY_OPERANDS: "too many operands",
    BY_STEPS: "too many operations",
    BY_FOLD: "a reduction",
    NOT_LARGE: "not deferred: a small array",
    NOT_ON: "not deferred: fusion is off",
    NOT_ONE_OUTPUT: "not deferred: several results",
    NOT_SILENT: "not deferred: it may report an error",
    NOT_OURS: "not deferred: memory that others know",
    NOT_AXES: "not deferred: too many axes",
    NOT_APART: "not deferred: elements of the result may overlap",
    NOT_QUEUE: "not deferred: a stream that cannot wait",
    NOT_THREAD: "not deferred: calls of another thread are",
    NOT_FULL: "not deferred: the chain is full",
    NOT_WORTH: "not deferred: it never shared a kernel",
    NOT_NOW: "not deferred: deferred calls run",
    NOT_FEW_INPUTS: "not deferred: more than three inputs",
}
cdef tuple _DTYPES = tuple([np.dtype(name).name for name in NAMES])
# Packages whose lines are not those of a program.
cdef tuple _OWN = ("gpunp", "gpunp_scipy", "numpy")

cdef extern from *:
    """
    // How many decorated functions run in this thread, one within the other.
    static thread_local int gpunp_functions = 0;
    """
    int gpunp_functions

cdef object _observer = None
cdef long long _announced = 0
cdef long long _first = 0           # announced to the present observer
# Keeps the numbers of operations in the order of their events.
cdef object _lock = _thread.RLock()
cdef int _functions = 0             # in all threads
cdef object _local = _thread._local()


cdef int _attend() except -1:
    global attention
    attention = observed or _functions > 0
    set_asking(attention)
    return 0


# A child process has no other thread that holds it.
os.register_at_fork(after_in_child=_lock._at_fork_reinit)


def observe(callback):
    """Have a function called with what happens to elementwise calls. Deferred calls run first.

    Parameters
    ----------
    callback : callable or None
        Called with events, which are tuples: `gpunp.fusion.summary.Summary` describes them and is such a
        callback. It may be called by any thread, and must not compute with device arrays. Exceptions that it
        raises are printed. None ends the observation.

    Returns
    -------
    callable or None
        The callback before.

    Raises
    ------
    TypeError
        If the callback is not callable.
    """
    global _observer, _first, observed
    if callback is not None and not callable(callback):
        raise TypeError(f"observe: a callable or None is needed, not {type(callback).__name__}")
    flush_devices()
    with _lock:
        before = _observer
        _observer = callback
        _first = _announced
        observed = callback is not None
        _attend()
    return before


def enter_function(name):
    """Start a decorated function in this thread; returns what `leave_function` takes."""
    global gpunp_functions, _functions
    if gpunp_functions == 0:
        flush_devices()
    before = getattr(_local, "name", None)
    _local.name = name
    gpunp_functions += 1
    with _lock:
        _functions += 1
        _attend()
    return before


def leave_function(before):
    """End a decorated function in this thread, and run what it deferred."""
    global gpunp_functions, _functions
    _local.name = before
    gpunp_functions -= 1
    with _lock:
        _functions -= 1
        _attend()
    if gpunp_functions == 0:
        flush_devices()


cdef bint in_function() noexcept:
    return gpunp_functions > 0


cdef object function_name():
    return getattr(_local, "name", None)


cdef void _tell(tuple event) noexcept:
    # An exception of the observer is printed; what it is told of goes on.
    if _observer is not None:
        _observer(event)


def is_observed():
    """Whether somebody observes."""
    return observed


def tell_compiled(name, milliseconds):
    """Tell that a kernel was compiled."""
    _tell(("compiled", name, milliseconds))


def _calling_line():
    """The file and the line of the innermost frame of the program."""
    frame = sys._getframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _OWN:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return "?", 0


cdef str _name(Loop loop):
    return "cast" if loop.unit.startswith("cast_") else loop.symbol.rpartition("_")[0]


cdef long long _announce(str name, tuple shape, tuple dtypes, Py_ssize_t nbytes) except -2:
    global _announced
    cdef long long number
    filename, line = _calling_line()
    with _lock:
        number = _announced
        _announced += 1
        _tell(("op", name, shape, dtypes, nbytes, filename, line))
    return number


cdef long long announce(Loop loop, const Operand* operands, const Operand* mask, int ndim,
                        const Py_ssize_t* shape) except -2:
    cdef Py_ssize_t nbytes = 0
    cdef int d, k
    for k in range(loop.nin + loop.nout):
        if not operands[k].scalar:
            nbytes += operands[k].size * itemsize_of(operands[k].code)
    if mask != NULL:
        nbytes += mask.size
    dtypes = tuple([_DTYPES[loop.codes[k] if operands[k].scalar else operands[k].code]
                    for k in range(loop.nin + loop.nout)])
    return _announce(_name(loop), tuple([shape[d] for d in range(ndim)]), dtypes, nbytes)


cdef long long announce_fold(str name, tuple shape, int source, int result, Py_ssize_t nbytes) except -2:
    return _announce(name, shape, (_DTYPES[source], _DTYPES[result]), nbytes)


cdef int tell_refusal(long long number, int reason) except -1:
    if number >= _first:
        _tell(("group", [number - _first], "single", 0, _WORDS[reason], None))
    return 0


cdef object group_event(list numbers, str kind, Py_ssize_t saved, int reason, object kernel):
    numbers = [number for number in numbers if number >= _first]
    return ("group", numbers, kind, saved, _WORDS[reason], kernel) if numbers else None


cdef object reduction_event(list numbers, str name, tuple shape, int source, int result, Py_ssize_t nbytes,
                            Py_ssize_t saved, int reason, object kernel):
    numbers = [number for number in numbers if number >= _first]
    dtypes = _DTYPES[source], _DTYPES[result]
    return "reduction", numbers, (name, shape, dtypes, nbytes), saved, _WORDS[reason], kernel


cdef int tell_all(list events) except -1:
    cdef long long number
    for event in events:
        kind, numbers, *rest = event
        numbers = [each - _first for each in numbers]
        if kind == "reduction":
            name, shape, dtypes, nbytes = rest[0]
            number = _announce(name, shape, dtypes, nbytes)
            _tell(("group", [*numbers, number - _first], "fused", *rest[1:]))
        else:
            _tell((kind, numbers, *rest))
    return 0
