"""The functions of `numpy.linalg`."""

from gpunp.namespace import folder

__getattr__, __dir__ = folder("linalg")
