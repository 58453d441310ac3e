"""Hooks on functions of other libraries that have no protocol: calls with a device array go to a handler.

The function *object* is hooked, by its vectorcall pointer, so that names imported before gpunp are hooked
too. The object keeps its identity, signature and pickle. A call without device arrays costs some 20 ns
more, as the types of its arguments are compared by pointer. Functions written in Python or by Cython can be
hooked; C functions cannot, as the interpreter calls them without their vectorcall pointer.

Python 3.11 calls Python functions without their vectorcall pointer too, and Python 3.13 and later an ``__init__`` once
a call of its class is specialized: there ``__code__`` is replaced.
"""
import importlib
import sys
import types
# What `threading` has under the same name, without importing that.
from _thread import RLock

from cpython.exc cimport PyErr_SetObject
from cpython.ref cimport PyObject, PyTypeObject
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport calloc

from gpunp.array.ndarray cimport ndarray

ctypedef PyObject* (*Vectorcall)(PyObject*, PyObject* const*, size_t, PyObject*) noexcept

cdef extern from *:
    """
    #if PY_VERSION_HEX >= 0x030C0000
    #define GPUNP_HOOKS_PYTHON_FUNCTIONS 1
    #define gpunp_set_vectorcall(function, call) PyFunction_SetVectorcall((PyFunctionObject*)(function), (call))
    #else
    #define GPUNP_HOOKS_PYTHON_FUNCTIONS 0
    #define gpunp_set_vectorcall(function, call) ((void)(function), (void)(call))
    #endif
    /* Whether CALL_ALLOC_AND_ENTER_INIT runs the code of an __init__ directly. */
    #define GPUNP_INLINES_CONSTRUCTORS (PY_VERSION_HEX >= 0x030D0000)

    /* Where an object keeps its vectorcall, or NULL. */
    static vectorcallfunc* gpunp_vectorcall_slot(PyObject* function) {
        PyTypeObject* type = Py_TYPE(function);
        if (PyType_HasFeature(type, Py_TPFLAGS_HAVE_VECTORCALL) && type->tp_vectorcall_offset > 0)
            return (vectorcallfunc*)((char*)function + type->tp_vectorcall_offset);
        return NULL;
    }
    """
    const bint HOOKS_PYTHON_FUNCTIONS "GPUNP_HOOKS_PYTHON_FUNCTIONS"
    const bint INLINES_CONSTRUCTORS "GPUNP_INLINES_CONSTRUCTORS"
    void set_vectorcall "gpunp_set_vectorcall"(PyObject*, Vectorcall)
    Vectorcall* vectorcall_slot "gpunp_vectorcall_slot"(PyObject*)

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t) nogil
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*)
    PyObject* raw_tuple_item "PyTuple_GET_ITEM"(PyObject*, Py_ssize_t)
    PyObject* raw_list_item "PyList_GET_ITEM"(PyObject*, Py_ssize_t)
    Py_ssize_t raw_tuple_size "PyTuple_GET_SIZE"(PyObject*)
    Py_ssize_t raw_list_size "PyList_GET_SIZE"(PyObject*)
    int raw_dict_next "PyDict_Next"(PyObject*, Py_ssize_t*, PyObject**, PyObject**)
    PyTypeObject* raw_type "Py_TYPE"(PyObject*)
    PyTypeObject PyTuple_Type, PyList_Type, PyDict_Type

# Depths with which a hook searches all nested containers for device arrays, and takes every argument for one.
ANYWHERE = 1000
ALWAYS = -1

# Device arrays, and the objects of classes whose type is `holder_type`, such as sparse arrays on the device.
cdef PyTypeObject* device_array = <PyTypeObject*>ndarray
cdef PyTypeObject* holder_type = NULL


def recognize(metaclass):
    """Have hooks take the objects of all classes of a metaclass, which must live on, for device arrays."""
    global holder_type
    holder_type = <PyTypeObject*>metaclass


cdef bint is_device_array(PyObject* value, int depth) noexcept:
    """Whether a value is a device array, or a container with one, down to ``depth`` containers."""
    cdef PyTypeObject* type = raw_type(value)
    cdef Py_ssize_t i = 0
    cdef PyObject *key, *item
    if type == device_array or raw_type(<PyObject*>type) == holder_type:
        return True
    if depth <= 0:
        return depth < 0
    # Exact types only: the items of subclasses are not searched.
    if type == &PyTuple_Type:
        for i in range(raw_tuple_size(value)):
            if is_device_array(raw_tuple_item(value, i), depth - 1):
                return True
    elif type == &PyList_Type:
        for i in range(raw_list_size(value)):
            if is_device_array(raw_list_item(value, i), depth - 1):
                return True
    elif type == &PyDict_Type:
        while raw_dict_next(value, &i, &key, &item):
            if is_device_array(item, depth - 1):
                return True
    return False


