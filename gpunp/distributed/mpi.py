"""Collective operations by MPI and the package mpi4py, of device memory or through pinned host memory."""

import contextlib
import ctypes
import os

from gpunp.array import transfer
from gpunp.device import get_device
from gpunp.distributed.backend import Backend, left_group

# Variables by which MPI libraries are told to accept device memory.
_AWARE = {
    "OMPI_MCA_opal_cuda_support": ("true", "1"),
    "MPICH_GPU_SUPPORT_ENABLED": ("1",),
    "MV2_USE_CUDA": ("1",),
    "I_MPI_OFFLOAD": ("1", "2"),
}


def _library():
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        # RuntimeError: mpi4py is installed, but finds no MPI library.
        raise ImportError(
            f"gpunp.distributed needs the package mpi4py and an MPI library for this call ({error}): pip "
            "install mpi4py, and an MPI such as openmpi"
        ) from error
    return MPI


def accepts_device_memory():
    """Whether the MPI library says that it reads and writes the memory of GPUs.

    Returns
    -------
    bool
    """
    if any(os.environ.get(name, "").lower() in values for name, values in _AWARE.items()):
        return True
    # The function by which Open MPI and MPICH tell it.
    library = ctypes.CDLL(_library().__file__)
    try:
        return bool(library.MPIX_Query_cuda_support())
    except AttributeError:
        return False


class MPIMeeting:
    """The processes of ``MPI.COMM_WORLD``, which the launcher has brought together.

    Parameters
    ----------
    size, rank : int or None
        What the caller believes; raises ValueError if it is wrong.
    """

    def __init__(self, size, rank):
        world = _library().COMM_WORLD
        for name, said, true in (("n_devices", size, world.size), ("rank", rank, world.rank)):
            if said is not None and said != true:
                raise ValueError(
                    f"init_process_group: {name} is {said}, but MPI says {true}; leave it out, or start the "
                    "program by mpirun -n N"
                )
        self.size, self.rank = world.size, world.rank
        self.world = world.Dup()

    def share(self, key, value, root=0):
        """The bytes of one process, in all; others pass anything."""
        return self.world.bcast(value, root)

    def barrier(self):
        """Wait until all processes have come here."""
        self.require()
        self.world.Barrier()

    def require(self):
        """Raise if this process has left."""
        if self.world is None:
            raise left_group()

    def stop(self, *, orderly=True):
        """Leave. Only all processes together can free their communicator; after an error it is kept."""
        world, self.world = self.world, None
        if orderly and world is not None:
            world.Free()


class MPIBackend(Backend):
    """A communicator of the processes that ``mpirun`` started, by mpi4py; made by `init_process_group`.

    The calls wait for the stream that has produced the arrays, and return when MPI has. An MPI library that
    accepts device memory gets it; for others the elements go through pinned host memory. Elements of dtype
    float16 are reduced in float32, as MPI has no such type.

    Parameters
    ----------
    n_devices, rank : int, optional
        Checked against what MPI says.
    gpu_aware : bool, optional
        Whether the library gets device memory; by default `accepts_device_memory` asks it.
    """

    def __init__(self, n_devices=None, rank=None, *, gpu_aware=None):
        self._meeting = MPIMeeting(n_devices, rank)
        super().__init__(self._meeting.size, self._meeting.rank)
        if gpu_aware is None:
            gpu_aware = not get_device().is_cpu and accepts_device_memory()
        self.gpu_aware = gpu_aware

    @contextlib.contextmanager
    def _within(self, stream):
        if stream is None:
            yield
            return
        if self.device.is_cpu:
            raise ValueError(
                f"MPIBackend: the CPU device has no streams; stream must be None, not {stream!r}"
            )
        from gpunp.cuda.stream import as_stream

        with as_stream(stream, self.device) as side:
            yield side

    @contextlib.contextmanager
    def _transport(self, stream):
        if stream is not None and not self.device.is_cpu:
            # The arrays may come from the current stream.
            self.device.synchronize()
        with self._within(stream):
            yield _Transport(self)

    def barrier(self):
        """Wait until all processes have called this."""
        self._meeting.barrier()

    def stop(self):
        """Leave the group; all processes must call this."""
        self._meeting.stop()

    def _leave(self):
        self._meeting.stop(orderly=False)


class _Transport:
    """The operations of MPI, for flat arrays."""

    def __init__(self, backend):
        self.library = _library()
        backend._meeting.require()
        self.world = backend._meeting.world
        self.device = backend.device
        self.rank = backend.rank
        self.direct = backend.gpu_aware and not backend.device.is_cpu

    def _read(self, array):
        """What MPI reads for an array."""
        array = _known(array)
        if self.direct:
            self.device.synchronize()
            return array
        if self.device.is_cpu:
            return transfer.host_view(array)
        host = _pinned(array)
        transfer.download(array, host)
        return host

    def _place(self, array):
        """Where MPI writes the elements of an array."""
        array = _known(array)
        if self.direct:
            # The memory may be in use by queued work.
            self.device.synchronize()
            return array
        return transfer.host_view(array) if self.device.is_cpu else _pinned(array)

    def _finish(self, array, written):
        if not self.direct and not self.device.is_cpu:
            transfer.set_from_host(_known(array), written)

    def exchange(self, sends, receives):
        """Send and receive at the same time."""
        places = [(array, self._place(array), peer) for array, peer in receives]
        requests = [self.world.Irecv(place, source=peer) for _, place, peer in places]
        kept = [(self._read(array), peer) for array, peer in sends]
        requests += [self.world.Isend(data, dest=peer) for data, peer in kept]
        self.library.Request.Waitall(requests)
        for array, place, _ in places:
            self._finish(array, place)

    def _reduced(self, call, source, target, op, *rest):
        """Call a reduction of MPI for arrays of a dtype that MPI has."""
        half = source.dtype == "f2"
        wide = source.astype("f4") if half else _apart(source, target)
        result = target
        if half and target is not None:
            result = wide if target.size == wide.size else wide[: target.size].copy()
            wide = wide.copy()
        place = None if target is None else self._place(result)
        call(self._read(wide), place, getattr(self.library, op.upper()), *rest)
        if target is not None:
            self._finish(result, place)
        if half and target is not None:
            target[...] = result

    def all_reduce(self, source, target, op):
        """All get the result."""
        self._reduced(self.world.Allreduce, source, target, op)

    def reduce(self, source, target, root, op):
        """One process gets the result."""
        self._reduced(self.world.Reduce, source, target, op, root)

    def reduce_scatter(self, source, target, op):
        """Each process gets a part of the result."""
        self._reduced(self.world.Reduce_scatter_block, source, target, op)

    def broadcast(self, array, root):
        """One process sends to all."""
        if self.rank == root:
            self.world.Bcast(self._read(array), root)
        else:
            place = self._place(array)
            self.world.Bcast(place, root)
            self._finish(array, place)

    def all_gather(self, source, target):
        """All get the elements of all."""
        place = self._place(target)
        self.world.Allgather(self._read(_apart(source, target)), place)
        self._finish(target, place)


def _known(array):
    """The array in a dtype that MPI has; float16 is moved as integers."""
    return array.view("u2") if array.dtype == "f2" else array


def _apart(source, target):
    """A copy of the source where it shares memory with the target, which MPI forbids."""
    if target is None or not source.size or not target.size:
        return source
    first, other = source.data_address, target.data_address
    return source.copy() if first < other + target.nbytes and other < first + source.nbytes else source


def _pinned(array):
    from gpunp.cuda.pinned import pinned_empty

    return pinned_empty(array.shape, array.dtype)
