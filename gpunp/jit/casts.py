"""The pass of numba's compilers that computes in NumPy's dtypes.

Where NumPy computes in float32, as in ``0.5 * x`` for a float32 ``x``, numba would convert ``x`` to float64.
The pass converts the number instead. It runs on the intermediate code before numba infers types. Integers of
up to 64 bits are computed in int64, as Python's are exact, and float16 in float32; only the result of a
function is converted back.
"""

import functools
import importlib
import operator
import threading
import types

import numpy

from gpunp.jit import dtype_rules
from gpunp.jit.dtype_rules import UFUNCS, UNKNOWN, is_number
from gpunp.jit.toolchain import NotCompiled, place_of
from gpunp.jit.ufuncs import ALIKE, ALIKE_COMPLEX

_job = threading.local()

_KEPT = (operator.pow, pow, operator.lshift, operator.rshift)
_EXTREMES = (min, max)


def computed(value):
    """The dtype in which compiled code holds a number."""
    dtype = numpy.dtype(value)
    if dtype.kind == "f" and dtype.itemsize == 2:
        return numpy.dtype(numpy.float32)
    if dtype.kind in "iu" and dtype != numpy.uint64:
        return numpy.dtype(numpy.int64)
    return dtype


class Job:
    """A function that is being compiled.

    Parameters
    ----------
    function : function
        The Python function.
    values : sequence of values
        The values (see `dtype_rules`) of its arguments.
    on_cuda : bool
        For which device.

    Attributes
    ----------
    returned : value
        What the function returns by NumPy's rules; set by the pass.
    calls_on_arrays : bool
        Whether it calls functions or methods of arrays; set by the pass.
    """

    def __init__(self, function, values, on_cuda):
        self.function, self.values, self.on_cuda = function, values, on_cuda
        self.returned, self.calls_on_arrays = UNKNOWN, False

    def __enter__(self):
        self.outer = getattr(_job, "now", None)
        _job.now = self
        return self

    def __exit__(self, *error):
        _job.now = self.outer


@functools.cache
def pipeline(base):
    """A subclass of a compiler's pipeline, with the pass right before type inference."""
    root = base.__module__.removesuffix(".compiler")
    core = root if root.endswith("core") else f"{root}.core"
    ir, utils, machinery, ssa = (
        importlib.import_module(f"{core}.{name}") for name in ("ir", "ir_utils", "compiler_machinery", "ssa")
    )
    frontend = importlib.import_module(base.__module__).run_frontend

    def returned_by(helper, values):
        """The value that a function returns which the code calls."""
        func_ir = frontend(helper)
        func_ir.blocks = ssa.reconstruct_ssa(func_ir).blocks
        return dtype_rules.Analysis(func_ir, values).returned

    @machinery.register_pass(mutates_CFG=False, analysis_only=False)
    class NumpyDtypes(machinery.FunctionPass):
        _name = f"gpunp_numpy_dtypes_{core}"

        def __init__(self):
            super().__init__()

        def run_pass(self, state):
            job = getattr(_job, "now", None)
            function = state.func_id.func
            if job is None or (function is not job.function and _is_library(function)):
                return False
            _compile_helpers(state, job)
            values = job.values if function is job.function else list(map(_value_of_type, state.args))
            if job.on_cuda:
                _refuse_raise(state)
            analysis = dtype_rules.Analysis(state.func_ir, values, returned_by)
            if function is job.function:
                job.returned, job.calls_on_arrays = analysis.returned, analysis.calls_on_arrays
            Casts(state.func_ir, analysis, ir, utils, on_cuda=job.on_cuda).insert()
            return True

    class Pipeline(base):
        def define_pipelines(self):
            managers = super().define_pipelines()
            for manager in managers:
                names = [each[0].__name__ for each in manager.passes]
                before = names.index("NopythonTypeInference")
                manager.passes.insert(before, (NumpyDtypes, "NumPy's dtypes"))
                manager._finalized = False
                manager.finalize()
            return managers

    return Pipeline


