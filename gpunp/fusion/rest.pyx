"""Deferred operations that a program has left: the thread of gpunp/fusion/watch.py waits for them here.

A fork waits for those that run.
"""
import os

from cpython.object cimport PyObject

from gpunp.fusion.trace cimport Trace, begin, end, trace_of

from gpunp.device import living_devices

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident() nogil

cdef extern from "<unistd.h>" nogil:
    int usleep(unsigned int microseconds)

cdef enum:
    # Devices that are watched: more than a machine has.
    MOST_DEVICES = 65
    # Microseconds between two looks, after which deferred operations are left.
    PATIENCE = 2000
    # Looks after which other devices may have come into use, and the thread may sleep.
    LOOKS = 50
    # Looks that find the same operations, until these are left. A reduction on the host, which runs while others are
    # deferred, takes longer than a look; and there is no device that idles meanwhile.
    LOOKS_OF_GPU = 1
    LOOKS_OF_HOST = 250

# How many looks have found the same operations of each device; only one thread looks.
cdef int[MOST_DEVICES] _same


cdef inline bint _waits(PyObject* trace) noexcept nogil:
    """Whether a device has deferred operations that no thread runs now."""
    return (<Trace>trace).count != 0 and not (<Trace>trace).running


def wait_for_rest():
    """Wait until operations have been left, without the GIL: a thread that takes it often delays the program.

    Returns
    -------
    tuple of (Device or None, bool)
        The device of the operations, if some were left soon, and whether any were deferred meanwhile.
    """
    cdef Trace trace
    cdef PyObject* traces[MOST_DEVICES]
    cdef size_t runs[MOST_DEVICES]
    cdef int most[MOST_DEVICES]
    cdef int i, _look, count = 0, found = -1
    cdef bint busy = False
    # Devices and their traces live as long as the process.
    for device in living_devices()[:MOST_DEVICES]:
        trace = trace_of(device)
        traces[count] = <PyObject*>trace
        runs[count] = trace.runs
        most[count] = LOOKS_OF_HOST if trace.device.is_cpu else LOOKS_OF_GPU
        count += 1
    with nogil:
        for _look in range(LOOKS):
            usleep(PATIENCE)
            for i in range(count):
                if not _waits(traces[i]):
                    _same[i] = -1
                    continue
                busy = True
                _same[i] = _same[i] + 1 if runs[i] == (<Trace>traces[i]).runs else 0
                if _same[i] >= most[i]:
                    found = i
                runs[i] = (<Trace>traces[i]).runs
            if found >= 0:
                _same[found] = -1
                break
    return (<Trace>traces[found]).device if found >= 0 else None, busy


cdef bint _is_mine(Trace trace) noexcept:
    return trace.running and trace.runner == PyThread_get_thread_ident()


def _before_fork():
    """Wait until no other thread runs operations: a child process could not end them."""
    for device in living_devices():
        if not _is_mine(trace_of(device)):
            begin(trace_of(device))
            _held.append(trace_of(device))


def _after_fork(bint in_child):
    cdef Trace trace
    while _held:
        trace = <Trace>_held.pop()
        if in_child:
            # Its only thread goes on with the operations of all threads.
            trace.thread = PyThread_get_thread_ident()
        end(trace)


# The traces that a fork has locked.
cdef list _held = []
os.register_at_fork(before=_before_fork, after_in_parent=lambda: _after_fork(False),
                    after_in_child=lambda: _after_fork(True))
