"""What a launcher tells a process: its rank, how many there are, and where they meet."""

import os
from typing import NamedTuple

HOST, PORT = "127.0.0.1", 13333

# For each number the variables that launchers set, in the order in which they are read: torchrun and
# `python -m gpunp.distributed`, Open MPI, MPICH and Intel MPI, Slurm.
_VARIABLES = {
    "size": ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"),
    "rank": ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"),
    "local_rank": ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"),
}


class Place(NamedTuple):
    """The place of a process in its group, and the address of the group's store."""

    size: int
    rank: int
    host: str
    port: int


def _number(name):
    """The number that a launcher set, or None."""
    for variable in _VARIABLES[name]:
        text = os.environ.get(variable)
        if text is not None:
            return _integer(variable, text)
    return None


def _integer(variable, text):
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"the environment variable {variable} must be an integer, not {text!r}; unset it or correct it"
        ) from None


def local_rank():
    """The rank of this process among those of its host, 0 if no launcher tells it.

    Returns
    -------
    int

    Examples
    --------
    Each process takes its own GPU: ``gpunp.Device("cuda", gpunp.distributed.local_rank()).use()``.

    >>> gpunp.distributed.local_rank()
    0
    """
    return _number("local_rank") or 0


def find_place(size, rank, host, port):
    """Complete the arguments of `init_process_group` from the environment, and check them.

    Parameters
    ----------
    size, rank : int or None
    host : str or None
    port : int or None

    Returns
    -------
    Place
    """
    size = _number("size") if size is None else size
    rank = _number("rank") if rank is None else rank
    if size is None or rank is None:
        missing = "n_devices" if size is None else "rank"
        raise ValueError(
            f"init_process_group: {missing} is neither an argument nor set by a launcher: pass n_devices and "
            "rank, or start the program with `python -m gpunp.distributed -n 2 program.py`, mpirun or "
            "torchrun"
        )
    if size < 1:
        raise ValueError(f"init_process_group: n_devices must be at least 1, not {size}")
    if not 0 <= rank < size:
        raise ValueError(f"init_process_group: rank must be 0 to {size - 1} in a group of {size}, not {rank}")
    if host is None:
        host = os.environ.get("MASTER_ADDR", HOST)
    if port is None:
        port = _port()
    if not 0 <= port < 1 << 16:
        raise ValueError(f"init_process_group: port must be 0 to 65535, not {port}")
    if port == 0 and size > 1:
        raise ValueError(
            "init_process_group: port 0, any free one, is for a group of one process; choose a port"
        )
    return Place(size, rank, host, port)


def _port():
    text = os.environ.get("MASTER_PORT")
    if text is None:
        return PORT
    port = _integer("MASTER_PORT", text)
    # The agent of torchrun listens there itself.
    agent = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    return port + 1 if agent else port
