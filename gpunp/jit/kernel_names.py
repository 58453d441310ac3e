"""What kernels in Python call beyond numba-cuda's own names; imported when the first of them is used.

The functions here raise on the host: numba-cuda replaces their calls in kernels.
"""

from llvmlite import ir
from numba import cuda
from numba.cuda import types
from numba.cuda.core.errors import TypingError
from numba.cuda.cudadrv import nvvm
from numba.cuda.cudaimpl import _generic_array, lower_constant
from numba.cuda.extending import intrinsic, models, overload, overload_attribute, register_model
from numba.cuda.nvvmutils import call_sreg
from numba.cuda.typing import signature
from numba.cuda.typing.npydecl import parse_dtype

_TYPES_OF_PYTHON = {bool: types.boolean, int: types.int64, float: types.float64, complex: types.complex128}
_WARP = 32


def in_kernels_only(name):
    raise RuntimeError(
        f"gpunp.jit.{name} is for kernels: call it in a function with the decorator gpunp.jit.rawkernel"
    )


class TripleType(types.Type):
    """The type of `threadIdx` and the other triples, which a special register holds."""

    def __init__(self, register):
        super().__init__(name=f"gpunp.jit.{register}")
        self.register = register


@register_model(TripleType)
class _Nothing(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(8))


@lower_constant(TripleType)
def _of_triple(context, builder, kind, value):
    return ir.Constant(ir.IntType(8), 0)


class Triple:
    """Three numbers of a thread or a launch: ``x``, ``y`` and ``z``, for use in kernels.

    Parameters
    ----------
    name : str
        The name in `gpunp.jit`.
    register : str
        The special register of PTX.
    """

    def __init__(self, name, register):
        self.name = name
        self._numba_type_ = TripleType(register)

    @property
    def x(self):
        """The first number."""
        in_kernels_only(self.name)

    y = z = x

    def __repr__(self):
        return f"<gpunp.jit.{self.name}>"


def _of_axis(axis):
    @intrinsic
    def read(typingctx, triple):
        register = f"{triple.register}.{axis}"
        return signature(types.int32, triple), lambda context, builder, sig, args: call_sreg(
            builder, register
        )

    @overload_attribute(TripleType, axis, target="cuda")
    def of_attribute(triple):
        return lambda triple: read(triple)


for _axis in "xyz":
    _of_axis(_axis)
threadIdx = Triple("threadIdx", "tid")
blockIdx = Triple("blockIdx", "ctaid")
blockDim = Triple("blockDim", "ntid")
gridDim = Triple("gridDim", "nctaid")


def laneid():
    """The lane of the calling thread in its warp, from 0 to 31."""
    in_kernels_only("laneid")


@intrinsic
def _laneid(typingctx):
    def codegen(context, builder, sig, args):
        return call_sreg(builder, "laneid")

    return signature(types.int32), codegen


@overload(laneid, target="cuda")
def _of_laneid():
    return lambda: _laneid()


def syncwarp(mask=0xFFFFFFFF):
    """Synchronize the lanes of a warp that are set in `mask`."""
    in_kernels_only("syncwarp")


@intrinsic
def _syncwarp(typingctx, mask):
    def codegen(context, builder, sig, args):
        number = ir.IntType(32)
        function = declared(builder, "llvm.nvvm.bar.warp.sync", ir.VoidType(), [number])
        builder.call(function, [_resized(builder, args[0], number)])
        return context.get_dummy_value()

    return signature(types.none, mask), codegen


@overload(syncwarp, target="cuda")
def _of_syncwarp(mask=0xFFFFFFFF):
    def call(mask=0xFFFFFFFF):
        _syncwarp(mask)

    return call


def range_(start, stop=None, step=None, unroll=None):
    """A range, as Python's; `unroll` is accepted, and the compiler unrolls loops as it sees fit."""
    in_kernels_only("range")


