"""Arrays from one worker of dask to another on the same host, from GPU to GPU.

A message over TCP carries a handle instead of the elements: the sender copies the array into memory that
other processes may open (CUDA IPC), and the receiver copies it from there, over NVLink where there is one.
Memory of a pool cannot be exported, so that there are blocks for this purpose. They are used again when the
receiver has acknowledged the message, and are never freed: a receiver may have them open.

Small arrays travel through the host, as do those for which no blocks are left or that another host asks for.
The sender copies on a stream of its own, which does not wait for tasks that are queued on the GPU.
"""

import contextlib
import contextvars
import logging
import subprocess
import sys
import threading

import numpy
from distributed import Worker
from distributed.protocol.serialize import register_serialization_family
from distributed.utils import offload

from gpunp.array import layout, transfer
from gpunp.array.convert import asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.array.views import reinterpreted
from gpunp.device import get_device
from gpunp.interop import dask_tasks
from gpunp.interop.dask_objects import without_repeats
from gpunp.manipulation.broadcasting import broadcast_to

_logger = logging.getLogger("distributed.worker.gpunp")
FAMILY = "gpunp"
# What a worker asks other workers for, in order of preference.
SERIALIZERS = (FAMILY, "dask", "pickle", "error")
# Smaller arrays are as fast through the host.
LEAST_BYTES = 64 << 10
# Sizes of blocks in bytes, and the most blocks of each size.
SIZES = {2 << 20: 64, 64 << 20: 32}

# The blocks of the message that is being written; None outside of answers to workers.
_message = contextvars.ContextVar("gpunp_message", default=None)
_BYTES = numpy.dtype("u1")


# A process that opens a block, as the workers of other GPUs will; its exit status says whether that works.
_PROBE = """
import sys
from cuda.bindings import driver
def call(name, *arguments):
    status, *values = getattr(driver, name)(*arguments)
    if int(status):
        sys.exit(f"{name} failed: {status}")
    return values[0] if values else None
call("cuInit", 0)
call("cuCtxSetCurrent", call("cuDevicePrimaryCtxRetain", call("cuDeviceGet", 0)))
handle = driver.CUipcMemHandle()
handle.reserved = bytes.fromhex(sys.argv[1])
call("cuIpcCloseMemHandle", call("cuIpcOpenMemHandle", handle, 1))
"""


