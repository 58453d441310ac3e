"""Functions named as in CUDA's runtime API; devices, streams, events and memory are numbers, not objects.

They call the driver, with the contexts that gpunp uses. The numbers of flags are here, too. Errors are
`gpunp.cuda.CUDADriverError`, which is also named ``CUDARuntimeError``.

Examples
--------
>>> from gpunp.cuda import runtime
>>> runtime.memcpyHostToDevice, runtime.streamNonBlocking
(1, 1)
"""

from gpunp.cuda.driver import CUDADriverError as CUDARuntimeError
from gpunp.cuda.runtime_arrays import *  # noqa: F403
from gpunp.cuda.runtime_constants import *  # noqa: F403
from gpunp.cuda.runtime_copies import *  # noqa: F403
from gpunp.cuda.runtime_devices import *  # noqa: F403
from gpunp.cuda.runtime_memory import *  # noqa: F403
from gpunp.cuda.runtime_pools import *  # noqa: F403
from gpunp.cuda.runtime_streams import *  # noqa: F403

__all__ = [
    "CUDARuntimeError",
    *(name for name in globals() if name[:1] != "_" and name != "CUDARuntimeError"),
]