def _value_of_type(numba_type):
    """The value of an argument for its type in numba."""
    support = importlib.import_module("numba.np.numpy_support")
    if getattr(numba_type, "literal_value", None) is not None:
        return dtype_rules.value_of(numba_type.literal_value)
    try:
        return numpy.dtype(support.as_dtype(numba_type))
    except Exception:
        # An array, a pointer, a string.
        return UNKNOWN


def _is_library(function):
    """Whether a function is part of numba, or generated around the one that is compiled."""
    return (function.__module__ or "").partition(".")[0] in ("numba", "numba_cuda", "gpunp")


def _compile_helpers(state, job):
    """Plain Python functions that the function calls are compiled too."""
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            source = getattr(statement, "value", None)
            if type(source).__name__ not in ("Global", "FreeVar") or not isinstance(
                source.value, types.FunctionType
            ):
                continue
            try:
                state.typingctx.resolve_value_type(source.value)
            except Exception:
                source.value = _helper(source.value, job.on_cuda)


@functools.lru_cache(maxsize=1024)
def _helper(function, on_cuda):
    """A Python function that compiled code calls, the same for all callers."""
    return device_function(function, on_cuda=on_cuda)


def device_function(function, *, on_cuda):
    """A Python function as numba calls it in compiled code."""
    if on_cuda:
        cuda = importlib.import_module("numba.cuda")
        return cuda.jit(device=True)(function)
    numba = importlib.import_module("numba")
    return numba.njit(error_model="numpy", pipeline_class=pipeline(numba.core.compiler.Compiler))(function)


def _refuse_raise(state):
    """Kernels would go on after a ``raise``, with a result that means nothing."""
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if "Raise" in type(statement).__name__:
                raise NotCompiled(
                    f"{place_of(state.func_id.func)} cannot be compiled: line {statement.loc.line} raises an "
                    "exception, which code on a CUDA device cannot; return a value such as nan instead"
                )


