"""`Rbf` on device arrays: radial basis functions at all points."""

import numpy
import scipy.interpolate
from gpunp.device import get_device
from scipy.linalg import lu_factor, lu_solve, solve
from scipy.spatial.distance import cdist

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.interpolate.holders import F8, Holder, adopt, created, holds, is_held


@holds(scipy.interpolate.Rbf)
class Radial(Holder):
    """Methods of `scipy.interpolate.Rbf` for device arrays; the functions of distances are SciPy's."""

    @property
    def A(self):
        """The matrix of the functions at all pairs of points."""
        distances = self._call_norm(self.xi, self.xi)
        return self._init_function(distances) - numpy.eye(self.N, like=distances) * self.smooth

    def __call__(self, *args):
        """Evaluate; see `scipy.interpolate.Rbf.__call__`."""
        args = [asarray(x, device=self.xi.device) for x in args]
        if not all(x.shape == y.shape for x in args for y in args):
            raise ValueError("Array lengths must be equal")
        shape = args[0].shape + ((self._target_dim,) if self._target_dim > 1 else ())
        points = numpy.stack([x.reshape(-1).astype(F8) for x in args])
        return numpy.dot(self._function(self._call_norm(points, self.xi)), self.nodes).reshape(shape)

    def _call_norm(self, x1, x2):
        return cdist(x1.T, x2.T, self.norm)


def rbf(self, *args, **kwargs):
    """Initialize an interpolant; see `scipy.interpolate.Rbf`."""
    device = device_of(*args) or get_device()
    adopt(self)
    self.xi = numpy.stack([asarray(a, device=device).astype(F8).reshape(-1) for a in args[:-1]])
    self.N = self.xi.shape[-1]
    self.mode = kwargs.pop("mode", "1-D")
    values = asarray(args[-1], device=device)
    if self.mode == "1-D":
        self.di, self._target_dim = values.reshape(-1), 1
    elif self.mode == "N-D":
        self.di, self._target_dim = values, values.shape[-1]
    else:
        raise ValueError("Mode has to be 1-D or N-D.")
    if self.di.shape[0] != self.N:
        raise ValueError("All arrays must be equal length.")
    self.norm = kwargs.pop("norm", "euclidean")
    self.epsilon = kwargs.pop("epsilon", None)
    if self.epsilon is None:
        # The mean distance of points that fill the box of the points.
        edges = self.xi.max(axis=1) - self.xi.min(axis=1)
        edges = edges[edges != 0]
        self.epsilon = numpy.power(numpy.prod(edges) / self.N, 1.0 / edges.size)
    self.smooth = kwargs.pop("smooth", 0.0)
    self.function = kwargs.pop("function", "multiquadric")
    for name, value in kwargs.items():
        setattr(self, name, value)
    self.nodes = lu_solve(lu_factor(self.A), self.di) if self._target_dim > 1 else solve(self.A, self.di)


def call(self, *args):
    """Evaluate an interpolant that is on the host at points on the device."""
    if not is_held(self):
        host, self = self, created(type(self))
        device = device_of(*args)
        for name, value in vars(host).items():
            setattr(self, name, asarray(value, device=device) if isinstance(value, numpy.ndarray) else value)
    return self(*args)
