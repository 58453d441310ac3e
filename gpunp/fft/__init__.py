"""The functions of `numpy.fft`."""

from gpunp.dispatch.names import folder

# `gpunp.fft.config` is public, and no function of numpy.fft would import it.
from gpunp.fft import config  # noqa: F401

__getattr__, __dir__ = folder("fft")
