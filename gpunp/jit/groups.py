"""Cooperative groups in kernels: the grid and the thread block, and asynchronous copies to shared memory.

Imported when the first of them is used. A barrier of the whole grid calls a C++ function, which is linked to
such kernels (`GRID_BARRIER`); they are launched cooperatively.
"""

import functools

from llvmlite import ir
from numba import cuda
from numba.cuda import types
from numba.cuda.extending import intrinsic, models, overload, overload_method, register_model
from numba.cuda.typing import signature

from gpunp.jit.kernel_names import constant, declared, in_kernels_only, is_absent
from gpunp.jit.toolchain import target_capability

# The C++ function and the header that defines it.
GRID_BARRIER = "gpunp_jit_grid_barrier"
GRID_BARRIER_HEADER = "gpunp/jit/grid_barrier.h"
# The oldest architecture with asynchronous copies.
_ASYNCHRONOUS = (8, 0)
_CHUNKS = (16, 8, 4)


class GridGroup(types.Type):
    """The type of the group of all threads of a launch."""

    def __init__(self):
        super().__init__(name="gpunp.jit.cg.GridGroup")


class ThreadBlock(types.Type):
    """The type of the group of all threads of a block."""

    def __init__(self):
        super().__init__(name="gpunp.jit.cg.ThreadBlock")


@register_model(GridGroup)
@register_model(ThreadBlock)
class _Nothing(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(8))


grid_group, thread_block = GridGroup(), ThreadBlock()


def this_grid():
    """The group of all threads of the launch."""
    in_kernels_only("cg.this_grid")


def this_thread_block():
    """The group of the threads of the block."""
    in_kernels_only("cg.this_thread_block")


def sync(group):
    """Wait for all threads of the group."""
    in_kernels_only("cg.sync")


def memcpy_async(group, dst, dst_idx, src, src_idx, size, aligned_size=None):
    """Start to copy `size` bytes to an array in shared memory, by all threads of the block together."""
    in_kernels_only("cg.memcpy_async")


def wait(group):
    """Wait for all copies that the threads of the block started, and for the threads."""
    in_kernels_only("cg.wait")


def wait_prior(group, step):
    """Wait for all copies but the latest `step`, a constant, and for the threads of the block."""
    in_kernels_only("cg.wait_prior")


def _group_of(kind):
    @intrinsic
    def make(typingctx):
        return signature(kind), lambda context, builder, sig, args: ir.Constant(ir.IntType(8), 0)

    return make


_make_grid, _make_block = _group_of(grid_group), _group_of(thread_block)


@overload(this_grid, target="cuda")
def _of_this_grid():
    return lambda: _make_grid()


@overload(this_thread_block, target="cuda")
def _of_this_thread_block():
    return lambda: _make_block()


@intrinsic
def _grid_barrier(typingctx):
    def codegen(context, builder, sig, args):
        return builder.call(declared(builder, GRID_BARRIER, ir.IntType(32), []), [])

    return signature(types.int32), codegen


@overload(sync, target="cuda")
def _of_sync(group):
    if isinstance(group, GridGroup):

        def call(group):
            _grid_barrier()

        return call
    return _block_barrier(group)


def _block_barrier(group):
    if not isinstance(group, ThreadBlock):
        return None

    def call(group):
        cuda.syncthreads()

    return call


@overload_method(GridGroup, "sync", target="cuda")
def _of_grid_sync(group):
    def call(group):
        _grid_barrier()

    return call


@overload_method(ThreadBlock, "sync", target="cuda")
def _of_block_sync(group):
    return _block_barrier(group)


def _assembly(builder, text, constraints, arguments):
    function = ir.FunctionType(ir.VoidType(), [each.type for each in arguments])
    builder.call(ir.InlineAsm(function, text, constraints, side_effect=True), arguments)


def _address(context, builder, kind, array, index):
    """The address of an element of a one-dimensional array, by its index, as an integer."""
    view = context.make_array(kind)(context, builder, array)
    word = ir.IntType(64)
    base = builder.ptrtoint(view.data, word)
    return builder.add(base, builder.mul(_signed(builder, index), view.itemsize))


