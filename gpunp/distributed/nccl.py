"""Collective operations between GPUs, by NCCL and the package nccl4py."""

import contextlib

from gpunp.cuda import nccl
from gpunp.device import get_device
from gpunp.distributed.backend import Backend, left_group

_OPERATIONS = {"sum": nccl.NCCL_SUM, "prod": nccl.NCCL_PROD, "max": nccl.NCCL_MAX, "min": nccl.NCCL_MIN}


class NCCLBackend(Backend):
    """A communicator of processes with a GPU each, by NCCL; made by `init_process_group`.

    The calls queue their work on a stream and return. They take C-contiguous arrays; arrays of complex
    numbers are summed as pairs, and arrays of dtypes that NCCL does not know are moved as bytes, but not
    reduced.

    Parameters
    ----------
    n_devices, rank, host, port, use_mpi, timeout
        Those of `init_process_group`.

    Raises
    ------
    ImportError
        If nccl4py is not installed.
    """

    def __init__(self, n_devices, rank, host=None, port=None, use_mpi=False, timeout=300.0):
        from gpunp.distributed.group import StoreMeeting
        from gpunp.distributed.mpi import MPIMeeting

        if get_device().is_cpu:
            raise ValueError(
                "NCCLBackend: the current device must be a CUDA device; on the CPU device use "
                "init_process_group, which returns a HostBackend"
            )
        meeting = (
            MPIMeeting(n_devices, rank) if use_mpi else StoreMeeting(n_devices, rank, host, port, timeout)
        )
        self._join(meeting)

    @classmethod
    def of(cls, meeting):
        """The communicator of processes that have met.

        Parameters
        ----------
        meeting : StoreMeeting or MPIMeeting

        Returns
        -------
        NCCLBackend
        """
        self = cls.__new__(cls)
        self._join(meeting)
        return self

    def _begin(self, meeting):
        super().__init__(meeting.size, meeting.rank)
        self._meeting = meeting
        identifier = bytes(nccl.get_unique_id()) if self.rank == 0 else None
        identifier = meeting.share("nccl", identifier)
        with self.device:
            self._communicator = nccl.NcclCommunicator(self.size, tuple(identifier), self.rank)

    @contextlib.contextmanager
    def _within(self, stream):
        """Make a stream current, which first waits for what the current one has."""
        if stream is None:
            yield
            return
        from gpunp.cuda.stream import as_stream, get_current_stream

        side = as_stream(stream, self.device)
        side.wait_stream(get_current_stream(self.device))
        with side:
            yield

    @contextlib.contextmanager
    def _transport(self, stream):
        from gpunp.cuda.driver import make_current
        from gpunp.cuda.stream import get_current_stream

        self._require()
        with self._within(stream):
            make_current(self.device)
            yield _Transport(self._communicator, get_current_stream(self.device).ptr)

    def barrier(self):
        """Wait on the host until all processes have called this; it does not wait for the devices."""
        self._meeting.barrier()

    def check_async_error(self):
        """Raise the error of an operation that has failed meanwhile.

        Raises
        ------
        RuntimeError
            If there is one.
        """
        self._require()
        self._communicator.check_async_error()

    def _require(self):
        """Raise if this process has left: the library would use memory that it has freed."""
        if self._communicator is None:
            raise left_group()

    def stop(self):
        """Leave the group, when the operations have run and all processes have come here.

        If the process has left before, nothing happens.
        """
        if self._communicator is None:
            return
        self.device.synchronize()
        self._meeting.barrier()
        communicator, self._communicator = self._communicator, None
        communicator.destroy()
        self._meeting.stop()

    def _leave(self):
        communicator, self._communicator = self._communicator, None
        if communicator is not None:
            communicator.abort()
        self._meeting.stop(orderly=False)


class _Transport:
    """The operations of a communicator, on one stream, for flat arrays."""

    def __init__(self, communicator, stream):
        self.communicator, self.stream = communicator, stream

    def exchange(self, sends, receives):
        """Send and receive at the same time."""
        call, stream = self.communicator, self.stream
        nccl.groupStart()
        try:
            for array, peer in sends:
                if array.size:
                    call.send(array.data_address, array.size, _datatype(array), peer, stream)
            for array, peer in receives:
                if array.size:
                    call.recv(array.data_address, array.size, _datatype(array), peer, stream)
        finally:
            nccl.groupEnd()

    def all_reduce(self, source, target, op):
        """All get the result."""
        if source.size:
            self.communicator.allReduce(
                source.data_address,
                target.data_address,
                source.size,
                _datatype(source),
                _OPERATIONS[op],
                self.stream,
            )

    def reduce(self, source, target, root, op):
        """One process gets the result."""
        if source.size:
            # Other processes write no output.
            to = source.data_address if target is None else target.data_address
            self.communicator.reduce(
                source.data_address, to, source.size, _datatype(source), _OPERATIONS[op], root, self.stream
            )

    def broadcast(self, array, root):
        """One process sends to all."""
        if array.size:
            address = array.data_address
            self.communicator.broadcast(address, address, array.size, _datatype(array), root, self.stream)

    def reduce_scatter(self, source, target, op):
        """Each process gets a part of the result."""
        if target.size:
            self.communicator.reduceScatter(
                source.data_address,
                target.data_address,
                target.size,
                _datatype(source),
                _OPERATIONS[op],
                self.stream,
            )

    def all_gather(self, source, target):
        """All get the elements of all."""
        if source.size:
            self.communicator.allGather(
                source.data_address, target.data_address, source.size, _datatype(source), self.stream
            )


_DATATYPES = {dtype: number for number, dtype in enumerate(nccl.DTYPES)}


def _datatype(array):
    return _DATATYPES[array.dtype]
