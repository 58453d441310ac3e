"""Several processes with a device each, and arrays cut over the devices of one process.

`init_process_group` returns a communicator, whose methods exchange arrays with the other processes.
`gpunp.distributed.array` has arrays whose chunks are on several GPUs of one host.

Examples
--------
A group of one process; more are started by ``python -m gpunp.distributed -n 2 program.py``, ``mpirun`` or
``torchrun``.

>>> import gpunp, gpunp.distributed
>>> comm = gpunp.distributed.init_process_group(1, 0, port=0)
>>> x = gpunp.arange(3.0)
>>> comm.all_reduce(x, x)
>>> x.tolist()
[0.0, 1.0, 2.0]
>>> comm.stop()
"""

import importlib

_HOMES = {
    "HostBackend": "host",
    "MPIBackend": "mpi",
    "NCCLBackend": "nccl",
    "Store": "store",
    "StoreServer": "store",
    "init_process_group": "group",
    "local_rank": "environment",
}
# Names that need another package: not among those of ``import *``.
_OPTIONAL = {"local_cluster": "dask_cluster"}
__all__ = ["array", *_HOMES]


def __getattr__(name):
    if name == "array":
        return importlib.import_module("gpunp.distributed.array")
    home = _HOMES.get(name) or _OPTIONAL.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"gpunp.distributed.{home}"), name)
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__, *_OPTIONAL})
