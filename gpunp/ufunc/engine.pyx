"""The ufuncs: typed loops selected by NumPy's promotion, and the call itself."""
import importlib
import inspect

import numpy as np

from cpython.object cimport PyObject

from gpunp.array.ndarray cimport MAX_NDIM, as_scalar, code_of, dtype_of, ndarray, new_array
from gpunp.array.strides cimport product
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport BOOL, F4, F8, is_signed, itemsize_of
from gpunp.ufunc.broadcasting cimport broadcast, broadcast_to_output, new_output, shapes_text, suits_scalars
from gpunp.ufunc.operands cimport (
    FOREIGN, HOST_ARRAY, KINDS, WEAK_INT, classify, promotion_type, store_scalar, upload_operands,
)
from gpunp.ufunc.outputs cimport (
    check_output_dtypes, check_outputs, device_of_results, given_outputs, into_outputs, warn_of_inputs, where_mask,
)
from gpunp.ufunc.plan cimport MAX_INPUTS, MAX_OPERANDS, ElementwiseParams, Loop, Operand, describe, execute

from gpunp.array.arguments import order_name
from gpunp.array.dtype import as_dtype
from gpunp.array.numpy_internals import umath
from gpunp.dispatch.first_use import first_use
from gpunp.dtype_codes import CHARS, NAMES
from gpunp.ufunc.table.row import BY_SCALARS, TILED, unit_of

try:
    from gpunp.ufunc.rows import ROWS
except ModuleNotFoundError:
    # Not written yet: the sources are used before they are built.
    from gpunp.ufunc import table
    from gpunp.ufunc.write_rows import rows_of
    ROWS = rows_of(table)

cdef extern from "Python.h":
    PyObject** PySequence_Fast_ITEMS(object values)

cdef object NoValue = np._NoValue
_compare_objects = first_use("gpunp.ufunc.equality", "compare_objects")
_stand_in = first_use("gpunp.ufunc.promotion", "TypedLoops")
_CASTINGS = frozenset({"no", "equiv", "safe", "same_kind", "unsafe"})
_COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})


cpdef object fixed_types(object ufunc, object signature, object sig, object dtype):
    """The types that ``signature=``, ``sig=`` or ``dtype=`` fix, as ``resolve_dtypes`` takes them, or None."""
    if sig is not NoValue:
        if signature is not NoValue:
            raise TypeError("cannot specify both 'sig' and 'signature'")
        signature = sig
    if signature is NoValue:
        return None if dtype is None else (None,) * ufunc.nin + (as_dtype(dtype),) * ufunc.nout
    if dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if not isinstance(signature, (str, bytes, tuple)):
        raise TypeError("the signature object to ufunc must be a string or a tuple.")
    return signature


cpdef int check_rules(object casting, object subok) except -1:
    """Raise if ``casting=`` or ``subok=`` is invalid."""
    if not isinstance(casting, str):
        raise TypeError(f"casting must be str, not {type(casting).__name__}")
    if casting not in _CASTINGS:
        raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' "
                         f"(got {casting!r})")
    if subok is not True and subok is not False:
        raise TypeError("'subok' must be a boolean")
    return 0


