"""NumPy's dtype rules for the values in a function that numba compiles.

numba has rules of its own: a Python number in the code is an int64 or a float64, and so is what it is added
to. NumPy's Python numbers are weak: ``0.5 * x`` has the dtype of ``x``. The analysis here follows NumPy's
rules through the intermediate code of numba: for each variable it finds a *value*, which is

- a `numpy.dtype`;
- ``int``, ``float`` or ``complex`` for a weak number;
- a tuple of values, or an `Items` of the values that an iterator yields;
- `UNKNOWN`, where numba's own type counts.

The intermediate code of numba and that of numba-cuda have different classes with the same attributes, so that
only the attributes are used.
"""

import functools
import math
import operator
import types

import numpy

BOOL = numpy.dtype(bool)
_WEAK = (int, float, complex)


class _Unknown:
    def __repr__(self):
        return "UNKNOWN"


UNKNOWN = _Unknown()


class Items:
    """An iterator or a one-dimensional array, with the value of its items."""

    def __init__(self, item):
        self.item = item


UFUNCS = {
    operator.add: numpy.add,
    operator.sub: numpy.subtract,
    operator.mul: numpy.multiply,
    operator.truediv: numpy.true_divide,
    operator.floordiv: numpy.floor_divide,
    operator.mod: numpy.remainder,
    operator.pow: numpy.power,
    operator.lshift: numpy.left_shift,
    operator.rshift: numpy.right_shift,
    operator.and_: numpy.bitwise_and,
    operator.or_: numpy.bitwise_or,
    operator.xor: numpy.bitwise_xor,
    operator.neg: numpy.negative,
    operator.pos: numpy.positive,
    operator.invert: numpy.invert,
    operator.lt: numpy.less,
    operator.le: numpy.less_equal,
    operator.gt: numpy.greater,
    operator.ge: numpy.greater_equal,
    operator.eq: numpy.equal,
    operator.ne: numpy.not_equal,
    abs: numpy.absolute,
    divmod: numpy.divmod,
    pow: numpy.power,
}
# Functions that look at an array, or iterate over it.
_OF_ITEMS = (len, range, enumerate, iter, reversed, zip)
_TRUTHS = (operator.not_, operator.is_, operator.is_not, operator.contains, operator.truth)
# Functions of `math` by the result; the others give a float.
_INTEGERS_OF_MATH = {
    math.floor,
    math.ceil,
    math.trunc,
    math.gcd,
    math.lcm,
    math.factorial,
    math.comb,
    math.isqrt,
}
_TRUTHS_OF_MATH = {math.isnan, math.isinf, math.isfinite, math.isclose}


def value_of(constant):
    """The value of a constant in the code."""
    if isinstance(constant, bool):
        return BOOL
    if type(constant) in _WEAK:
        return type(constant)
    if isinstance(constant, numpy.generic):
        return constant.dtype
    if isinstance(constant, tuple):
        return tuple(value_of(item) for item in constant)
    return UNKNOWN


def is_weak(value):
    """Whether a value is a weak number; a dtype *equals* the Python type of its numbers."""
    return isinstance(value, type)


def is_number(value):
    """Whether a value is a number, weak or not."""
    return isinstance(value, type | numpy.dtype)


def same(a, b):
    """Whether two values are the same."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Items) and isinstance(b, Items):
        return same(a.item, b.item)
    return is_weak(a) == is_weak(b) and a == b


def join(a, b):
    """The value of a variable that has one value or the other."""
    if same(a, b):
        return a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(join(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Items) and isinstance(b, Items):
        return Items(join(a.item, b.item))
    if not (is_number(a) and is_number(b)):
        return UNKNOWN
    if is_weak(a) and is_weak(b):
        return max(a, b, key=_WEAK.index)
    return numpy.result_type(*(value(0) if is_weak(value) else value for value in (a, b)))


def loop_of(ufunc, values):
    """The dtypes of the operands and results of a ufunc, or None if it does not take such values."""
    try:
        return ufunc.resolve_dtypes((*values, *[None] * ufunc.nout))
    except (TypeError, ValueError):
        return None


def of_ufunc(ufunc, values):
    """The value of a ufunc's result."""
    if len(values) != ufunc.nin or not all(map(is_number, values)):
        return UNKNOWN
    loop = loop_of(ufunc, values)
    if loop is None:
        return UNKNOWN
    results = loop[ufunc.nin :]
    if all(map(is_weak, values)):
        results = [_weak_like(dtype) for dtype in results]
    return results[0] if len(results) == 1 else tuple(results)


