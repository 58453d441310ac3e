# To the interpreter, functions without a binding are those of C, which it calls faster.
# cython: binding=False
"""The calls that the code of a program makes in place of others, where each nanosecond counts.

The transformed code calls `place`, `home` and `spread`; `Maker` stands for a function of NumPy that creates arrays, and
`Import` for Python's ``__import__``.
"""
import copy
import sys
import types

import numpy

from cpython.object cimport PyObject, PyTypeObject
from gpunp.array.ndarray cimport ndarray

from gpunp.array.sharing import shared_or_copy
from gpunp.running.counting import MARK

ctypedef PyObject* (*Vectorcall)(PyObject*, PyObject* const*, size_t, PyObject*) noexcept

cdef extern from *:
    """
    // How NumPy's arrays begin, which is a part of its ABI.
    typedef struct {
        PyObject_HEAD
        char* data;
        int nd;
        Py_ssize_t* dimensions;
        Py_ssize_t* strides;
        PyObject* base;
    } gpunp_host_array;

    static void gpunp_set_vectorcall_offset(PyTypeObject* type, Py_ssize_t offset, unsigned long flags) {
        type->tp_vectorcall_offset = offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | flags;
        type->tp_call = PyVectorcall_Call;
        PyType_Modified(type);
    }
    """
    ctypedef struct HostArray "gpunp_host_array":
        int nd
        Py_ssize_t* dimensions
        PyObject* base
    void set_vectorcall_offset "gpunp_set_vectorcall_offset"(PyTypeObject*, Py_ssize_t, unsigned long)

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject*)
    void Py_INCREF(object)
    void Py_DECREF(PyObject*)
    PyTypeObject* raw_type "Py_TYPE"(PyObject*)
    PyTypeObject PyLong_Type, PyTuple_Type, PyList_Type
    unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    Py_ssize_t PyVectorcall_NARGS(size_t) nogil
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*)
    PyObject* PyObject_CallOneArg(PyObject*, PyObject*)
    PyObject* PyEval_GetGlobals()
    int PyUnicode_Tailmatch(object, object, Py_ssize_t, Py_ssize_t, int) except -1
    Py_ssize_t PY_SSIZE_T_MAX
    PyObject** PySequence_Fast_ITEMS(PyObject*)
    Py_ssize_t PySequence_Fast_GET_SIZE(PyObject*)
    long long PyLong_AsLongLongAndOverflow(PyObject*, int*)
    PyObject* tuple_item "PyTuple_GET_ITEM"(PyObject*, Py_ssize_t)
    Py_ssize_t tuple_size "PyTuple_GET_SIZE"(PyObject*)
    int PyUnicode_CompareWithASCIIString(PyObject*, const char*)

cdef object _array = numpy.ndarray
cdef PyTypeObject* _array_type = <PyTypeObject*>_array
cdef PyTypeObject* _device_type = <PyTypeObject*>ndarray
cdef str _MARK = MARK
# Arrays with fewer elements stay NumPy's; none are moved before `start`.
cdef Py_ssize_t _least = sys.maxsize
# References to an argument of a function of this module to which its caller keeps none.
cdef Py_ssize_t _references_to_new = 1
cdef Py_ssize_t _references_in_home = 1
# Called with a NumPy array; returns a device array, or the array itself.
cdef object _move = None

# How a `Maker` knows the size of a result before it is made.
BY_RESULT, BY_SHAPE, BY_ONLY_ARGUMENT, BY_THIRD, BY_ARRAYS, BY_OUT, BY_PRODUCT = range(7)
cdef int _BY_ARRAYS = BY_ARRAYS, _BY_OUT = BY_OUT, _BY_PRODUCT = BY_PRODUCT
# Sequences within sequences that NumPy takes for dimensions.
cdef int _MOST_DIMENSIONS = 64


def learn(value):
    """Count the references to a new object, as `place` gets it; they depend on the interpreter."""
    global _references_to_new
    _references_to_new = Py_REFCNT(<PyObject*>value)


def learn_home(value, int count):
    """Count them for `home`."""
    global _references_in_home
    _references_in_home = Py_REFCNT(<PyObject*>value)


