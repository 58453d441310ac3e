"""Laplacians of graphs: SciPy's code on device arrays."""

import inspect

from scipy.sparse import csgraph as scipys
from scipy.sparse.linalg import LinearOperator

import gpunp
from gpunp_scipy.rebinding import Rebound, presented
from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.csgraph.graphs import on_device


def _set_diagonal(m, d):
    place = gpunp.arange(len(d))
    m[place, place] = d


# Before SciPy 1.18, operators do not ask for the namespace of their vectors.
_NAMESPACE = {"xp": gpunp} if "xp" in inspect.signature(LinearOperator.__init__).parameters else {}


def _operator(mv, shape, dtype):
    return LinearOperator(matvec=mv, matmat=mv, shape=shape, dtype=dtype, **_NAMESPACE)


_REBOUND = Rebound(
    "scipy.sparse.csgraph._laplacian", {"_setdiag_dense": _set_diagonal, "_linearoperator": _operator}
)


def _laplacian(csgraph, *args, **kwargs):
    with classes.device_of_parts(csgraph):
        return _REBOUND["laplacian"](on_device(csgraph), *args, **kwargs)


laplacian = presented(_laplacian, scipys.laplacian, __name__)
