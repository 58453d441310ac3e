"""SciPy's Krylov solvers of linear systems as twins, for the steps of `newton_krylov`."""

import numpy
import scipy.linalg

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.device_numpy import Numpy

_HOME = "scipy.sparse.linalg._isolve"
# The solvers, by the module that has them.
SOLVERS = {
    "iterative": ("bicgstab", "cgs", "gmres"),
    "lgmres": ("lgmres",),
    "minres": ("minres",),
    "tfqmr": ("tfqmr",),
}


def length(x):
    """The length of a vector as a number; infinite where an element is not finite."""
    found = numpy.float64(numpy.linalg.norm(x))
    return found if numpy.isfinite(found) else numpy.float64(numpy.inf)


def blas(names, arrays=()):
    """BLAS functions of vectors, as ``get_blas_funcs`` returns them."""
    found = {
        "axpy": lambda x, y, n=None, a=1.0: y + a * x,
        "scal": lambda a, x: a * x,
        "dot": lambda x, y: (x * y).sum(),
        "dotc": lambda x, y: (numpy.conjugate(x) * y).sum(),
        "nrm2": length,
    }
    return found[names] if isinstance(names, str) else [found[name] for name in names]


class Operator:
    """A linear operator of device arrays: a matrix, or an object with ``matvec``; the identity for None."""

    ndim = 2

    def __init__(self, of=None, shape=None, dtype=None):
        self.shape = of.shape if shape is None else shape
        self.dtype = numpy.dtype(of.dtype if dtype is None else dtype)
        self.of = of

    def matvec(self, x):
        """Multiply a vector."""
        if self.of is None:
            return x
        return self.of @ x if isinstance(self.of, gpunp.ndarray) else self.of.matvec(x)

    def rmatvec(self, x):
        """Multiply a vector by the adjoint."""
        if self.of is None:
            return x
        return self.of.T.conj() @ x if isinstance(self.of, gpunp.ndarray) else self.of.rmatvec(x)

    dot = __call__ = __matmul__ = matvec


def operator(of):
    """A matrix or an object with ``matvec`` as an operator."""
    return of if isinstance(of, Operator) else Operator(of)


def _candidates(v0, count, outer, *, first):
    """The vectors of the iterations, with their products where these are known."""
    if first:
        yield from outer
    yield v0, None
    for _ in range(count - 1):
        yield None, None
    if not first:
        yield from outer


def flexible_gmres(matvec, v0, m, atol, lpsolve=None, rpsolve=None, cs=(), outer_v=(), prepend_outer_v=False):
    """Replaces ``_fgmres``: an Arnoldi basis by classical Gram-Schmidt, done twice, with one wait a vector.

    Returns
    -------
    Q, R : ndarray
        Factors of the Hessenberg matrix.
    B : ndarray
        Products with ``cs``.
    vs, zs : list of ndarray
        The basis, and the vectors that were multiplied.
    y : ndarray
        The coefficients of ``zs``.
    res : float
        The length of the residual, for a right side of length one.
    """
    vs, zs, tops, columns = [v0], [], [], []
    for z, w in _candidates(v0, m, outer_v, first=prepend_outer_v):
        z = vs[-1] if z is None else z
        if w is None:
            w = z if rpsolve is None else rpsolve(z)
            z = w
            w = matvec(w)
            w = w if lpsolve is None else lpsolve(w)
        basis = numpy.stack([*cs, *vs])
        before = numpy.sqrt((abs(w) ** 2).sum())
        products = 0.0
        for _ in range(2):
            each = numpy.conjugate(basis) @ w
            w, products = w - each @ basis, products + each
        rest = numpy.sqrt((abs(w) ** 2).sum())
        *found, before, rest = asnumpy(numpy.concatenate([products, numpy.stack([before, rest])])).tolist()
        before, rest = abs(before), abs(rest)
        ended = not rest > numpy.finfo(float).eps * before
        vs.append(w if ended else w / rest)
        zs.append(z)
        tops.append(found[: len(cs)])
        columns.append([*found[len(cs) :], rest])
        H = numpy.zeros((len(columns) + 1, len(columns)), dtype=v0.dtype)
        for j, column in enumerate(columns):
            H[: len(column), j] = column
        Q, R = scipy.linalg.qr(H)
        res = abs(Q[0, -1])
        if res < atol or ended:
            break
    count = len(columns)
    y = scipy.linalg.lstsq(R[:count, :count], Q[0, :count].conj())[0]
    return Q, R, numpy.array(tops).T.reshape(len(cs), count), vs, zs, y, res


def modules():
    """Namespaces and replaced globals of the twins, for `gpunp_scipy.twins.Twins`."""
    names = [*SOLVERS, "_gcrotmk", "utils"]
    on_device = Numpy("empty zeros ones eye identity full")
    replaced = {f"{_HOME}.{name}": {"get_blas_funcs": blas, "nrm2": length} for name in names}
    replaced[f"{_HOME}._gcrotmk"]["_fgmres"] = flexible_gmres
    replaced[f"{_HOME}.utils"] |= {"aslinearoperator": operator, "IdentityOperator": Operator}
    return {f"{_HOME}.{name}": on_device for name in names}, replaced


def solvers(twins):
    """The solvers by name."""
    return {
        name: getattr(twins[f"{_HOME}.{home}"], name) for home, names in SOLVERS.items() for name in names
    }