def start(Py_ssize_t least, move):
    """Begin to move arrays of ``least`` elements or more."""
    global _least, _move
    _least, _move = least, move


def stop():
    """Leave all arrays where they are from now on."""
    global _least
    _least = sys.maxsize


def least_elements():
    """From how many elements arrays are moved."""
    return _least


cdef inline bint _is_large(PyObject* array) noexcept:
    """Whether an array has so many elements that it is moved, and memory that nothing else knows.

    It may be a view of an array to which only the view refers.
    """
    cdef HostArray* host = <HostArray*>array
    cdef Py_ssize_t size = 1
    cdef int i
    if host.base != NULL and (
        raw_type(host.base) != _array_type or Py_REFCNT(host.base) != 1 or (<HostArray*>host.base).base != NULL
    ):
        return False
    for i in range(host.nd):
        size *= host.dimensions[i]
    return size >= _least


def place(value):
    """Return the value of an expression; a large array to which nothing else refers is moved to the device.

    No program can tell the difference: there is no view of such an array, and no second name.
    """
    cdef PyObject* found = <PyObject*>value
    if raw_type(found) == _array_type:
        if Py_REFCNT(found) == _references_to_new and _is_large(found):
            return _move(value)
    elif isinstance(value, tuple) and Py_REFCNT(found) == _references_to_new and len(value) < 16:
        return _place_items(value)
    return value


def home(value, int count):
    """Return a value for a name whose elements a loop visits by ``count`` numbers: such an array is the host's.

    Arrays to which something else refers, and views, stay where they are.
    """
    cdef PyObject* found = <PyObject*>value
    if Py_REFCNT(found) != _references_in_home or _least == PY_SSIZE_T_MAX:
        return value
    if type(value) is ndarray:
        if (<ndarray>value).ndim_ == count and (<ndarray>value).base_ is None and not (<ndarray>value).scalar:
            return shared_or_copy(value)
    elif raw_type(found) == _array_type and (<HostArray*>found).nd > count and _is_large(found):
        return _move(value)
    return value


cdef object _place_items(object items):
    cdef bint moved = False
    cdef list placed = [None] * len(items)
    cdef PyObject* item
    cdef Py_ssize_t i
    for i in range(len(items)):
        item = tuple_item(<PyObject*>items, i)
        if raw_type(item) == _array_type and Py_REFCNT(item) == 1 and _is_large(item):
            placed[i] = _move(<object>item)
            moved = True
        else:
            placed[i] = <object>item
    if not moved:
        return items
    if type(items) is tuple:
        return tuple(placed)
    return items._make(placed) if hasattr(items, "_make") else items


def settled(result):
    """Return the result of a function that makes arrays, with those in a tuple moved."""
    return _place_items(result) if isinstance(result, tuple) else result


cdef object _settled = settled


def spread(operator, left, right):
    """Call a binary operator whose operands broadcast: on the device if the result is large."""
    cdef PyObject *a = <PyObject*>left, *b = <PyObject*>right
    if raw_type(a) == _array_type and raw_type(b) == _array_type and _is_large_together(<HostArray*>a, <HostArray*>b):
        left = _move(left)
    return operator(left, right)


cdef bint _is_large_together(HostArray* a, HostArray* b) noexcept:
    """Whether the result of broadcasting two arrays is large."""
    cdef Py_ssize_t size = 1, extent
    cdef int i, ndim = max(a.nd, b.nd)
    if a.nd == 0 or b.nd == 0:
        return False
    for i in range(1, ndim + 1):
        extent = a.dimensions[a.nd - i] if i <= a.nd else 1
        if extent == 1 and i <= b.nd:
            extent = b.dimensions[b.nd - i]
        size *= extent
    return size >= _least


