"""The methods and properties that complete the class of arrays."""
import numpy

from cpython.object cimport PyObject, PyTypeObject

from gpunp.array.ndarray cimport ndarray
from gpunp.array.operators cimport hooks

from gpunp.array.ndarray import BEHAVIOUR

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject* type)
    ctypedef struct TypeWithDict "PyTypeObject":
        void* tp_dict


cdef object _array_ufunc(object self, PyObject** args, Py_ssize_t nargs, PyObject* names):
    return hooks.array_ufunc(self, args, nargs, names)


cdef extern from *:
    """
    // Cython packs ``*inputs, **kwargs`` into a tuple and a dict; a vectorcall leaves the arguments where
    // NumPy has them.
    static PyMethodDef gpunp_array_ufunc_def = {
        "__array_ufunc__", NULL, METH_FASTCALL | METH_KEYWORDS,
        "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\\n--\\n\\n"
        "NumPy's ufuncs of this array; see NEP 13."};

    static PyObject* gpunp_array_ufunc_method(PyObject* type, void* function) {
        gpunp_array_ufunc_def.ml_meth = (PyCFunction)function;
        return PyDescr_NewMethod((PyTypeObject*)type, &gpunp_array_ufunc_def);
    }

    // Let `match` statements take the instances of a type for sequences if they take those of another one.
    static void gpunp_match_like(PyObject* type, PyObject* model) {
        ((PyTypeObject*)type)->tp_flags |= ((PyTypeObject*)model)->tp_flags & Py_TPFLAGS_SEQUENCE;
        PyType_Modified((PyTypeObject*)type);
    }
    """
    object gpunp_array_ufunc_method(object type, void* function)
    void gpunp_match_like(object type, object model)


def install(methods, properties, behaviour):
    """Complete the class: plain functions become its methods.

    Parameters
    ----------
    methods : dict of str to function
    properties : dict of str to property
    behaviour : dict of str to function
        Implementations of special methods: ``__repr__``, ``__array_function__``, ...
    """
    cdef object namespace = <object>(<TypeWithDict*>ndarray).tp_dict
    namespace.update(methods)
    namespace.update(properties)
    namespace["__array_ufunc__"] = gpunp_array_ufunc_method(ndarray, <void*>_array_ufunc)
    namespace["__hash__"] = None
    BEHAVIOUR.update(behaviour)
    PyType_Modified(<PyTypeObject*>ndarray)


# NumPy's arrays are sequences of patterns from NumPy 2.5 on.
gpunp_match_like(ndarray, numpy.ndarray)
