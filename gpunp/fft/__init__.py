"""The functions of `numpy.fft`."""

from gpunp.namespace import folder

__getattr__, __dir__ = folder("fft")