def _signed(builder, value):
    word = ir.IntType(64)
    return builder.sext(value, word) if value.type.width < word.width else value


@intrinsic
def _address_of(typingctx, array, index):
    def codegen(context, builder, sig, args):
        return _address(context, builder, sig.args[0], *args)

    return signature(types.int64, array, index), codegen


def _copy_of(count):
    """Copies 1, 4, 8 or 16 bytes; those of at least 4 asynchronously where the device can."""

    @intrinsic
    def copy(typingctx, target, source):
        def codegen(context, builder, sig, args):
            if count >= _CHUNKS[-1] and target_capability() >= _ASYNCHRONOUS:
                text = (
                    "{ .reg .u64 a; .reg .u32 b; cvta.to.shared.u64 a, $0; cvt.u32.u64 b, a; "
                    f"cp.async.ca.shared.global [b], [$1], {count}; }}"
                )
                _assembly(builder, text, "l,l,~{memory}", list(args))
            else:
                pointer = ir.IntType(8 * count).as_pointer()
                value = builder.load(builder.inttoptr(args[1], pointer), align=count)
                builder.store(value, builder.inttoptr(args[0], pointer), align=count)
            return context.get_dummy_value()

        return signature(types.none, types.int64, types.int64), codegen

    return copy


@intrinsic
def _commit(typingctx):
    def codegen(context, builder, sig, args):
        if target_capability() >= _ASYNCHRONOUS:
            _assembly(builder, "cp.async.commit_group;", "~{memory}", [])
        return context.get_dummy_value()

    return signature(types.none), codegen


@functools.cache
def _wait_of(count):
    """Waits for all groups of copies of the thread but the latest ``count``."""

    @intrinsic
    def wait_for_copies(typingctx):
        def codegen(context, builder, sig, args):
            if target_capability() >= _ASYNCHRONOUS:
                _assembly(builder, f"cp.async.wait_group {count};", "~{memory}", [])
            return context.get_dummy_value()

        return signature(types.none), codegen

    return wait_for_copies


def _chunk(dst, src, aligned_size):
    """The bytes that a thread copies at a time."""
    if not is_absent(aligned_size):
        aligned = constant(aligned_size)
    else:
        aligned = min(
            kind.dtype.bitwidth // 8 if hasattr(kind.dtype, "bitwidth") else 1 for kind in (dst, src)
        )
    return next((each for each in _CHUNKS if aligned >= each), 1)


@overload(memcpy_async, target="cuda", prefer_literal=True)
def _of_memcpy_async(group, dst, dst_idx, src, src_idx, size, aligned_size=None):
    arrays = isinstance(dst, types.Array) and isinstance(src, types.Array)
    if not isinstance(group, ThreadBlock) or not arrays or dst.layout != "C" or src.layout != "C":
        return None
    chunk = _chunk(dst, src, aligned_size)
    copy, copy_byte = _copy_of(chunk), _copy_of(1)

    def call(group, dst, dst_idx, src, src_idx, size, aligned_size=None):
        target, source = _address_of(dst, dst_idx), _address_of(src, src_idx)
        block = cuda.blockDim
        thread = cuda.threadIdx
        rank = thread.x + block.x * (thread.y + block.y * thread.z)
        threads = block.x * block.y * block.z
        whole = size - size % chunk
        for i in range(rank * chunk, whole, threads * chunk):
            copy(target + i, source + i)
        for i in range(whole + rank, size, threads):
            copy_byte(target + i, source + i)
        _commit()

    return call


@overload(wait, target="cuda")
def _of_wait(group):
    if not isinstance(group, ThreadBlock):
        return None
    wait_for_copies = _wait_of(0)

    def call(group):
        wait_for_copies()
        cuda.syncthreads()

    return call


@overload(wait_prior, target="cuda", prefer_literal=True)
def _of_wait_prior(group, step):
    count = constant(step)
    if not isinstance(group, ThreadBlock) or not isinstance(count, int) or count is False:
        return None
    wait_for_copies = _wait_of(count)

    def call(group, step):
        wait_for_copies()
        cuda.syncthreads()

    return call