@overload(range_, target="cuda")
def _of_range(start, stop=None, step=None, unroll=None):
    if is_absent(stop):
        return lambda start, stop=None, step=None, unroll=None: range(start)
    if is_absent(step):
        return lambda start, stop=None, step=None, unroll=None: range(start, stop)
    return lambda start, stop=None, step=None, unroll=None: range(start, stop, step)


def is_absent(kind):
    kind = getattr(kind, "value", kind)
    return kind is None or isinstance(kind, types.NoneType)


def declared(builder, name, result, arguments):
    """A function of the module, declared if it is not yet."""
    module = builder.module
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, arguments), name)


def _resized(builder, value, kind):
    """An integer with another number of bits."""
    if value.type.width > kind.width:
        return builder.trunc(value, kind)
    return builder.zext(value, kind) if value.type.width < kind.width else value


def _exchange_by(mode):
    """A shuffle by mode 0 (index), 1 (up), 2 (down) or 3 (xor), of 32 or 64 bits."""

    @intrinsic
    def exchange_lanes(typingctx, mask, var, lane, clamp):
        def codegen(context, builder, sig, args):
            word, double = ir.IntType(32), ir.IntType(64)
            result = ir.LiteralStructType([word, ir.IntType(1)])
            function = declared(builder, "llvm.nvvm.shfl.sync.i32", result, [word] * 5)
            value = args[1]
            bits = ir.IntType(sig.args[1].bitwidth)
            value = builder.bitcast(value, bits)
            others = [_resized(builder, args[i], word) for i in (0, 2, 3)]

            def exchange(part):
                call = builder.call(function, [others[0], ir.Constant(word, mode), part, *others[1:]])
                return builder.extract_value(call, 0)

            if bits.width == 32:
                found = exchange(value)
            else:
                low = exchange(builder.trunc(value, word))
                high = exchange(builder.trunc(builder.lshr(value, ir.Constant(double, 32)), word))
                high = builder.shl(builder.zext(high, double), ir.Constant(double, 32))
                found = builder.or_(high, builder.zext(low, double))
            return builder.bitcast(found, context.get_value_type(sig.return_type))

        return signature(var, mask, var, lane, clamp), codegen

    return exchange_lanes


def _shuffle_of(name, mode, lanes):
    """A warp shuffle: its function for kernels, and the code behind it."""

    exchange_lanes = _exchange_by(mode)

    def shuffle(mask, var, val_id, width=_WARP):
        in_kernels_only(name)

    shuffle.__name__ = shuffle.__qualname__ = name
    shuffle.__doc__ = f"The `var` of the lane {lanes}, among the lanes of `mask`, in groups of `width` lanes."

    @overload(shuffle, target="cuda")
    def of_shuffle(mask, var, val_id, width=_WARP):
        kind = types.unliteral(var)
        # A shuffle up clamps at the first lane of its group, the others at the last.
        last = 0 if mode == 1 else _WARP - 1
        if isinstance(kind, types.Boolean) or (isinstance(kind, types.Integer) and kind.bitwidth < _WARP):
            wide = types.int32
        elif isinstance(kind, types.Float) and kind.bitwidth < _WARP:
            wide = types.float32
        elif isinstance(kind, types.Integer | types.Float):
            wide = kind
        else:
            return None

        def call(mask, var, val_id, width=_WARP):
            return kind(exchange_lanes(mask, wide(var), val_id, ((_WARP - width) << 8) | last))

        return call

    return shuffle


shfl_sync = _shuffle_of("shfl_sync", 0, "`val_id`")
shfl_up_sync = _shuffle_of("shfl_up_sync", 1, "that is `val_id` lower")
shfl_down_sync = _shuffle_of("shfl_down_sync", 2, "that is `val_id` higher")
shfl_xor_sync = _shuffle_of("shfl_xor_sync", 3, "whose number is the own one xor `val_id`")


def _dtype_of(kind):
    """The type of elements for a dtype argument: a NumPy dtype or scalar type, a name, or a Python type."""
    found = _TYPES_OF_PYTHON.get(getattr(kind, "typing_key", None))
    return parse_dtype(kind) if found is None else found


