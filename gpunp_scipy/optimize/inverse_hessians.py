"""Inverse Hessians of L-BFGS-B as linear operators on device arrays."""

import functools

from scipy.optimize import LbfgsInvHessProduct

import gpunp
from gpunp.dispatch import hooks
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.twins import Twins

_MODULE = "scipy.optimize._lbfgsb_py"


@functools.cache
def _twin():
    return Twins({_MODULE: Numpy("empty eye")})[_MODULE].LbfgsInvHessProduct


class LimitedMemoryProduct(LbfgsInvHessProduct):
    """SciPy's `LbfgsInvHessProduct` with corrections on the device."""

    def __init__(self, sk, yk):
        hooks.original(LbfgsInvHessProduct.__init__)(self, sk, yk)

    @classmethod
    def of(cls, memory, x):
        """Make the operator of the corrections of a solver, which may be none."""
        return cls(*memory.in_order()) if len(memory) else cls(*(gpunp.zeros((0, x.size)) for _ in range(2)))

    def _matvec(self, x):
        return _twin()._matvec(self, gpunp.asarray(x))

    def _matmat(self, X):
        return _twin()._matmat(self, gpunp.asarray(X))

    def todense(self):
        """The matrix as a device array."""
        return _twin().todense(self)


def construct(self, sk, yk):
    """Construct a `LbfgsInvHessProduct` whose corrections are on the device."""
    self.__class__ = LimitedMemoryProduct
    LimitedMemoryProduct.__init__(self, gpunp.asarray(sk), gpunp.asarray(yk))
