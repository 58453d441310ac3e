"""``GPUNP_RUN=check``: every call of a program with device arrays also runs on NumPy, and is compared.

The code of the program is changed further than `gpunp.running.transform` does: calls, operators, reads and
writes of elements become calls of `checked`.
"""

import ast
import contextlib
import operator
import sys
import types
from threading import get_ident

import numpy

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.scalars import host_scalar
from gpunp.running import calls, counting, transform

_NAME = "__gpunp_checked__"
# Functions of Python that look at the frame of their caller.
_OF_FRAMES = frozenset(("super", "locals", "globals", "vars", "dir", "eval", "exec", "print"))
_BINARY = {
    **transform.OPERATORS,
    ast.MatMult: "matmul",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
# Results that are not unique, or not defined, and functions that write files.
_NOT_COMPARED = frozenset(
    [
        "eig",
        "eigh",
        "svd",
        "qr",
        "empty",
        "empty_like",
        "argsort",
        "argpartition",
        "partition",
        "lstsq",
        "shuffle",
        "permutation",
        "choice",
        "save",
        "savez",
        "savez_compressed",
        "savetxt",
        "tofile",
        "dump",
    ]
)
_OPERATOR_FUNCTIONS = {value for value in vars(operator).values() if callable(value)}
_IN_PLACE = frozenset(f"i{name.rstrip('_')}" for name in _BINARY.values())
_OF_ITEMS = frozenset(("getitem", "setitem"))
_ARRAYS = (gpunp.ndarray, numpy.ndarray)
# The most relative difference that is accepted, by the size of the real numbers of a dtype.
_TOLERANCES = {2: 2e-2, 4: 1e-4, 8: 1e-8, 16: 1e-8}
# The rounding errors of sums of operands, which count where the results cancel.
_ROUNDINGS = 1000


class Transformer(transform.Transformer):
    """Adds the calls of `checked`."""

    def _checked(self, node, name, *args):
        function = ast.copy_location(ast.Name("__gpunp_operator__", ast.Load()), node)
        function = ast.copy_location(ast.Attribute(function, name, ast.Load()), node)
        return self._call(node, _NAME, function, *args)

    def visit_BinOp(self, node):
        operator_type = type(node.op)
        node = super().visit_BinOp(node)
        if isinstance(node, ast.Call):
            return self._call(node, _NAME, node.func, *node.args)
        return self._checked(node, _BINARY[operator_type], node.left, node.right)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        name = _UNARY.get(type(node.op))
        is_number = isinstance(node.operand, ast.Constant)
        return node if name is None or is_number else self._checked(node, name, node.operand)

    def visit_Compare(self, node):
        node = super().visit_Compare(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _BINARY:
            return self._checked(node, _BINARY[type(node.ops[0])], node.left, node.comparators[0])
        return node

    def visit_Call(self, node):
        node = super().visit_Call(node)
        if isinstance(node.func, ast.Name) and (
            node.func.id in _OF_FRAMES or node.func.id.startswith("__gpunp")
        ):
            return node
        made = ast.Call(
            ast.copy_location(ast.Name(_NAME, ast.Load()), node), [node.func, *node.args], node.keywords
        )
        return ast.copy_location(made, node)

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return self._checked(node, "getitem", node.value, self._key(node.slice))

    def _key(self, node):
        """An index as an expression outside brackets."""
        if isinstance(node, ast.Tuple):
            node.elts = [self._key(each) for each in node.elts]
        if not isinstance(node, ast.Slice):
            return node
        parts = [each or ast.Constant(None) for each in (node.lower, node.upper, node.step)]
        made = ast.Call(ast.Name("slice", ast.Load()), parts, [])
        return ast.fix_missing_locations(
            ast.copy_location(made, node.lower or node.upper or node.step or node)
        )

    def visit_Assign(self, node):
        node = super().visit_Assign(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            return node
        call = self._checked(node, "setitem", target.value, self._key(target.slice), node.value)
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        name = "i" + _BINARY[type(node.op)].rstrip("_")
        value = self._checked(
            node, name, ast.copy_location(ast.Name(node.target.id, ast.Load()), node), node.value
        )
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_AnnAssign(self, node):
        # Annotations may be strings, which are read as code.
        if node.value is not None:
            node.value = self._placed_value(node.value)
        return node

    def visit_arg(self, node):
        """Annotations stay."""
        return node

    def visit_FunctionDef(self, node):
        returns, node.returns = node.returns, None
        super().visit_FunctionDef(node)
        node.returns = returns
        return node

    def visit_MatchClass(self, node):
        """Patterns are no expressions."""
        return node

    def visit_MatchValue(self, node):
        return node


class Checks:
    """What was compared.

    Attributes
    ----------
    count : int
        The calls.
    first : str or None
        The first difference.
    """

    def __init__(self):
        self.count, self.first = 0, None
        # Threads that are comparing: what methods of the program's classes do meanwhile is not compared.
        self._comparing = set()

    def start(self):
        """Have the code of programs changed from now on."""
        transform.transformer = Transformer
        transform.HELPERS[_NAME] = self.checked

    def stop(self):
        """End that."""
        transform.transformer = None
        transform.HELPERS.pop(_NAME, None)

    def checked(self, function, /, *args, **kwargs):
        """Call a function; if it is one of NumPy or SciPy and gets device arrays, compare its result."""
        if get_ident() in self._comparing:
            return function(*args, **kwargs)
        owner = getattr(function, "__self__", None)
        is_method = isinstance(owner, gpunp.ndarray)
        if not is_method and not (_is_known(function) and _has_arrays((args, kwargs))):
            return function(*args, **kwargs)
        if any(
            isinstance(value, types.FunctionType | types.MethodType) for value in (*args, *kwargs.values())
        ):
            # A function of the program may do more than return a value.
            return function(*args, **kwargs)
        name = getattr(function, "__name__", str(function))
        if name in _OF_ITEMS | _IN_PLACE and not (args and isinstance(args[0], _ARRAYS)):
            # A second call would change a file, or what else it is, again.
            return function(*args, **kwargs)
        if name in _NOT_COMPARED or name.startswith("__"):
            return function(*args, **kwargs)
        copies = {}
        with self._no_checks():
            host_args, host_kwargs = _apart(args, copies), _apart(kwargs, copies)
            size = max((_largest(each) for each in (*host_args, owner)), default=0.0)
        # NumPy writes into operands to which nothing else refers.
        held = [*host_args]
        twin = _twin(function, owner, is_method)
        result = function(*args, **kwargs)
        with self._no_checks(), numpy.errstate(all="ignore"):
            try:
                expected = twin(*host_args, **host_kwargs)
            except Exception as error:
                self._tell(name, f"NumPy raises {type(error).__name__}: {error}")
                return result
            self._compare(name, result, expected, size, args, held, kwargs, host_kwargs, twin, owner)
        return result

    @contextlib.contextmanager
    def _no_checks(self):
        self._comparing.add(get_ident())
        try:
            yield
        finally:
            self._comparing.discard(get_ident())

    def _compare(self, name, result, expected, size, args, held, kwargs, host_kwargs, twin, owner):
        """Compare a result with NumPy's, and the arguments after both calls."""
        self.count += 1
        difference = _difference(result, expected, size)
        if difference is None and isinstance(owner, gpunp.ndarray) and not owner._is_scalar:
            difference = _difference(owner, twin.__self__)
        changed = [*zip((*args, *kwargs.values()), (*held, *host_kwargs.values()), strict=True)]
        # Of `x |= x.T` the second operand is another array in NumPy's call.
        for value, host in changed[:1] if name in _IN_PLACE else changed:
            is_alone = isinstance(value, gpunp.ndarray) and not _shares_memory(value, changed)
            if difference is None and is_alone:
                difference = _difference(value, host)
        if difference is not None:
            self._tell(name, difference)

    def _tell(self, name, what):
        if self.first is None:
            path, line = counting.place_of_program()
            self.first = f"{path}:{line}: {name}: {what}"
            print(f"gpunp: the first difference from NumPy is at {self.first}", file=sys.stderr)

    def text(self):
        """The result in a line."""
        if self.first is None:
            return f"gpunp: {self.count} calls with device arrays agree with NumPy"
        return f"gpunp: {self.count} calls were compared with NumPy; the first difference is at {self.first}"


def _apart(value, copies):
    """A copy of arguments that shares no array with them; an array that comes twice has one copy."""
    if isinstance(value, _ARRAYS):
        if id(value) not in copies:
            is_host = isinstance(value, numpy.ndarray)
            copies[id(value)] = value.copy(order="K") if is_host else _copy_of(value)
        return copies[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_apart(item, copies) for item in value)
    return {key: _apart(item, copies) for key, item in value.items()} if type(value) is dict else value


def _copy_of(array):
    """NumPy's array or scalar for one of the device; memory that it shares would be written twice."""
    return host_scalar(array) if array._is_scalar else asnumpy(array)


def _shares_memory(array, pairs):
    """Whether another argument has memory of an array: what is written there changes no copy of the array."""
    others = (value for value, _ in pairs if value is not array and isinstance(value, gpunp.ndarray))
    return any(numpy.may_share_memory(array, other) for other in others)


def _twin(function, owner, is_method):
    """The function that NumPy's arrays get."""
    if is_method:
        return getattr(_copy_of(owner), function.__name__)
    return function.__wrapped__ if isinstance(function, calls.Maker) else function


def _is_known(function):
    """Whether a function is an operator, or one of NumPy or SciPy whose result depends on arguments only."""
    if isinstance(function, type) or isinstance(getattr(function, "__self__", None), numpy.ndarray):
        return False
    if function is calls.spread or (
        isinstance(function, types.BuiltinFunctionType) and function in _OPERATOR_FUNCTIONS
    ):
        return True
    module = getattr(function, "__module__", None) or getattr(type(function), "__module__", "")
    package = module.partition(".")[0]
    return (package in ("numpy", "scipy") or isinstance(function, numpy.ufunc)) and "random" not in module


def _has_arrays(value, depth=3):
    if isinstance(value, gpunp.ndarray):
        return True
    if isinstance(value, dict):
        value = [*value.values()]
    return (
        depth > 0 and isinstance(value, list | tuple) and any(_has_arrays(each, depth - 1) for each in value)
    )


def _largest(value):
    """The largest finite number of an array."""
    if not isinstance(value, _ARRAYS) or value.dtype.kind not in "fc" or not value.size:
        return 0.0
    host = numpy.abs(_plain(value))
    return float(numpy.max(host, initial=0.0, where=numpy.isfinite(host)))


def _plain(value):
    """A result as an array of NumPy's class; what a mask hides is zero."""
    if isinstance(value, gpunp.ndarray):
        return asnumpy(value)
    return numpy.asarray(value.filled(0) if isinstance(value, numpy.ma.MaskedArray) else value)


def _difference(found, expected, size=0.0):
    """How a result differs from NumPy's, or None; the operands have numbers of up to ``size``."""
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return f"a {type(found).__name__} in place of {len(expected)} values"
        pairs = zip(found, expected, strict=True)
        return next((each for pair in pairs if (each := _difference(*pair, size)) is not None), None)
    if not isinstance(expected, numpy.ndarray | numpy.generic):
        return None
    host, expected = _plain(found), _plain(expected)
    if host.shape != expected.shape or host.dtype != expected.dtype:
        return f"{host.dtype} of shape {host.shape} in place of {expected.dtype} of shape {expected.shape}"
    if expected.dtype.kind not in "fc":
        wrong = host != expected
    else:
        tolerance = _TOLERANCES[expected.real.dtype.itemsize]
        finite = numpy.abs(expected[numpy.isfinite(expected)])
        scale = finite.max() if finite.size else 0.0
        least = tolerance * scale + _ROUNDINGS * float(numpy.finfo(expected.dtype).eps) * size
        wrong = ~numpy.isclose(host, expected, rtol=tolerance, atol=least, equal_nan=True)
    if not numpy.any(wrong):
        return None
    place = (
        tuple(int(i) for i in numpy.unravel_index(numpy.argmax(wrong), numpy.shape(wrong)))
        if host.ndim
        else ()
    )
    return f"{host[place]} in place of {expected[place]} at {list(place)}"