def _weak_like(dtype):
    """The weak value of the kind of a dtype."""
    return {"b": BOOL, "i": int, "u": int, "f": float, "c": complex}[dtype.kind]


def of_call(function, values):
    """The value of a call of a known function."""
    if isinstance(function, numpy.ufunc):
        value = of_ufunc(function, values)
        # NumPy's functions of Python numbers give NumPy's scalars.
        return _strong(value)
    if (
        isinstance(function, type)
        and issubclass(function, numpy.generic)
        and function not in (bool, int, float)
    ):
        return numpy.dtype(function)
    if function is bool or function in _TRUTHS_OF_MATH:
        return BOOL
    if function in (int, float, complex):
        return function
    if function in _INTEGERS_OF_MATH or function is len:
        return int
    if is_of_math(function):
        return float
    if function in (min, max) and len(values) > 1 and all(map(is_number, values)):
        return functools.reduce(join, values)
    if function is round:
        return int if len(values) == 1 else values[0]
    if function is range:
        return Items(int)
    if function is enumerate and len(values) == 1 and isinstance(values[0], Items):
        return Items((int, values[0].item))
    return of_ufunc(UFUNCS[function], values) if function in UFUNCS else UNKNOWN


def is_of_math(function):
    """Whether a function is one of Python's `math` that gives a float."""
    return getattr(function, "__module__", None) == "math" and callable(function)


def _strong(value):
    if isinstance(value, tuple):
        return tuple(map(_strong, value))
    return numpy.dtype(value) if is_weak(value) else value


def result_dtypes(value):
    """The dtypes of a function's results for the value that it returns; None where numba decides."""
    values = value if isinstance(value, tuple) else (value,)
    return [numpy.dtype(_strong(each)) if is_number(each) else None for each in values]