cdef class Hook:
    """One hooked function.

    Parameters
    ----------
    function : function
        A function written in Python or by Cython.
    handler : callable or str
        Called with the same arguments if one of them is a device array; ``"module:name"`` is imported at the
        first such call.
    depth : int
        How many levels of containers (tuples, lists, dictionaries) are searched for device arrays; 0 searches
        only the arguments themselves. With `ALWAYS` the handler gets every call that has arguments.
    """

    cdef readonly object function
    cdef readonly int depth
    cdef public bint active
    cdef object handler_
    cdef Vectorcall base
    # Where the code of a function is replaced: the original code, the new one, and whether ``__wrapped__`` was added.
    cdef object code
    cdef object original_

    def __init__(self, function, handler, int depth=0):
        self.function, self.depth = function, depth
        self.handler = handler

    @property
    def handler(self):
        """The function that is called with device arrays."""
        if isinstance(self.handler_, str):
            module, _, name = self.handler_.partition(":")
            self.handler_ = getattr(importlib.import_module(module), name)
        return self.handler_

    @handler.setter
    def handler(self, handler):
        if not (callable(handler) or isinstance(handler, str)):
            raise TypeError(f"the handler of a hook is a function or 'module:name', not {handler!r}")
        self.handler_ = handler

    @property
    def original(self):
        """The function without the hook, for handlers that call it with device arrays."""
        if self.original_ is None:
            self.original_ = copy_of(self.function) if isinstance(self.function, types.FunctionType) else Original(self)
        return self.original_

    cdef int install(self) except -1:
        cdef PyObject* function = <PyObject*>self.function
        cdef Vectorcall* slot = vectorcall_slot(function)
        if isinstance(self.function, types.FunctionType):
            if not HOOKS_PYTHON_FUNCTIONS or (INLINES_CONSTRUCTORS and self.function.__name__ == "__init__"):
                return self.exchange_code()
        elif slot == NULL or slot[0] == NULL or isinstance(
            self.function, types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType | type
        ):
            raise TypeError(
                f"cannot hook {self.function!r}: only functions written in Python or by Cython can be hooked"
            )
        if slot[0] == call:
            return 0
        self.base = slot[0]
        put(self)
        if isinstance(self.function, types.FunctionType):
            set_vectorcall(function, call)
        else:
            slot[0] = call
        return 0

    cdef int uninstall(self) except -1:
        cdef PyObject* function = <PyObject*>self.function
        cdef Vectorcall* slot = vectorcall_slot(function)
        if self.code is not None:
            if self.function.__code__ is self.code[1]:
                self.function.__code__ = self.code[0]
                if self.code[2]:
                    del self.function.__wrapped__
            self.code = None
        elif slot != NULL and slot[0] == call:
            if isinstance(self.function, types.FunctionType):
                set_vectorcall(function, self.base)
            else:
                slot[0] = self.base
        return 0

    cdef int exchange_code(self) except -1:
        """Hook a Python function without its vectorcall pointer: replace its code by a call of this object."""
        if self.code is not None:
            return 0
        from gpunp.dispatch.hook_template import PLACE, template_of
        function = self.function
        original = self.original
        before = function.__code__
        template = template_of(before.co_freevars)
        after = template.replace(
            co_consts=tuple(self if each == PLACE else each for each in template.co_consts),
            co_name=before.co_name, co_qualname=before.co_qualname,
            co_filename=before.co_filename, co_firstlineno=before.co_firstlineno,
        )
        # inspect.signature follows __wrapped__.
        named = not hasattr(function, "__wrapped__")
        if named:
            function.__wrapped__ = original
        self.code = (before, after, named)
        function.__code__ = after
        return 0

    def __call__(self, tuple args, dict kwargs):
        """Run a call of a Python function whose code was replaced."""
        cdef int depth = self.depth + 1 if self.depth >= 0 else ALWAYS
        if self.active and (is_device_array(<PyObject*>args, depth) or is_device_array(<PyObject*>kwargs, depth)):
            return self.handler(*args, **kwargs)
        return self.original_(*args, **kwargs)


