"""Memory of which something is known as long as nobody may have written it.

A buffer that is watched counts as used by a deferred operation (`Buffer.uses`). So whoever takes its address to write
comes to where deferred operations would run, and there `written` is called; others pay nothing.
"""
import sys

from gpunp.device cimport Buffer

# By the address of the buffer, which is kept, as its address must not be that of another one.
cdef dict _known = {}
# Graphs write without any call. A program that makes some has got a stream's handle, or has brought a stream.
cdef bint _graphs_are_possible = False
# Without the GIL, a write may come between a look and the use of what was found.
cdef bint _is_serial = getattr(sys, "_is_gil_enabled", lambda: True)()


cdef bint watch(Buffer buffer, object known) except -1:
    global watches
    if buffer.exposed or buffer.owner is not None or buffer.writes or _graphs_are_possible or not _is_serial:
        return False
    written(buffer)
    _known[<size_t><void*>buffer] = (buffer, known)
    buffer.uses += 1
    watches = True
    return True


cdef object known_of(Buffer buffer):
    cdef object found = _known.get(<size_t><void*>buffer) if watches else None
    return None if found is None or buffer.writes or buffer.exposed else (<tuple>found)[1]


cdef int written(Buffer buffer) except -1:
    global watches
    if _known.pop(<size_t><void*>buffer, None) is not None:
        buffer.uses -= 1
        watches = len(_known) > 0
    return 0


def is_possible():
    """Whether buffers are watched at all in this process."""
    return not _graphs_are_possible and _is_serial


def expect_graphs():
    """Watch nothing from now on: the handle of a stream is known outside, so that its calls may become a graph."""
    global _graphs_are_possible
    _graphs_are_possible = True
    for buffer, _ in [*_known.values()]:
        written(<Buffer>buffer)