class Analysis:
    """The values of the variables of a function in numba's intermediate code, each assigned once.

    Parameters
    ----------
    func_ir : FunctionIR
        The code.
    arguments : sequence of values
        The values of the function's arguments.
    returned_by : callable, optional
        Gives the value that a Python function, which the code calls, returns for values of its arguments.

    Attributes
    ----------
    values : dict of str to value
        The values of variables.
    returned : value
        What the function returns.
    calls_on_arrays : bool
        Whether it calls functions or methods of arrays.
    """

    def __init__(self, func_ir, arguments, returned_by=None):
        self.func_ir, self.arguments, self.returned_by = func_ir, arguments, returned_by
        self.values, self.constants = {}, {}
        self.returned, self.calls_on_arrays = None, False
        assignments = [
            statement
            for block in func_ir.blocks.values()
            for statement in block.body
            if type(statement).__name__ == "Assign"
        ]
        # Joins only widen, so that the number of rounds is bounded by the nesting of loops; 20 are ample.
        for _ in range(20):
            if not [None for statement in assignments if self._assign(statement)]:
                break
        for block in func_ir.blocks.values():
            last = block.body[-1]
            if type(last).__name__ == "Return":
                value = self.of(last.value)
                self.returned = value if self.returned is None else join(self.returned, value)

    def of(self, variable):
        """The value of a variable."""
        return self.values.get(variable.name, UNKNOWN)

    def constant(self, variable):
        """What a variable refers to for certain, such as a function, or None."""
        return self.constants.get(variable.name)

    def _assign(self, statement):
        """Follow an assignment; whether that changed the value of its target."""
        name = statement.target.name
        value = self._evaluate(statement.value, name)
        if value is None:
            return False
        before = self.values.get(name)
        self.values[name] = value if before is None else join(before, value)
        return before is None or not same(self.values[name], before)

    def _evaluate(self, source, target):
        kind = type(source).__name__
        if kind in ("Const", "Global", "FreeVar"):
            self.constants[target] = source.value
            return value_of(source.value)
        if kind == "Arg":
            return self.arguments[source.index] if source.index < len(self.arguments) else UNKNOWN
        if kind == "Var":
            if source.name in self.constants:
                self.constants[target] = self.constants[source.name]
            return self.values.get(source.name)
        if kind != "Expr":
            return UNKNOWN
        handle = getattr(self, f"_{source.op}", None)
        return UNKNOWN if handle is None else handle(source, target)

    def _operands(self, variables):
        """The values of operands, or None as long as one of them has none."""
        values = [self.values.get(variable.name) for variable in variables]
        return None if None in values else values

    def _phi(self, source, target):
        found = None
        for variable in source.incoming_values:
            value = self.values.get(getattr(variable, "name", None))
            if value is not None:
                found = value if found is None else join(found, value)
        return found

    def _cast(self, source, target):
        return self.values.get(source.value.name)

    def _binop(self, source, target):
        values = self._operands((source.lhs, source.rhs))
        return values and self._operation(source.fn, values)

    def _inplace_binop(self, source, target):
        values = self._operands((source.lhs, source.rhs))
        return values and self._operation(source.immutable_fn, values)

    def _unary(self, source, target):
        values = self._operands((source.value,))
        return values and self._operation(source.fn, values)

    def _operation(self, function, values):
        if function in _TRUTHS:
            return BOOL
        return of_ufunc(UFUNCS[function], values) if function in UFUNCS else UNKNOWN

    def _call(self, source, target):
        values = self._operands(source.args)
        if values is None:
            return None
        if source.kws or source.vararg:
            return UNKNOWN
        function = self.constant(source.func)
        if any(isinstance(value, Items) for value in values) and function not in _OF_ITEMS:
            self.calls_on_arrays = True
        try:
            hash(function)
        except TypeError:
            return UNKNOWN
        helper = getattr(function, "py_func", None)
        if helper is not None and self.returned_by is not None:
            return self.returned_by(helper, values)
        return of_call(function, values)

    def _getattr(self, source, target):
        owner = self.constant(source.value)
        if isinstance(owner, types.ModuleType | type):
            found = getattr(owner, source.attr, None)
            self.constants[target] = found
            return value_of(found)
        value = self.values.get(source.value.name)
        if isinstance(value, Items):
            self.calls_on_arrays |= source.attr not in ("size", "shape", "ndim")
            return {"size": int, "ndim": int, "shape": (int,)}.get(source.attr, UNKNOWN)
        if source.attr in ("real", "imag") and isinstance(value, numpy.dtype):
            return numpy.dtype(f"f{value.itemsize // 2}") if value.kind == "c" else value
        return UNKNOWN

    def _build_tuple(self, source, target):
        values = self._operands(source.items)
        return None if values is None else tuple(values)

    def _exhaust_iter(self, source, target):
        return self.values.get(source.value.name)

    def _static_getitem(self, source, target):
        value = self.values.get(source.value.name)
        if (
            isinstance(value, tuple)
            and isinstance(source.index, int)
            and -len(value) <= source.index < len(value)
        ):
            return value[source.index]
        return self._getitem(source, target)

    def _getitem(self, source, target):
        value = self.values.get(source.value.name)
        if isinstance(value, tuple) and value:
            return functools.reduce(join, value)
        if isinstance(value, Items):
            index = self.values.get(getattr(getattr(source, "index", None), "name", None))
            return value.item if index is int or isinstance(getattr(source, "index", None), int) else UNKNOWN
        owner = self.constant(source.value)
        return owner.dtype if isinstance(owner, numpy.ndarray) and owner.ndim == 1 else UNKNOWN

    def _getiter(self, source, target):
        value = self.values.get(source.value.name)
        if isinstance(value, tuple) and value:
            return Items(functools.reduce(join, value))
        return value

    def _iternext(self, source, target):
        return self.values.get(source.value.name)

    def _pair_first(self, source, target):
        value = self.values.get(source.value.name)
        return value.item if isinstance(value, Items) else UNKNOWN

    def _pair_second(self, source, target):
        return BOOL