class CudaBlocks:
    """Memory of the current device that other processes can open."""

    def __init__(self):
        self.streams = threading.local()

    @contextlib.contextmanager
    def beside(self):
        """Copy on a stream beside that of the tasks, and wait for it at the end."""
        from gpunp.cuda import Stream

        stream = getattr(self.streams, "own", None)
        if stream is None:
            stream = self.streams.own = Stream(non_blocking=True)
        with stream:
            yield
            # The receiver reads in another process, whose streams do not wait for ours.
            stream.synchronize()

    def failure(self):
        """Why blocks cannot be used, as a text; None if they can. Takes a second or two."""
        try:
            if get_device().is_cpu:
                return None
            _, handle = self.create(min(SIZES))
            command = [sys.executable, "-P", "-c", _PROBE, handle.hex()]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        except (MemoryError, RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return (done.stderr.strip() or f"exit status {done.returncode}") if done.returncode else None

    def takes(self, array):
        """Whether an array can be copied to a block."""
        return array.device is get_device() and not array.device.is_cpu

    def create(self, nbytes):
        """A block as an array of bytes, and its handle."""
        from gpunp.cuda import runtime
        from gpunp.cuda.memory_blocks import Memory

        memory = Memory(nbytes)
        block = transfer.wrap_pointer(memory.ptr, (nbytes,), None, _BYTES, get_device(), memory)
        return block, runtime.ipcGetMemHandle(memory.ptr)

    def open(self, handle, nbytes):
        """A block of another process as an array of bytes."""
        from gpunp.cuda import runtime

        address = runtime.ipcOpenMemHandle(handle)
        return transfer.wrap_pointer(address, (nbytes,), None, _BYTES, get_device(), handle)


class Exports:
    """The blocks of this process, and those of other processes that it has opened.

    Parameters
    ----------
    memory : object
        Creates and opens blocks, as `CudaBlocks` does.
    sizes : dict of int to int, optional
        The most blocks of each size in bytes.
    """

    def __init__(self, memory, sizes=None):
        self.memory, self.sizes = memory, dict(SIZES if sizes is None else sizes)
        self.free = {size: [] for size in self.sizes}
        self.made = dict.fromkeys(self.sizes, 0)
        self.opened = {}
        self.sent = self.received = 0
        # Messages are written and read by several threads.
        self.lock = threading.RLock()

    def take(self, nbytes):
        """Blocks (size, array, handle) for a message; None if there are not enough."""
        sizes = sorted(self.sizes)
        size = next((each for each in sizes if each >= nbytes), sizes[-1])
        taken = []
        with self.lock:
            for _ in range(-(-nbytes // size)):
                block = self._one(size)
                if block is None:
                    self.give_back(taken)
                    return None
                taken.append(block)
        return taken

    def _one(self, size):
        if self.free[size]:
            return self.free[size].pop()
        if self.made[size] >= self.sizes[size]:
            return None
        try:
            block, handle = self.memory.create(size)
        except MemoryError:
            return None
        self.made[size] += 1
        return size, block, handle

    def give_back(self, blocks):
        """Use blocks again: their message has been read, or never will be."""
        with self.lock:
            for block in blocks:
                self.free[block[0]].append(block)

    def dump(self, data):
        """Copy bytes of a device to blocks; return the blocks, or None."""
        blocks = self.take(data.size)
        if blocks is None:
            return None
        at = 0
        for size, block, _ in blocks:
            part = data[at : at + size]
            layout.copy_into(block[: part.size], part)
            at += size
        self.sent += data.size
        return blocks

    def load(self, parts, nbytes):
        """The bytes of a message, copied from the blocks of its sender."""
        data = layout.empty((nbytes,), _BYTES, "C", get_device())
        at = 0
        for size, handle in parts:
            with self.lock:
                block = self.opened.get(handle)
                if block is None:
                    block = self.opened[handle] = self.memory.open(handle, size)
            part = data[at : at + size]
            layout.copy_into(part, block[: part.size])
            at += size
        # The sender, which is told that the message was read, may then write the blocks again.
        data.device.synchronize()
        self.received += nbytes
        return data


exports = Exports(CudaBlocks())


def dumps(array, context=None):
    """Header and frames for an array on a GPU, in an answer to another worker."""
    message = _message.get()
    if message is None or not isinstance(array, ndarray) or not exports.memory.takes(array):
        # On this exception distributed tries the next serializer.
        raise NotImplementedError(FAMILY)
    dense = without_repeats(array)
    blocks, frames = None, []
    with exports.memory.beside():
        ordered = dense if dense.flags.c_contiguous else layout.converted(dense, order="C")
        data = reinterpreted(ordered.reshape(-1), _BYTES)
        if data.size >= LEAST_BYTES and _same_host(context):
            blocks = exports.dump(data)
        if blocks is None:
            frames.append(memoryview(asnumpy(data)))
        else:
            message.extend(blocks)
    header = {
        "serializer": FAMILY,
        "parts": blocks and [(size, handle) for size, _, handle in blocks],
        "nbytes": dense.nbytes,
        "dtype": dense.dtype.str,
        "dense": dense.shape,
        "shape": array.shape,
        "scalar": array._is_scalar,
    }
    return header, frames


def loads(header, frames):
    """The array of a message, on the current device."""
    if header["parts"] is None:
        data = asarray(numpy.frombuffer(frames[0], _BYTES) if header["nbytes"] else numpy.empty(0, _BYTES))
    else:
        data = exports.load([(size, bytes(handle)) for size, handle in header["parts"]], header["nbytes"])
    array = reinterpreted(data, numpy.dtype(header["dtype"])).reshape(tuple(header["dense"]))
    shape = tuple(header["shape"])
    array = array if array.shape == shape else broadcast_to(array, shape)
    return array._mark_scalar() if header["scalar"] else array


def _same_host(context):
    if not context:
        return False
    sides = [context.get(side, {}).get("address", side) for side in ("sender", "recipient")]
    hosts = [address.partition("://")[2].rpartition(":")[0] for address in sides]
    return hosts[0] == hosts[1] != ""


register_serialization_family(FAMILY, dumps, loads)


class DeviceWorker(Worker):
    """A worker of dask whose tasks are paced, and whose arrays go from GPU to GPU on the same host."""

    def __init__(self, *args, **options):
        self._progress = dask_tasks.Progress() if dask_tasks.GpuPoints.usable() else None
        super().__init__(*args, **options)
        self.batched_stream.interval = dask_tasks.INTERVAL
        if self._progress is not None and options.get("executor") is None:
            self.executors["default"].shutdown(wait=False)
            self.executors["default"] = dask_tasks.PacedThreadPoolExecutor(
                self._progress, self.state.nthreads, f"{self.name}-Dask-Default-Threads"
            )

    async def start_unsafe(self):
        """Start, and ask other workers for handles unless this process cannot use them."""
        try:
            await offload(dask_tasks.warm)
        except (MemoryError, RuntimeError) as error:
            # Tasks that need the device raise this error again.
            _logger.warning("The device of this worker cannot be used: %s", error)
        failure = await offload(exports.memory.failure)
        if failure is None:
            self.rpc.serializers = self.rpc.deserializers = SERIALIZERS
        else:
            _logger.warning("Arrays travel through the host, as blocks of GPUs cannot be shared: %s", failure)
        return await super().start_unsafe()

    async def execute(self, key, *, stimulus_id):
        """Run a task; see `distributed.Worker`."""
        dask_tasks.executing.set(key)
        return await super().execute(key, stimulus_id=stimulus_id)

    async def get_data(self, comm, keys, who=None, serializers=None):
        """Answer another worker, and keep the blocks of the answer until it was read."""
        if self._progress is not None:
            await self._progress.ready(keys)
        if who is None or serializers is None or FAMILY not in serializers:
            return await super().get_data(comm, keys, who=who, serializers=serializers)
        blocks = []
        token = _message.set(blocks)
        try:
            return await super().get_data(comm, keys, who=who, serializers=serializers)
        finally:
            _message.reset(token)
            exports.give_back(blocks)