cdef class Ufunc:
    """A universal function, which operates element by element on broadcast operands.

    Called like NumPy's ufunc of the same name, with the same keywords; `reduce`, `accumulate`,
    `reduceat`, `outer` and `at` are available where NumPy has them.
    """

    def __init__(self, str namespace, str name, str family, identity, tuple types, tuple standard):
        inputs, _, outputs = types[0].partition("->")
        self.namespace = namespace
        self.name = name
        self.family = family
        self.identity = identity
        self.typed = types
        self.standard = standard
        self.nin = len(inputs)
        self.nout = len(outputs)
        self.comparison = name in _COMPARISONS
        self.compares_objects = name in ("equal", "not_equal")
        self.checks_exponent = name == "power"
        self.resolved = [None] * pow(<object>KINDS, <object>self.nin) if self.nin < 4 else None
        self.resolved_by_kinds = {}
        self.loops = {}

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return self.name

    @property
    def __doc__(self):
        # Composed on access, as few programs read it.
        from gpunp.docstrings.ufuncs import ufunc_docstring

        return ufunc_docstring(self)

    @property
    def path(self):
        """The dotted name users call."""
        return f"{'gpunp' if self.namespace == 'array_api' else self.namespace}.{self.name}"

    @property
    def nargs(self):
        return self.nin + self.nout

    @property
    def signature(self):
        """None: only generalized ufuncs have a signature."""
        return None

    @property
    def types(self):
        """The typed loops in NumPy's notation, such as ``"ff->f"``."""
        return list(self.typed)

    @property
    def ntypes(self):
        return len(self.typed)

    @property
    def numpy_ufunc(self):
        """The ufunc of NumPy or SciPy, whose promotion rules are used, or what stands in for it."""
        if self.found_ufunc is None and self.namespace == "internal":
            self.found_ufunc = _stand_in(self.path, self.typed)
        elif self.found_ufunc is None:
            module = importlib.import_module("numpy" if self.namespace == "array_api" else self.namespace)
            # SciPy wraps its ufuncs in array API mode. np.clip is a function over a ufunc; _ones_like is not public.
            found = inspect.unwrap(getattr(module, self.name, None))
            self.found_ufunc = found if isinstance(found, np.ufunc) else getattr(umath, self.name)
        return self.found_ufunc

    def __repr__(self):
        prefix = "" if self.namespace in ("numpy", "array_api") else self.namespace + "."
        return f"<gpunp ufunc '{prefix}{self.name}'>"

    def __reduce__(self):
        return ufunc_by_name, (self.namespace, self.name)

    def __call__(self, *args, out=None, where=True, casting="same_kind", order="K", dtype=None, subok=True,
                 signature=NoValue, sig=NoValue):
        cdef tuple outs = None
        cdef int given = len(args)
        if given != self.nin:
            if given < self.nin or given > self.nin + self.nout:
                raise TypeError(f"{self.name}() takes from {self.nin} to {self.nin + self.nout} positional "
                                f"arguments but {given} were given")
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            out = args[self.nin:] + (None,) * (self.nin + self.nout - given)
            args = args[:self.nin]
        if out is not None:
            outs = given_outputs(self, out)
        if dtype is None and signature is NoValue and sig is NoValue:
            signature = None
        else:
            signature = fixed_types(self, signature, sig, dtype)
        check_rules(casting, subok)
        if order != "K":
            order = order_name(order, "K")
        if not self.compares_objects:
            return call(self, PySequence_Fast_ITEMS(args), outs, where, casting, order, signature, False)
        try:
            return call(self, PySequence_Fast_ITEMS(args), outs, where, casting, order, signature, False)
        except TypeError:
            if (where is not True or casting != "same_kind" or signature is not None or type(args[0]) is str
                    or type(args[1]) is str):
                raise
            result = _compare_objects(args[0], args[1], self.name == "not_equal")
            if result is NotImplemented:
                raise
        if outs is None:
            return result
        outs[0][...] = result
        return outs[0]

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True):
        """Reduce along axes; see ``numpy.ufunc.reduce``."""
        return methods().reduce(self, array, axis, dtype, out, keepdims, initial, where)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Accumulate partial results along an axis; see ``numpy.ufunc.accumulate``."""
        return methods().accumulate(self, array, axis, dtype, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Reduce over slices of an axis; see ``numpy.ufunc.reduceat``."""
        return methods().reduceat(self, array, indices, axis, dtype, out)

    def outer(self, A, B, /, **kwargs):
        """Apply to all pairs of elements; see ``numpy.ufunc.outer``."""
        return methods().outer(self, A, B, **kwargs)

    def at(self, a, indices, b=None, /):
        """Operate in place and unbuffered at indices; see ``numpy.ufunc.at``."""
        return methods().at(self, a, indices, b)

    def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
        """Return NumPy's own result; see ``numpy.ufunc.resolve_dtypes``."""
        options = {"signature": signature, "casting": casting}
        options = {name: value for name, value in options.items() if value is not None}
        return self.numpy_ufunc.resolve_dtypes(dtypes, reduction=reduction, **options)

    def loop_of(self, dtypes):
        """Return the `Loop` for dtypes that `resolve_dtypes` returned."""
        return self._loop(tuple([code_of(d) for d in dtypes[:self.nin]]))

    def _loop(self, codes):
        loop = self.loops.get(codes)
        if loop is None:
            inputs = "".join([CHARS[c] for c in codes]) + "->"
            typed = [text for text in self.typed if text.startswith(inputs)]
            if not typed:
                names = ", ".join(str(dtype_of(c)) for c in codes)
                raise TypeError(f"{self.path} has no device loop for ({names}); convert an operand with astype")
            loop = self.loops[codes] = _typed_loop(self, typed[0], codes)
        return loop

    def _resolve(self, kinds, casting, signature, outs):
        """Return the loop that NumPy selects; raises NumPy's error if there is none."""
        dtypes = tuple([promotion_type(k) for k in kinds])
        if outs is None:
            dtypes += (None,) * self.nout
        else:
            dtypes += tuple([None if out is None else out.dtype for out in outs])
        options = {} if signature is None else {"signature": signature}
        return self.loop_of(self.numpy_ufunc.resolve_dtypes(dtypes, casting=casting, **options))

    cdef Loop loop_for(self, int* kinds):
        """Return the cached loop for operands of these kinds and default options."""
        cdef Py_ssize_t key = 0
        cdef int i
        for i in range(self.nin):
            key = key * KINDS + kinds[i]
        found = self.resolved_by_kinds.get(key) if self.resolved is None else self.resolved[key]
        if found is None:
            found = self._resolve([kinds[i] for i in range(self.nin)], "same_kind", signature=None, outs=None)
            if self.resolved is None:
                self.resolved_by_kinds[key] = found
            else:
                self.resolved[key] = found
        return <Loop>found


