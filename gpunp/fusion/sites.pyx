"""The places in Python code from which operations are called."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF

cdef extern from *:
    """
    #include <frameobject.h>

    // The frame that called ``frame``, as a new reference, or null.
    static PyObject* gpunp_outer_frame(PyObject* frame) {
        return (PyObject*)PyFrame_GetBack((PyFrameObject*)frame);
    }
    // The current frame as a new reference, or null.
    static PyObject* gpunp_inner_frame(void) {
        PyFrameObject* frame = PyEval_GetFrame();
        Py_XINCREF(frame);
        return (PyObject*)frame;
    }
    // Code objects are compared by address only, so no reference is kept.
    static void* gpunp_frame_code(PyObject* frame) {
        PyCodeObject* code = PyFrame_GetCode((PyFrameObject*)frame);
        Py_DECREF(code);
        return (void*)code;
    }
    static int gpunp_frame_instruction(PyObject* frame) {
        return PyFrame_GetLasti((PyFrameObject*)frame);
    }
    """
    PyObject* gpunp_outer_frame(PyObject* frame) noexcept
    PyObject* gpunp_inner_frame() noexcept
    void* gpunp_frame_code(PyObject* frame) noexcept
    int gpunp_frame_instruction(PyObject* frame) noexcept

from gpunp.fusion.trace cimport DEEP, DEEP_CODES, DEPTH, Site, Trace


cdef void _callers_of(Site* callers, int first, int last) noexcept:
    """Set the callers from the frame number ``first``, counted from the innermost one, up to ``last``.

    After the outermost frame the code is NULL.
    """
    cdef PyObject* frame = gpunp_inner_frame()
    cdef PyObject* outer
    cdef int i
    for i in range(last):
        if i >= first:
            callers[i].code = NULL if frame == NULL else gpunp_frame_code(frame)
            callers[i].instruction = 0 if frame == NULL else gpunp_frame_instruction(frame)
        if frame != NULL:
            outer = gpunp_outer_frame(frame)
            Py_XDECREF(frame)
            frame = outer
    Py_XDECREF(frame)


cdef int _place_of(Trace trace, const void* code) noexcept:
    """The place of a code object among those whose DEEP callers are looked at, or -1."""
    cdef int i
    for i in range(DEEP_CODES):
        if trace.deep[i] == code:
            return i
    return -1


cdef void begin_at_caller(Trace trace) noexcept:
    _callers_of(trace.callers, 0, DEPTH)
    trace.depth = DEPTH
    if trace.callers[DEPTH - 1].code != NULL and _place_of(trace, trace.callers[0].code) >= 0:
        _callers_of(trace.callers, DEPTH, DEEP)
        trace.depth = DEEP
    trace.distinct = False


cdef bint caller_again(Trace trace) noexcept:
    cdef Site[DEEP] now
    cdef const Site* callers = trace.callers
    cdef PyObject* frame = gpunp_inner_frame()
    cdef bint same
    cdef int i
    if frame == NULL:
        return False
    same = (callers[0].code == gpunp_frame_code(frame)
            and callers[0].instruction == gpunp_frame_instruction(frame))
    Py_XDECREF(frame)
    if not same:
        return False
    _callers_of(now, 0, trace.depth)
    for i in range(1, trace.depth):
        if now[i].code != callers[i].code or now[i].instruction != callers[i].instruction:
            trace.distinct = trace.distinct or i >= DEPTH
            return False
    if trace.depth == DEPTH:
        # Outer callers may differ where a library's functions call one another. The next chain will tell.
        if callers[DEPTH - 1].code != NULL and trace.shallow != callers[0].code:
            trace.deep[trace.next_deep] = callers[0].code
            trace.next_deep = (trace.next_deep + 1) % DEEP_CODES
    elif not trace.distinct:
        trace.shallow = callers[0].code
        trace.deep[_place_of(trace, trace.shallow)] = NULL
    return True
