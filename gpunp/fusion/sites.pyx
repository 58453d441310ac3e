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

from gpunp.fusion.trace cimport DEPTH


cdef void callers_of(Site* callers) noexcept:
    cdef PyObject* frame = gpunp_inner_frame()
    cdef PyObject* outer
    cdef int i
    for i in range(DEPTH):
        callers[i].code = NULL
        callers[i].instruction = 0
        if frame != NULL:
            callers[i].code = gpunp_frame_code(frame)
            callers[i].instruction = gpunp_frame_instruction(frame)
            outer = gpunp_outer_frame(frame)
            Py_XDECREF(frame)
            frame = outer
    Py_XDECREF(frame)


cdef bint caller_again(const Site* callers) noexcept:
    cdef Site[DEPTH] now
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
    callers_of(now)
    for i in range(1, DEPTH):
        if now[i].code != callers[i].code or now[i].instruction != callers[i].instruction:
            return False
    return True