def _typed_loop(Ufunc self, text, codes):
    """Return the loop of a type signature; its symbol is that of `Row.symbol`."""
    cdef tuple outputs = tuple([CHARS.index(c) for c in text[self.nin + 2:]])
    prefix = "standard_" if text in self.standard else ""
    symbol = f"{prefix}{self.name}_{''.join([NAMES[c] for c in codes])}"
    return Loop(unit_of(self.family, NAMES[codes[0]]), symbol, codes + outputs, self.nin, self.name in TILED)


# Set by `install_methods`: imports the module of the methods; and the module once it is imported.
cdef object _import_methods = None
cdef object _methods = None


def install_methods(find):
    """Set the function that imports the module of the ufuncs' methods; it is called once, at the first use."""
    global _import_methods
    _import_methods = find


cdef object methods():
    """The module of the methods, which use engines of a higher rank than this one."""
    global _methods
    if _methods is None:
        _methods = _import_methods()
    return _methods


cdef object _constant_comparison(Ufunc self, object left, object right, int k, int ndim,
                                 const Py_ssize_t* shape, Device device, tuple outs):
    """Compare with an integer outside the dtype's range: the result is the same for every element."""
    cdef ndarray out
    zero = np.zeros((), (left if k == 1 else right).dtype)
    answer = self.numpy_ufunc(zero, right) if k == 1 else self.numpy_ufunc(left, zero)
    out = new_array(BOOL, ndim, shape, device) if outs is None else outs[0]
    out[...] = bool(answer)
    return as_scalar(out) if outs is None else out


cdef inline Device _read_operands(Ufunc self, PyObject** args, Operand* operands, int* kinds, int* foreign,
                                  bint* pending):
    """Describe the device arrays and classify the other operands; return the device of the arrays, or None.

    ``foreign`` is set to the first operand that cannot be converted, ``pending`` if an operand must be
    uploaded.
    """
    cdef Device device = None
    cdef ndarray array
    cdef int i
    for i in range(self.nin):
        x = <object>args[i]
        if isinstance(x, ndarray):
            array = <ndarray>x
            if device is None:
                device = array.device_
            elif array.device_ is not device:
                raise ValueError(f"{self.path}: the operands are on {device} and {array.device_}; "
                                 "move one with to_device")
            describe(&operands[i], array)
            kinds[i] = array.code
        else:
            kinds[i] = classify(x)
            if kinds[i] == FOREIGN:
                foreign[0] = i
                return device
            pending[0] = pending[0] or kinds[i] == HOST_ARRAY
            operands[i].scalar = True
            operands[i].ndim = 0
            operands[i].size = 1
            operands[i].data = NULL
    return device


