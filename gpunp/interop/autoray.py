"""The functions of autoray for device arrays that are not those of `gpunp` with the same name.

Imported after autoray, which finds the others in `gpunp`, the module of the arrays' class. Those of SciPy are
SciPy's own.
"""

import autoray
import numpy

from gpunp import random
from gpunp.array.convert import asarray, asnumpy
from gpunp.device import Device


def to_device(x, device):
    """Return an array on a device, such as ``"cuda:1"``; ``"cuda"`` and ``"gpu"`` stand for any GPU."""
    if device is None or (device in ("cuda", "gpu") and not x.device.is_cpu):
        return x
    return x.to_device(_device(device))


def from_numpy(x, dtype=None, device=None):
    """Copy a host array to a device."""
    return asarray(x, dtype=dtype, device=_device(device))


def _device(device):
    return Device(device.replace("gpu", "cuda")) if isinstance(device, str) else device


def _complex(real, imaginary):
    return real + 1j * imaginary


def _thin_svd(x, full_matrices=False, **kwargs):
    """The singular value decomposition, by default without the vectors that belong to no singular value."""
    return numpy.linalg.svd(x, full_matrices=full_matrices, **kwargs)


def _with_dtype(distribution):
    """Random numbers of a dtype, which may be given by its name."""

    def draw(*args, dtype=None, **kwargs):
        drawn = distribution(*args, **kwargs)
        return drawn if dtype is None else drawn.astype(dtype)

    return draw


FUNCTIONS = {
    "complex": _complex,
    "from_numpy": from_numpy,
    "linalg.svd": _thin_svd,
    "random.normal": _with_dtype(random.normal),
    "random.uniform": _with_dtype(random.uniform),
    "to_device": to_device,
    "to_numpy": asnumpy,
}
for _name, _function in FUNCTIONS.items():
    autoray.register_function("gpunp", _name, _function)
autoray.autoray.register_module_alias("gpunp.scipy", "scipy")
for _name in ("expm", "lu"):
    autoray.autoray.register_submodule_alias("gpunp", f"linalg.{_name}", "scipy.linalg")
