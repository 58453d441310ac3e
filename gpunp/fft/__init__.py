"""The functions of `numpy.fft`."""

# `gpunp.fft.config` is public and has no function of NumPy's that would import it.
from gpunp.fft import config  # noqa: F401
from gpunp.namespace import folder

__getattr__, __dir__ = folder("fft")