cdef class Maker:
    """A function of NumPy that creates arrays: large ones on the device.

    Parameters
    ----------
    function : callable
        NumPy's.
    device_function : callable, optional
        Called with the same arguments if the result will be large.
    measure : int
        ``BY_SHAPE`` if the first argument is the shape, ``BY_ONLY_ARGUMENT`` if it is the extent and there is no other
        positional argument, ``BY_THIRD`` if the third one or ``num`` is the extent. ``BY_ARRAYS`` calls the device
        function if the first argument is a device array, or a sequence that begins with one, and ``BY_OUT`` if
        ``out`` is one. ``BY_PRODUCT`` is for results with an element for each combination of those of the arguments,
        which are NumPy's arrays. Otherwise the result is moved.
    """

    cdef Vectorcall vectorcall
    cdef readonly object __wrapped__
    cdef object device_function
    cdef int measure
    cdef dict __dict__

    def __init__(self, function, device_function=None, int measure=BY_RESULT):
        self.__wrapped__, self.device_function, self.measure = function, device_function, measure
        self.vectorcall = _call
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))

    def __reduce__(self):
        # The copy of a function is the function itself, so that programs without gpunp can read the pickle.
        return copy.copy, (self.__wrapped__,)

    def __repr__(self):
        return repr(self.__wrapped__)

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)

    def __eq__(self, other):
        # A program's table for `__array_function__` is asked for NumPy's function.
        return self.__wrapped__ == (other.__wrapped__ if isinstance(other, Maker) else other)

    def __hash__(self):
        return hash(self.__wrapped__)


cdef class Method(Maker):
    """A method that creates arrays, such as one of a generator of random numbers; `device_function` is for ``out``."""

    def __get__(self, owner, cls):
        return self if owner is None else types.MethodType(self, owner)


cdef class Import(Maker):
    """Python's ``__import__``; the modules of a program get other modules than libraries.

    Parameters
    ----------
    function : callable
        Python's.
    modules : gpunp.running.numpy_of_programs.Modules
        NumPy's modules for programs.
    """

    cdef dict made
    cdef object later

    def __init__(self, function, modules):
        super().__init__(function, modules.find)
        self.made, self.later = modules.made, modules.later
        self.vectorcall = <Vectorcall><void*>_imported

    cdef object answer(self, name, bint is_package, found):
        """What a program gets for a module that was found."""
        if is_package:
            name = name.partition(".")[0]
        if name in self.made:
            return self.made[name]
        return self.device_function(name) if name in self.later else found


cdef PyObject* _argument(
    PyObject* const* args, Py_ssize_t count, PyObject* names, int position, const char* name
) noexcept:
    """An argument of a call by its position, if that is not negative, or its name; NULL if it is not there."""
    cdef Py_ssize_t i
    if 0 <= position < count:
        return args[position]
    if names != NULL:
        for i in range(tuple_size(names)):
            if not PyUnicode_CompareWithASCIIString(tuple_item(names, i), name):
                return args[count + i]
    return NULL


cdef PyObject* _imported(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) except NULL:
    """The vectorcall of an `Import`: unlike a function, it leaves no line in the tracebacks of errors."""
    cdef Py_ssize_t count = PyVectorcall_NARGS(flags)
    cdef PyObject* found = PyObject_Vectorcall(<PyObject*>(<Maker>self).__wrapped__, args, flags, names)
    cdef PyObject* name = _argument(args, count, names, 0, "name")
    cdef PyObject* space = _argument(args, count, names, 1, "globals")
    cdef PyObject* level = _argument(args, count, names, 4, "level")
    cdef PyObject* parts = _argument(args, count, names, 3, "fromlist")
    cdef object answer
    if found == NULL or not PyUnicode_Tailmatch(<object>name, "numpy", 0, PY_SSIZE_T_MAX, -1):
        return found
    if space == NULL or space == <PyObject*>None:
        space = PyEval_GetGlobals()
    if space == NULL or _MARK not in <object>space or (level != NULL and <object>level):
        return found
    answer = (<Import>self).answer(<object>name, parts == NULL or not <object>parts, <object>found)
    Py_INCREF(answer)
    Py_DECREF(found)
    return <PyObject*>answer


