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

from gpunp.fusion.trace cimport DEEP, DEPTH, Site, Trace


cdef int _callers_of(Site* callers, int depth, void* deep) noexcept:
    """Set at most ``depth`` callers, DEEP of them if the innermost code is ``deep``, and return how many it looked for.

    After the outermost frame the code is NULL.
    """
    cdef PyObject* frame = gpunp_inner_frame()
    cdef PyObject* outer
    cdef int i = 0
    while i < depth:
        callers[i].code = NULL
        callers[i].instruction = 0
        if frame != NULL:
            callers[i].code = gpunp_frame_code(frame)
            callers[i].instruction = gpunp_frame_instruction(frame)
            outer = gpunp_outer_frame(frame)
            Py_XDECREF(frame)
            frame = outer
            if i == 0 and deep != NULL and callers[0].code == deep:
                depth = DEEP
        i += 1
    Py_XDECREF(frame)
    return depth


cdef void begin_at_caller(Trace trace) noexcept:
    trace.depth = _callers_of(trace.callers, DEPTH, trace.deep)
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
    _callers_of(now, trace.depth, NULL)
    for i in range(1, trace.depth):
        if now[i].code != callers[i].code or now[i].instruction != callers[i].instruction:
            trace.distinct = trace.distinct or i >= DEPTH
            return False
    if trace.depth == DEPTH:
        # Outer callers may differ where a library's functions call one another. The next chain will tell.
        if callers[DEPTH - 1].code != NULL and trace.shallow != callers[0].code:
            trace.deep = callers[0].code
    elif not trace.distinct:
        trace.deep = NULL
        trace.shallow = callers[0].code
    return True
