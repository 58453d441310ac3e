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
    """
    void* gpunp_vectorcall_slot(object value)

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)


cdef inline void replace_vectorcall(object value, Vectorcall ours, Vectorcall* numpys) noexcept:
    """Have an object of NumPy call ``ours``, unless another library has replaced its vectorcall before; ``numpys``
    is NumPy's own, which is read from the first object."""
    cdef Vectorcall* slot = <Vectorcall*>gpunp_vectorcall_slot(value)
    if slot != NULL and slot[0] != NULL and slot[0] != ours:
        if numpys[0] == NULL:
            numpys[0] = slot[0]
        if slot[0] == numpys[0]:
            slot[0] = ours
