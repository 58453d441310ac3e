"""Python functions as they are given to the compilers, and what was compiled so far."""

import collections
import dis
import functools
import inspect
import re
import threading
import types

from gpunp.jit import dtype_rules
from gpunp.jit.identity import key_of_value
from gpunp.jit.toolchain import NotCompiled, NotInstalled, place_of

# Compiled functions that are kept; the reasons why others do not compile count too.
_KEPT = 512


class Constant:
    """An argument whose value is compiled into the code."""

    def __init__(self, value):
        # numba has no lists and sets that a kernel could read.
        self.value = tuple(value) if isinstance(value, list) else value

    def key(self):
        """A hashable key of the value."""
        return key_of_value(self.value, 2)


class Compilations:
    """Compiled functions by key, and the reasons why others cannot be compiled; the latest ones are kept."""

    def __init__(self):
        self.found = collections.OrderedDict()
        self.lock = threading.RLock()

    def find(self, key, compile):
        """Return what was compiled for a key, or compile it; or raise NotCompiled, now as the first time."""
        with self.lock:
            found = self.found.get(key)
            if found is not None:
                self.found.move_to_end(key)
        if found is None:
            try:
                found = compile()
            except NotInstalled:
                raise
            except NotCompiled as error:
                found = error
            with self.lock:
                self.found[key] = found
                while len(self.found) > _KEPT:
                    self.found.popitem(last=False)
        if isinstance(found, NotCompiled):
            # Without the traceback and context of the first time.
            raise NotCompiled(*found.args) from found.__cause__
        return found


def plain(function, args, kwargs):
    """The plain Python function behind a callable, with the arguments that are bound to it."""
    args, kwargs = list(args), dict(kwargs)
    while isinstance(function, functools.partial):
        args = [Constant(value) for value in function.args] + args
        kwargs = {name: Constant(value) for name, value in function.keywords.items()} | kwargs
        function = function.func
    function = getattr(function, "py_func", function)
    if isinstance(function, types.BuiltinFunctionType):
        function = _call_of(function, len(args))
    if not isinstance(function, types.FunctionType):
        raise NotCompiled(
            f"{function!r} cannot be compiled: it is a {type(function).__name__}, not a plain Python function"
        )
    return function, args, kwargs


@functools.cache
def _call_of(builtin, count):
    """A Python function that calls a built-in function with ``count`` arguments."""
    names = ", ".join(f"x{i}" for i in range(count))
    return make(f"def {builtin.__name__}({names}):\n    return function({names})\n", {"function": builtin})


def make(source, scope):
    """The function that a generated definition makes."""
    name = source[len("def ") : source.index("(")]
    scope["__name__"] = __name__
    exec(source, scope)
    return scope[name]


def in_order(function, args, kwargs):
    """A function that takes all arguments by position, the arguments, and their values for `dtype_rules`."""
    code = function.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        raise NotCompiled(
            f"{place_of(function)} cannot be compiled: it takes any keywords (**), which numba does not"
        )
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise NotCompiled(f"{place_of(function)} cannot be compiled: it is a generator or a coroutine")
    bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    values = []
    for name, parameter in inspect.signature(function, follow_wrapped=False).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            values += bound.arguments.get(name, ())
        else:
            values.append(bound.arguments.get(name, Constant(parameter.default)))
    if code.co_kwonlyargcount:
        if code.co_flags & inspect.CO_VARARGS:
            raise NotCompiled(
                f"{place_of(function)} cannot be compiled: it has both *args and keyword-only arguments"
            )
        code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    # A copy of its own for each compilation, as the conversions in the code depend on the dtypes.
    copy = types.FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    rules = [dtype_rules.value_of(each.value) if isinstance(each, Constant) else each for each in values]
    if code.co_flags & inspect.CO_VARARGS:
        rules[code.co_argcount :] = [tuple(rules[code.co_argcount :])]
    return copy, values, rules


def is_compilers(error):
    """Whether an exception says that the compiler does not take the function."""
    if isinstance(error, NotCompiled):
        return True
    modules = {each.__module__.partition(".")[0] for each in type(error).__mro__}
    if modules & {"numba", "numba_cuda", "llvmlite"}:
        return True
    # Its typing and lowering also raise plain exceptions for what they do not know.
    where = error.__traceback__
    while where.tb_next is not None:
        where = where.tb_next
    return re.search(r"\b(numba|numba_cuda|llvmlite)\b", where.tb_frame.f_code.co_filename) is not None


def has_loop(code):
    """Whether a code object has a loop."""
    return any(
        instruction.opname.startswith("FOR_ITER")
        or (instruction.opcode in dis.hasjrel + dis.hasjabs and instruction.argval < instruction.offset)
        for instruction in dis.get_instructions(code)
    )
