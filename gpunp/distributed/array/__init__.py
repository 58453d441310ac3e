"""Arrays cut over the GPUs of one host, in one process.

Examples
--------
On the CPU device the numbers of devices only name parts, all of which are there.

>>> import numpy as np, gpunp
>>> from gpunp.distributed.array import distributed_array, make_2d_index_map
>>> index_map = make_2d_index_map([0, 2], [0, 1, 3], [[{0}, {1}]])
>>> a = distributed_array(np.arange(6.0).reshape(2, 3), index_map)
>>> np.sqrt(a).sum(axis=1).get().round(3)
array([2.414, 5.968])
"""

import importlib

_HOMES = {
    "DistributedArray": "core",
    "MAX": "modes",
    "MIN": "modes",
    "PROD": "modes",
    "REPLICA": "modes",
    "SUM": "modes",
    "distributed_array": "creation",
    "make_2d_index_map": "index_maps",
    "matmul": "products",
}
__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    if isinstance(found, type):
        from gpunp.device import set_public_name

        set_public_name(found, f"{__name__}.{name}")
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__})