def constant(kind):
    """The value of a constant argument; None if it is absent, False if it is not a constant."""
    if is_absent(kind):
        return None
    if isinstance(kind, types.BaseTuple):
        found = tuple(getattr(each, "literal_value", False) for each in kind)
        return False if False in found else found
    return getattr(kind, "literal_value", False)


# Each call has memory of its own: a function that numba-cuda compiles once for several calls would share it.
@intrinsic
def shared_memory(typingctx, dtype, size, alignment=None):
    """An array in shared memory, of constant size; None or 0 is the dynamic shared memory of the launch."""
    element, shape, aligned = _dtype_of(dtype), constant(size), constant(alignment)
    if element is None or shape is False or aligned is False:
        raise TypingError("jit.shared_memory: the dtype, the size and the alignment must be constants")
    shape = shape if isinstance(shape, tuple) else (shape or 0,)
    result = types.Array(element, len(shape), "C")

    def codegen(context, builder, sig, args):
        _numbers["shared"] += 1
        return _generic_array(
            context,
            builder,
            shape=shape,
            dtype=element,
            symbol_name=f"gpunp_shared_{_numbers['shared']}",
            addrspace=nvvm.ADDRSPACE_SHARED,
            can_dynsized=True,
            alignment=aligned,
        )

    return signature(result, dtype, size, types.Omitted(None) if alignment is None else alignment), codegen


_numbers = {"shared": 0}


def _atomic_of(name, what, implementation):
    """An atomic function for kernels, and numba-cuda's behind it."""

    def atomic(array, index, value):
        in_kernels_only(name)

    atomic.__name__ = atomic.__qualname__ = name
    atomic.__doc__ = f"Atomically {what}; the old element is the result."

    @overload(atomic, target="cuda")
    def of_atomic(array, index, value):
        return implementation

    return atomic


atomic_add = _atomic_of(
    "atomic_add",
    "add a value to an element",
    lambda array, index, value: cuda.atomic.add(array, index, value),
)
atomic_sub = _atomic_of(
    "atomic_sub",
    "subtract a value from an element",
    lambda array, index, value: cuda.atomic.sub(array, index, value),
)
atomic_exch = _atomic_of(
    "atomic_exch", "replace an element", lambda array, index, value: cuda.atomic.exch(array, index, value)
)
atomic_min = _atomic_of(
    "atomic_min",
    "lower an element to a value",
    lambda array, index, value: cuda.atomic.min(array, index, value),
)
atomic_max = _atomic_of(
    "atomic_max",
    "raise an element to a value",
    lambda array, index, value: cuda.atomic.max(array, index, value),
)
atomic_inc = _atomic_of(
    "atomic_inc",
    "count an element up, from a value to 0",
    lambda array, index, value: cuda.atomic.inc(array, index, value),
)
atomic_dec = _atomic_of(
    "atomic_dec",
    "count an element down, from 0 to a value",
    lambda array, index, value: cuda.atomic.dec(array, index, value),
)
atomic_and = _atomic_of(
    "atomic_and",
    "clear bits of an element",
    lambda array, index, value: cuda.atomic.and_(array, index, value),
)
atomic_or = _atomic_of(
    "atomic_or", "set bits of an element", lambda array, index, value: cuda.atomic.or_(array, index, value)
)
atomic_xor = _atomic_of(
    "atomic_xor", "flip bits of an element", lambda array, index, value: cuda.atomic.xor(array, index, value)
)


def atomic_cas(array, index, value, alt_value):
    """Atomically replace an element that equals `value` by `alt_value`; the old element is the result."""
    in_kernels_only("atomic_cas")


@overload(atomic_cas, target="cuda")
def _of_atomic_cas(array, index, value, alt_value):
    return lambda array, index, value, alt_value: cuda.atomic.cas(array, index, value, alt_value)


grid, gridsize, syncthreads = cuda.grid, cuda.gridsize, cuda.syncthreads