cdef inline int _store_scalars(Ufunc self, Loop loop, PyObject** args, Operand* operands, const int* kinds,
                               ElementwiseParams* params, bint masked, int ndim,
                               const Py_ssize_t* shape) except -2:
    """Write the scalars for the kernel; return the index of an integer outside a comparison's dtype, else -1."""
    cdef int i
    for i in range(self.nin):
        if not operands[i].scalar:
            continue
        operands[i].code = loop.codes[i]
        try:
            store_scalar(params.scalar[i], loop.codes[i], <object>args[i])
        except OverflowError:
            if self.comparison and kinds[i] == WEAK_INT and not masked:
                return i
            raise
        # With where=, only the kernel knows whether an element is computed, so it checks the exponent.
        if (i == 1 and self.checks_exponent and is_signed(loop.codes[1]) and not masked
                and params.scalar[1][itemsize_of(loop.codes[1]) - 1] & 0x80 and product(ndim, shape)):
            raise ValueError("Integers to negative integer powers are not allowed.")
    return -1


cdef object call(Ufunc self, PyObject** args, tuple outs, object where, object casting, object order,
                 object signature, bint operator):
    """Run a ufunc over ``nin`` borrowed operands."""
    cdef ElementwiseParams params
    cdef Operand[MAX_OPERANDS + 1] operands
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef int[MAX_INPUTS] kinds
    cdef int ndim, outside, foreign = -1, nin = self.nin
    cdef bint pending = False
    cdef ndarray array, mask = None
    cdef Operand* masked = NULL
    cdef list _uploads
    cdef Loop loop
    cdef Device device = _read_operands(self, args, operands, kinds, &foreign, &pending)
    if foreign >= 0:
        if operator:
            return NotImplemented
        raise TypeError(f"{self.path}: operand {foreign} is {type(<object>args[foreign]).__name__}, "
                        "which gpunp cannot convert")
    if device is None:
        device = device_of_results(outs, where)
    if pending:
        _uploads = upload_operands(self, args, operands, kinds, device)
    check_status(device)
    if signature is None and casting == "same_kind":
        loop = self.loop_for(kinds)
    else:
        loop = <Loop>self._resolve([kinds[i] for i in range(nin)], casting, signature, outs)
        warn_of_inputs(loop, kinds)
    if outs is not None:
        check_output_dtypes(self, loop, outs, casting)
    if where is not True:
        mask = where_mask(where, device)
        masked = &operands[MAX_OPERANDS]
        describe(masked, mask)
        operands[nin] = masked[0]
        ndim = broadcast(operands, nin + 1, shape)
    else:
        ndim = broadcast(operands, nin, shape)
    if ndim < 0:
        raise ValueError("operands could not be broadcast together with shapes "
                         + shapes_text(operands, nin + (mask is not None)) + " ")
    if outs is not None:
        # The operands are broadcast to outputs that have more dimensions, or longer axes where theirs have length 1.
        for x in outs:
            if x is not None:
                describe(&operands[nin], <ndarray>x)
                ndim = broadcast_to_output(shape, ndim, &operands[nin])
        check_outputs(self, loop, outs, ndim, shape, device)
    outside = _store_scalars(self, loop, args, operands, kinds, &params, masked != NULL, ndim, shape)
    if outside >= 0:
        return _constant_comparison(self, <object>args[0], <object>args[1], outside, ndim, shape, device, outs)
    if (self.by_scalars is not None and (loop.codes[0] == F4 or loop.codes[0] == F8)
            and suits_scalars(self.namespace, loop.codes, operands, &params, nin, product(ndim, shape))):
        if loop.by_scalars is None:
            loop.by_scalars = <Loop>self.by_scalars._loop((loop.codes[0],) * nin)
        loop = loop.by_scalars
    if outs is not None or self.nout > 1:
        return into_outputs(loop, args, mask, operands, masked, ndim, shape, device, outs, order, &params)
    # The common call creates no tuple and no list.
    array = new_output(loop.codes[nin], operands, nin, ndim, shape, device, order)
    describe(&operands[nin], array)
    execute(loop, device, &params, operands, masked, ndim, shape)
    return as_scalar(array)


UFUNCS = {row[:2]: Ufunc(*row) for row in ROWS}
for _name, _simpler in BY_SCALARS.items():
    (<Ufunc>UFUNCS[_name]).by_scalars = UFUNCS["internal", _simpler]


def ufunc_by_name(namespace, name):
    """Return the `Ufunc` of a namespace; used by unpickling."""
    return UFUNCS[namespace, name]


cdef Ufunc ufunc_named(str name):
    return <Ufunc>UFUNCS["numpy", name]