def copy_of(function, variables=None):
    """Return a new function with the code, the defaults and the closure of another, maybe with other globals."""
    variables = function.__globals__ if variables is None else variables
    copy = types.FunctionType(
        function.__code__, variables, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__, copy.__module__, copy.__doc__ = function.__qualname__, function.__module__, function.__doc__
    copy.__dict__.update(function.__dict__)
    return copy


cdef extern from *:
    """
    #define gpunp_take_reference(object) (object)
    """
    # Takes a new reference; NULL raises the exception that is set.
    object take_reference "gpunp_take_reference"(PyObject*)
    PyObject** PySequence_Fast_ITEMS(object)


cdef class Original:
    """A function written by Cython, called without its hook."""

    cdef Hook hook

    def __init__(self, Hook hook):
        self.hook = hook

    def __call__(self, *args, **kwargs):
        cdef list values = [*args, *kwargs.values()]
        cdef tuple arguments = tuple(values)
        cdef tuple names = tuple(kwargs)
        cdef PyObject* result
        # The items of a tuple are contiguous.
        cdef PyObject** first = <PyObject**>PySequence_Fast_ITEMS(arguments)
        result = self.hook.base(
            <PyObject*>self.hook.function, first, <size_t>len(args), <PyObject*>names if kwargs else NULL
        )
        return take_reference(result)

    def __repr__(self):
        return f"<original of {self.hook.function!r}>"


# Hash table from functions to hooks, by open addressing. Calls read it without a lock: entries are never removed, and
# a table that was replaced by a larger one is not freed.
cdef struct Place:
    PyObject* function
    PyObject* hook

cdef struct Table:
    Place* places
    uint64_t mask

cdef Table* table = NULL
cdef Py_ssize_t filled = 0
# Keeps hooks and functions alive for the life of the process, as a thread may be in a call of any of them.
_hooks = {}
_lock = RLock()


cdef inline Place* place_of(Table* where, PyObject* function) noexcept:
    cdef uint64_t i = ((<uintptr_t>function >> 4) * 0x9E3779B97F4A7C15ULL) >> 32
    while where.places[i & where.mask].function not in (NULL, function):
        i += 1
    return &where.places[i & where.mask]


cdef int put(Hook hook) except -1:
    """Insert a hook into the table."""
    global table, filled
    cdef Table* larger
    cdef Place* place
    cdef uint64_t i
    if table == NULL or 2 * (filled + 1) > <Py_ssize_t>table.mask:
        larger = <Table*>calloc(1, sizeof(Table))
        if larger == NULL:
            raise MemoryError
        larger.mask = 63 if table == NULL else 2 * table.mask + 1
        larger.places = <Place*>calloc(larger.mask + 1, sizeof(Place))
        if larger.places == NULL:
            raise MemoryError
        if table != NULL:
            for i in range(table.mask + 1):
                if table.places[i].function != NULL:
                    place_of(larger, table.places[i].function)[0] = table.places[i]
        table = larger
    place = place_of(table, <PyObject*>hook.function)
    if place.function == NULL:
        place.hook = <PyObject*>hook
        place.function = <PyObject*>hook.function
        filled += 1
    return 0


cdef PyObject* call(PyObject* function, PyObject* const* args, size_t flags, PyObject* names) noexcept:
    """The vectorcall of every hooked function."""
    cdef PyObject* hook = place_of(table, function).hook
    cdef Py_ssize_t count = PyVectorcall_NARGS(flags)
    cdef Py_ssize_t i
    if names != NULL:
        count += raw_tuple_size(names)
    for i in range(count):
        if is_device_array(args[i], (<Hook>hook).depth):
            if not (<Hook>hook).active:
                break
            return hand_over(<Hook>hook, args, flags, names)
    return (<Hook>hook).base(function, args, flags, names)


cdef PyObject* hand_over(Hook hook, PyObject* const* args, size_t flags, PyObject* names) noexcept:
    """Call the handler; return NULL with an exception set if it fails."""
    try:
        handler = hook.handler_ if not isinstance(hook.handler_, str) else hook.handler
    except BaseException as error:
        PyErr_SetObject(type(error), error)
        return NULL
    return PyObject_Vectorcall(<PyObject*>handler, args, flags, names)


def hook(function, handler, int depth=0):
    """Hook a function; an existing hook gets the new handler.

    Parameters
    ----------
    function, handler, depth
        As for `Hook`.

    Returns
    -------
    Hook
        The hook; its ``original`` is the function without the hook.
    """
    cdef Hook made
    with _lock:
        made = _hooks.get(function)
        if made is None:
            made = Hook(function, handler, depth)
        else:
            made.handler, made.depth = handler, depth
        made.install()
        made.active = True
        _hooks[function] = made
    return made


def unhook(function):
    """Remove the hook of a function, if it has one."""
    cdef Hook made
    with _lock:
        made = _hooks.get(function)
        if made is not None:
            made.active = False
            made.uninstall()


def is_hooked(function):
    """Whether calls of a function with device arrays go to a handler."""
    made = _hooks.get(function)
    return made is not None and made.active


def original(function):
    """Return a function without its hook."""
    made = _hooks.get(function)
    return function if made is None else made.original


def find(module, path):
    """Return the function object of a path in an imported module, such as the method ``"Generator.shuffle"``."""
    found = sys.modules[module]
    for name in path.split("."):
        found = vars(found)[name] if isinstance(found, type) else getattr(found, name)
    return getattr(found, "__func__", found)


def install(module, handlers, int depth=0):
    """Hook functions of an imported module.

    Parameters
    ----------
    module : str
        The module.
    handlers : dict of str to (callable or str)
        Paths in the module, such as ``"shuffle"`` or ``"Generator.shuffle"``, to handlers. Paths that this release
        of the module lacks are skipped.
    depth : int
        As for `Hook`.

    Returns
    -------
    dict of str to Hook
        The hooks, by path.
    """
    hooks = {}
    for path, handler in handlers.items():
        try:
            function = find(module, path)
        except (AttributeError, KeyError):
            continue
        hooks[path] = hook(function, handler, depth)
    return hooks


def remove(module, handlers):
    """Undo `install`."""
    for path in handlers:
        try:
            unhook(find(module, path))
        except (AttributeError, KeyError):
            continue
