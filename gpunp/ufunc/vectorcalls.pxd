"""What NumPy's functions and ufuncs do when they are called, and how to have them do something else."""
from cpython.object cimport PyObject

ctypedef object (*Vectorcall)(object, PyObject**, size_t, PyObject*)

cdef extern from *:
    """
    // Where an object keeps its vectorcall, or NULL.
    static vectorcallfunc* gpunp_vectorcall_slot(PyObject* value) {
        PyTypeObject* type = Py_TYPE(value);
        if (!PyType_HasFeature(type, Py_TPFLAGS_HAVE_VECTORCALL) || type->tp_vectorcall_offset <= 0) return NULL;
        return (vectorcallfunc*)((char*)value + type->tp_vectorcall_offset);
    }

    // Until Python 3.12 the interpreter calls the code of a function written in C directly, unless its flags are others
    // than those of its calling convention. METH_COEXIST means something for methods of classes only.
    static void gpunp_honour_vectorcall(PyObject* function) {
    #if PY_VERSION_HEX < 0x030D0000
        ((PyCFunctionObject*)function)->m_ml->ml_flags |= METH_COEXIST;
    #else
        (void)function;
    #endif
    }
    """
    void* gpunp_vectorcall_slot(object value)
    # Have the interpreter use the vectorcall of a function written in C, in calls with keywords.
    void honour_vectorcall "gpunp_honour_vectorcall"(object function)

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)


cdef inline bint replace_vectorcall(object value, Vectorcall ours, Vectorcall* numpys) noexcept:
    """Have an object of NumPy call ``ours``, unless another library has replaced its vectorcall before; ``numpys``
    is NumPy's own, which is read from the first object. Return whether it does."""
    cdef Vectorcall* slot = <Vectorcall*>gpunp_vectorcall_slot(value)
    if slot != NULL and slot[0] != NULL and slot[0] != ours:
        if numpys[0] == NULL:
            numpys[0] = slot[0]
        if slot[0] == numpys[0]:
            slot[0] = ours
    return slot != NULL and slot[0] == ours
