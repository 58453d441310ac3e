"""The functions of `numpy.linalg`."""

from numpy.linalg import LinAlgError

from gpunp.dispatch.names import folder

__all__ = ["LinAlgError"]

__getattr__, __dir__ = folder("linalg")