class Casts:
    """Converts operands in a function's code to the dtype in which NumPy computes."""

    def __init__(self, func_ir, analysis, ir, utils, *, on_cuda):
        self.func_ir, self.analysis, self.ir, self.utils = func_ir, analysis, ir, utils
        self.made, self.on_cuda = 0, on_cuda

    def insert(self):
        """Insert all conversions."""
        wanted = {}
        for block in self.func_ir.blocks.values():
            body = []
            for statement in block.body:
                source = getattr(statement, "value", None)
                if type(statement).__name__ == "Assign" and type(source).__name__ == "Expr":
                    if source.op == "phi":
                        self._note_phi(statement, wanted)
                    else:
                        self._operands(source, body, statement)
                body.append(statement)
            block.body = body
        if wanted:
            self._convert_at_definition(wanted)
        self.func_ir._definitions = self.utils.build_definitions(self.func_ir.blocks)

    def _operands(self, source, body, statement):
        """Convert the operands of an operation or call."""
        if source.op in ("binop", "inplace_binop"):
            function = source.fn if source.op == "binop" else source.immutable_fn
            operands = (source.lhs, source.rhs)
        elif source.op == "call" and not source.kws and not source.vararg:
            function, operands = self.analysis.constant(source.func), tuple(source.args)
            if self.on_cuda and isinstance(function, numpy.ufunc):
                self._replace(source, function, body, statement)
        else:
            return
        dtypes = self._loop(function, operands)
        if dtypes is None:
            return
        made = []
        for operand, dtype in zip(operands, dtypes, strict=True):
            if self._differs(operand, dtype):
                made.append(self._converted(operand, dtype, body, statement))
            else:
                made.append(operand)
        if source.op == "call":
            source.args = tuple(made)
        else:
            source.lhs, source.rhs = made

    def _replace(self, source, ufunc, body, statement):
        """Call a function instead of a ufunc that numba-cuda does not have."""
        values = [self.analysis.of(operand) for operand in source.args]
        is_complex = any(is_number(value) and numpy.dtype(value).kind == "c" for value in values)
        found = ALIKE_COMPLEX.get(ufunc, ALIKE.get(ufunc)) if is_complex else ALIKE.get(ufunc)
        if found is None:
            return
        if isinstance(found, types.FunctionType):
            found = _helper(found, self.on_cuda)
        self.made += 1
        source.func = self.ir.Var(statement.target.scope, f"$gpunp_function.{self.made}", statement.loc)
        body.append(
            self.ir.Assign(self.ir.Global(ufunc.__name__, found, statement.loc), source.func, statement.loc)
        )

    def _loop(self, function, operands):
        """The dtypes in which NumPy computes an operation, or None where numba does what it should."""
        values = [self.analysis.of(operand) for operand in operands]
        if not operands or not all(map(is_number, values)) or all(map(dtype_rules.is_weak, values)):
            return None
        try:
            ufunc = function if isinstance(function, numpy.ufunc) else UFUNCS.get(function)
        except TypeError:
            return None
        if dtype_rules.is_of_math(function):
            # They compute in double precision in Python; integers are exact in some.
            kinds = [numpy.dtype(value).kind for value in values]
            return [numpy.dtype(float) if kind == "f" else None for kind in kinds]
        if function in _EXTREMES:
            found = functools.reduce(dtype_rules.join, values)
            return [numpy.dtype(found)] * len(values)
        if ufunc is None or ufunc.nin != len(values):
            return None
        loop = dtype_rules.loop_of(ufunc, values)
        if loop is None:
            return None
        # numba multiplies for a constant integer exponent.
        return (
            [loop[0], values[1] if values[1] is int else loop[1]] if function in _KEPT else loop[: ufunc.nin]
        )

    def _differs(self, operand, dtype):
        """Whether a number has to be converted: to a floating dtype, or uint64, where numba differs."""
        if not isinstance(dtype, numpy.dtype):
            return False
        wanted = computed(dtype)
        return (wanted.kind in "fc" or wanted == numpy.uint64) and computed(
            self.analysis.of(operand)
        ) != wanted

    def _converted(self, operand, dtype, body, statement):
        """Append the conversion of a variable to ``body``; the new variable."""
        loc, scope = statement.loc, statement.target.scope
        kind = computed(dtype).type
        self.made += 1
        made = [self.ir.Var(scope, f"$gpunp_{part}.{self.made}", loc) for part in ("dtype", "number")]
        body.append(self.ir.Assign(self.ir.Global(kind.__name__, kind, loc), made[0], loc))
        call = self.ir.Expr.call(made[0], (operand,), (), loc)
        body.append(self.ir.Assign(call, made[1], loc))
        self.analysis.values[made[1].name] = numpy.dtype(dtype)
        return made[1]

    def _note_phi(self, statement, wanted):
        value = self.analysis.of(statement.target)
        if not isinstance(value, numpy.dtype):
            return
        for i, variable in enumerate(statement.value.incoming_values):
            known = is_number(self.analysis.values.get(getattr(variable, "name", None)))
            if known and self._differs(variable, value):
                wanted.setdefault(variable.name, []).append((statement.value, i, value))

    def _convert_at_definition(self, wanted):
        """Convert variables that meet others in a loop or after a branch right where they are assigned."""
        for block in self.func_ir.blocks.values():
            body = []
            phis = []
            for statement in block.body:
                if phis and not self._is_phi(statement):
                    self._flush(phis, body)
                body.append(statement)
                name = getattr(getattr(statement, "target", None), "name", None)
                if name in wanted:
                    phis.append((statement, wanted[name]))
                    if not self._is_phi(statement):
                        self._flush(phis, body)
            block.body = body

    def _is_phi(self, statement):
        return getattr(getattr(statement, "value", None), "op", None) == "phi"

    def _flush(self, phis, body):
        for statement, uses in phis:
            for phi, i, dtype in uses:
                phi.incoming_values[i] = self._converted(statement.target, dtype, body, statement)
        phis.clear()
