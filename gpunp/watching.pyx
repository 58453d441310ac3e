"""Memory of which something is known as long as nobody may have written it.

A buffer that is watched counts as used by a deferred operation (`Buffer.uses`). So whoever takes its address to write
comes to where deferred operations would run, and there `written` is called; others pay nothing.
"""
import os
import sys
from _thread import get_ident

from gpunp.device cimport Buffer

cdef extern from "Python.h":
    ctypedef struct PyInterpreterState
    ctypedef struct PyThreadState
    PyInterpreterState* PyInterpreterState_Get()
    PyThreadState* PyInterpreterState_ThreadHead(PyInterpreterState*)
    PyThreadState* PyThreadState_Next(PyThreadState*)
    int PyGC_Disable()
    int PyGC_Enable()

# By the address of the buffer, which is kept, as its address must not be that of another one.
cdef dict _known = {}
# Likewise, with what brings changes on the host to the buffer.
cdef dict _shared = {}
# Graphs write without any call. A program that makes some has got a stream's handle, or has brought a stream.
cdef bint _graphs_are_possible = False
# Without the GIL, a write may come between a look and the use of what was found.
cdef bint _is_serial = getattr(sys, "_is_gil_enabled", lambda: True)()
# Functions of Python in which threads wait, by module and name: none calls anything that writes an array.
cdef set _waiting = {
    ("threading", "wait"),
    ("selectors", "select"),
    ("concurrent.futures.thread", "_worker"),
    ("ipykernel.heartbeat", "run"),
}


# Identifiers of the threads that are in a context of `reading`. A child process has none of them.
cdef set _reading = set()
os.register_at_fork(after_in_child=_reading.clear)


class reading:
    """A context in which the calling thread writes no array, so that it keeps no buffer from being watched."""

    def __enter__(self):
        _reading.add(get_ident())
        return self

    def __exit__(self, *error):
        _reading.discard(get_ident())


cdef bint _others_may_write() except -1:
    """Whether another thread may be in the middle of a write.

    Such a thread has called `written`, has given the GIL away and has not yet changed the bytes. What is read now
    would be out of date afterwards, and nothing would tell.
    """
    cdef PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get())
    cdef Py_ssize_t count = 0
    while thread != NULL:
        count += 1
        thread = PyThreadState_Next(thread)
    if count == 1:
        return False
    # Some releases of Python hold a lock meanwhile that threads wait for which a collection lets run.
    cdef bint collects = PyGC_Disable()
    try:
        frames = sys._current_frames()
    finally:
        if collects:
            PyGC_Enable()
    if len(frames) < count:
        return True
    busy = 0
    for thread_id, frame in frames.items():
        if thread_id not in _reading:
            busy += (frame.f_globals.get("__name__"), frame.f_code.co_name) not in _waiting
    # One of them is this thread.
    return busy > 1


cdef bint watch(Buffer buffer, object known) except -1:
    global watches
    if buffer.exposed or buffer.owner is not None or buffer.writes or _graphs_are_possible or not _is_serial:
        return False
    written(buffer)
    _known[<size_t><void*>buffer] = (buffer, known)
    buffer.uses += 1
    watches = True
    # Asked after the buffer is watched: of a write that begins now, `written` tells.
    if _others_may_write():
        written(buffer)
        return False
    return True


cdef object known_of(Buffer buffer):
    cdef object found = _known.get(<size_t><void*>buffer) if watches else None
    return None if found is None or buffer.writes or buffer.exposed else (<tuple>found)[1]


cdef int written(Buffer buffer) except -1:
    global watches
    if _known.pop(<size_t><void*>buffer, None) is not None:
        buffer.uses -= 1
        watches = len(_known) > 0 or len(_shared) > 0
    if _shared:
        memory = shared_of(buffer)
        if memory is not None:
            memory.refresh()
    return 0


cdef bint is_watchable() noexcept:
    return not _graphs_are_possible


cdef object shared_of(Buffer buffer):
    cdef object found = _shared.get(<size_t><void*>buffer) if watches else None
    return None if found is None else (<tuple>found)[1]


cdef int set_shared(Buffer buffer, object memory) except -1:
    global watches
    if memory is not None:
        written(buffer)
        _shared[<size_t><void*>buffer] = (buffer, memory)
        buffer.uses += 1
        buffer.writes += 1
    elif _shared.pop(<size_t><void*>buffer, None) is not None:
        buffer.uses -= 1
        buffer.writes -= 1
    watches = len(_known) > 0 or len(_shared) > 0
    return 0


def add_waiting(str module not None, str function not None):
    """Name a function of Python in which threads only wait, so that they do not keep buffers from being watched."""
    _waiting.add((module, function))


def is_possible():
    """Whether buffers are watched at all in this process."""
    return not _graphs_are_possible and _is_serial


def expect_graphs():
    """Watch nothing from now on: the handle of a stream is known outside, so that its calls may become a graph."""
    global _graphs_are_possible
    _graphs_are_possible = True
    for buffer, _ in [*_known.values()]:
        written(<Buffer>buffer)