cdef PyObject* _call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) noexcept:
    """The vectorcall of a `Maker`."""
    cdef PyObject *result, *moved, *out
    cdef int measure = (<Maker>self).measure
    cdef Py_ssize_t count = PyVectorcall_NARGS(flags)
    if measure == _BY_ARRAYS:
        if (count and _holds_array(args[0])) or (not count and names != NULL):
            return PyObject_Vectorcall(<PyObject*>(<Maker>self).device_function, args, flags, names)
    elif measure == _BY_OUT:
        out = _argument(args, count, names, -1, "out")
        if out != NULL and raw_type(out) == _device_type:
            return PyObject_Vectorcall(<PyObject*>(<Maker>self).device_function, args, flags, names)
    elif measure and _size(measure, args, count, names) >= _least:
        return PyObject_Vectorcall(<PyObject*>(<Maker>self).device_function, args, flags, names)
    result = PyObject_Vectorcall(<PyObject*>(<Maker>self).__wrapped__, args, flags, names)
    if result == NULL or Py_REFCNT(result) != 1:
        return result
    if raw_type(result) == _array_type:
        if not _is_large(result):
            return result
        moved = PyObject_CallOneArg(<PyObject*>_move, result)
    elif raw_type(result) == &PyTuple_Type:
        moved = PyObject_CallOneArg(<PyObject*>_settled, result)
    else:
        return result
    Py_DECREF(result)
    return moved


cdef bint _holds_array(PyObject* value) noexcept:
    """Whether a value is a device array, or a sequence that begins with one that is no scalar."""
    # A list may contain itself.
    cdef int rest = _MOST_DIMENSIONS
    if raw_type(value) == _device_type:
        return True
    while rest and (raw_type(value) == &PyList_Type or raw_type(value) == &PyTuple_Type):
        if not PySequence_Fast_GET_SIZE(value):
            return False
        value = PySequence_Fast_ITEMS(value)[0]
        rest -= 1
    return raw_type(value) == _device_type and not (<ndarray>value).scalar


cdef Py_ssize_t _size(int measure, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept:
    """The number of elements that a call will make, or -1 if it is not known."""
    cdef PyObject* shape = NULL
    cdef Py_ssize_t i, size = 1, extent
    if measure == _BY_PRODUCT:
        return _combinations(args, count)
    if measure == BY_THIRD:
        shape = _argument(args, count, names, 2, "num")
    elif measure == BY_SHAPE:
        shape = _argument(args, count, names, 0, "shape")
    elif count == 1:
        shape = args[0]
    if shape == NULL:
        return -1
    if raw_type(shape) != &PyTuple_Type and raw_type(shape) != &PyList_Type:
        return _extent(shape)
    for i in range(PySequence_Fast_GET_SIZE(shape)):
        extent = _extent(PySequence_Fast_ITEMS(shape)[i])
        if extent < 0 or size > 1 << 40:
            return -1
        size *= extent
    return size


cdef Py_ssize_t _combinations(PyObject* const* args, Py_ssize_t count) noexcept:
    """The product of the sizes of two arrays or more, or -1 if an argument is no array of NumPy."""
    cdef Py_ssize_t i, d, product = 1
    if count < 2:
        return -1
    for i in range(count):
        if raw_type(args[i]) != _array_type:
            return -1
        for d in range((<HostArray*>args[i]).nd):
            product *= (<HostArray*>args[i]).dimensions[d]
            if product > 1 << 40:
                return -1
    return product


cdef Py_ssize_t _extent(PyObject* value) noexcept:
    cdef int overflow = 0
    cdef long long extent
    if raw_type(value) != &PyLong_Type:
        return -1
    extent = PyLong_AsLongLongAndOverflow(value, &overflow)
    return -1 if overflow or extent > 1 << 40 else extent


cdef int _prepare() except -1:
    cdef Maker example = Maker(len)
    cdef Py_ssize_t offset = <char*>&example.vectorcall - <char*><PyObject*>example
    set_vectorcall_offset(<PyTypeObject*>Maker, offset, 0)
    set_vectorcall_offset(<PyTypeObject*>Import, offset, 0)
    # Python calls a method by this flag without an object that binds it.
    set_vectorcall_offset(<PyTypeObject*>Method, offset, Py_TPFLAGS_METHOD_DESCRIPTOR)
    return 0


_prepare()
