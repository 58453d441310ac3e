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

from gpunp.fusion.trace cimport DEEP, DEEP_CODES, DEPTH, Code, Site, Trace


cdef Site _site_of(PyObject* frame) noexcept:
    """The code and the instruction that a frame is at; the code is NULL without a frame."""
    cdef Site site
    site.code = NULL if frame == NULL else gpunp_frame_code(frame)
    site.instruction = 0 if frame == NULL else gpunp_frame_instruction(frame)
    return site


cdef PyObject* _caller_of(PyObject* frame) noexcept:
    """The frame that called one, in whose place it is owned; NULL after the outermost frame."""
    cdef PyObject* outer = NULL
    if frame != NULL:
        outer = gpunp_outer_frame(frame)
        Py_XDECREF(frame)
    return outer


cdef bint _is_deep(Trace trace, Code code) noexcept:
    """Whether DEEP callers are looked at for chains that begin in a code object."""
    cdef int i
    for i in range(DEEP_CODES):
        if trace.deep[i] == code:
            return True
    return False


cdef void _forget_deep(Trace trace, Code code) noexcept:
    cdef int i
    for i in range(DEEP_CODES):
        if trace.deep[i] == code:
            trace.deep[i] = NULL


cdef void begin_at_caller(Trace trace) noexcept:
    cdef PyObject* frame = gpunp_inner_frame()
    cdef int i = 0
    trace.depth = DEPTH
    trace.distinct = False
    while i < trace.depth:
        trace.callers[i] = _site_of(frame)
        if i == DEPTH - 1 and frame != NULL and _is_deep(trace, trace.callers[0].code):
            trace.depth = DEEP
        frame = _caller_of(frame)
        i += 1
    Py_XDECREF(frame)


cdef bint caller_again(Trace trace) noexcept:
    cdef const Site* callers = trace.callers
    cdef PyObject* frame = gpunp_inner_frame()
    cdef Site site
    cdef int i
    if frame == NULL:
        return False
    for i in range(trace.depth):
        site = _site_of(frame)
        if site.code != callers[i].code or site.instruction != callers[i].instruction:
            Py_XDECREF(frame)
            trace.distinct = trace.distinct or i >= DEPTH
            return False
        frame = _caller_of(frame)
    Py_XDECREF(frame)
    if trace.depth == DEPTH:
        # The functions of a library may call one another, so that only outer callers differ. Look at these next time.
        if callers[DEPTH - 1].code != NULL and trace.shallow != callers[0].code:
            trace.deep[trace.next_deep] = callers[0].code
            trace.next_deep = (trace.next_deep + 1) % DEEP_CODES
    elif not trace.distinct:
        trace.shallow = callers[0].code
        _forget_deep(trace, trace.shallow)
    return True
