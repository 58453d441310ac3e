"""Making a communicator: the processes meet at a store, or by MPI."""

from gpunp.device import get_device
from gpunp.distributed.backend import left_group
from gpunp.distributed.environment import find_place
from gpunp.distributed.store import Store, StoreServer

BACKENDS = ("nccl", "mpi", "host")


def init_process_group(
    n_devices=None, rank=None, *, backend="nccl", host=None, port=None, use_mpi=False, timeout=300.0
):
    """Join a group of processes, each with a device, and return its communicator.

    Every process of the group calls this. The current device is that of the process, so choose it before.

    Parameters
    ----------
    n_devices : int, optional
        The number of processes; by default what the launcher says.
    rank : int, optional
        The number of this process, from 0; by default what the launcher says.
    backend : {"nccl", "mpi", "host"}, default "nccl"
        What carries the elements: NCCL, the MPI library by mpi4py, or sockets between arrays of the CPU
        device. If the current device is the CPU device, ``"nccl"`` means ``"host"`` (or ``"mpi"`` with
        ``use_mpi``), so that programs run unchanged.
    host : str, optional
        Host of the process of rank 0; by default ``MASTER_ADDR``, else 127.0.0.1.
    port : int, optional
        The port on which the process of rank 0 listens; by default ``MASTER_PORT``, else 13333.
    use_mpi : bool, default False
        Whether processes of NCCL meet by MPI instead of the store at host and port.
    timeout : float, default 300
        Seconds to wait for the others, in this call and in those that wait on the host.

    Returns
    -------
    NCCLBackend, MPIBackend or HostBackend

    Raises
    ------
    ValueError
        For a bad number, or numbers that differ from those of other processes.
    TimeoutError
        With the missing ranks, if they do not arrive in time.
    RuntimeError
        If the port is in use.

    Examples
    --------
    Two processes, started by ``python -m gpunp.distributed -n 2 program.py``::

        gpunp.Device("cuda", gpunp.distributed.local_rank()).use()
        comm = gpunp.distributed.init_process_group()
        x = gpunp.full(1000, comm.rank + 1.0)
        comm.all_reduce(x, x)  # 3.0 in both
        comm.stop()
    """
    if backend not in BACKENDS:
        raise ValueError(f"init_process_group: backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
    if backend == "nccl" and get_device().is_cpu:
        backend = "mpi" if use_mpi else "host"
    if backend == "mpi":
        from gpunp.distributed.mpi import MPIBackend

        return MPIBackend(n_devices, rank)
    if use_mpi and backend == "host":
        raise ValueError("init_process_group: backend='host' meets at a store; use backend='mpi' with MPI")
    if use_mpi:
        from gpunp.distributed.mpi import MPIMeeting

        meeting = MPIMeeting(n_devices, rank)
    else:
        meeting = StoreMeeting(n_devices, rank, host, port, timeout)
    return of_meeting(backend, meeting)


def of_meeting(backend, meeting):
    """The communicator ``"nccl"`` or ``"host"`` of processes that have met."""
    try:
        if backend == "host":
            from gpunp.distributed.host import HostBackend as Backend
        else:
            from gpunp.distributed.nccl import NCCLBackend as Backend
        return Backend.of(meeting)
    except BaseException:
        meeting.stop(orderly=False)
        raise


class StoreMeeting:
    """The processes of a group that have met at a store.

    Parameters
    ----------
    size, rank, host, port, timeout
        Those of `init_process_group`.
    """

    def __init__(self, size, rank, host, port, timeout):
        self.size, self.rank, host, port = find_place(size, rank, host, port)
        self.timeout = timeout
        self._server = StoreServer(host, port) if self.rank == 0 else None
        self.store = None
        try:
            self.store = Store(host, self._server.port if self._server else port, timeout)
            self._join()
        except BaseException:
            self.stop(orderly=False)
            raise

    def _join(self):
        if self.store.add(f"joined/{self.rank}") > 1:
            raise ValueError(
                f"init_process_group: another process has rank {self.rank} too; ranks must differ"
            )
        if self.rank == 0:
            self.store.set("size", b"%d" % self.size)
        said = int(self.store.get("size"))
        if said != self.size:
            raise ValueError(
                f"init_process_group: rank {self.rank} has n_devices={self.size}, but rank 0 has {said}; "
                "all processes must agree"
            )
        self.store.meet("init_process_group", self.size, self.rank)

    def share(self, key, value, root=0):
        """The bytes of one process, in all; others pass anything."""
        if self.rank == root:
            self.store.set(key, value)
        return self.store.get(key)

    def require(self):
        """Raise if this process has left."""
        if self.store is None:
            raise left_group()

    def barrier(self):
        """Wait until all processes have come here."""
        self.require()
        self.store.meet("barrier", self.size, self.rank)

    def stop(self, *, orderly=True):
        """Leave; rank 0 waits for the others, who need its store until then."""
        if orderly and self.store is not None:
            try:
                self.store.meet("stop", self.size, self.rank)
                # Who leaves may join another group at the same port, and must not find this one's listener.
                if self._server is not None:
                    self._server.refuse()
                    self.store.set("refusing", b"")
                self.store.get("refusing")
                self.store.add("left")
                if self._server is not None:
                    self._server.wait_for("left", self.size, self.timeout)
            except OSError:
                # A process that has died leaves without a word.
                pass
        if self.store is not None:
            self.store.close()
        if self._server is not None:
            self._server.close()
        self.store = self._server = None
