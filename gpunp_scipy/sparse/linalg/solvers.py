"""Iterative solvers: SciPy's modules, executed a second time with vectors on the device."""

import scipy.sparse.linalg

from gpunp_scipy.rebinding import public
from gpunp_scipy.sparse.classes import device_of_parts
from gpunp_scipy.sparse.linalg.operators import SOLVERS, converted, twins

# Where solvers are that have no module of their own.
_MODULES = {"bicg": "iterative", "cgs": "iterative", "gmres": "iterative", "qmr": "iterative"}
_MODULES |= {"bicgstab": "iterative", "cg": "iterative", "gcrotmk": "_gcrotmk"}


def twin(name):
    """The twin of a solver."""
    return getattr(twins()[f"{SOLVERS}.{_MODULES.get(name, name)}"], name)


def _solver(name):
    def solve(A, b, *args, **kwargs):
        with device_of_parts(A, b, *args, *kwargs.values()):
            # Preconditioners; the matrix may have more attributes than an operator.
            args = map(converted, args)
            return twin(name)(A, b, *args, **{key: converted(value) for key, value in kwargs.items()})

    return public(solve, getattr(scipy.sparse.linalg, name), __name__)


gcrotmk = _solver("gcrotmk")
lgmres = _solver("lgmres")
