"""Minkowski's distances of arrays of vectors, which SciPy 1.18 deprecates."""

import warnings

import numpy
import scipy
from gpunp.device import get_device

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.spatial.distance.all_pairs import cdist

_REBOUND = Rebound("scipy.spatial._kdtree", {})
_DEPRECATED = numpy.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
minkowski_distance = _REBOUND.public("minkowski_distance", __name__)
minkowski_distance_p = _REBOUND.public("minkowski_distance_p", __name__)


def distance_matrix(x, y, p=2.0, threshold=1000000):
    """Distances of all pairs; see `scipy.spatial.distance_matrix`. It computes as `cdist` does.

    Parameters
    ----------
    threshold : int, optional
        Has no effect: the differences are not kept.
    """
    if _DEPRECATED:
        warnings.warn(
            "`distance_matrix` is deprecated in favor of `scipy.spatial.distance.cdist` as of SciPy 1.18.0 "
            "and will be removed in SciPy 1.20.0.",
            DeprecationWarning,
            stacklevel=2,
        )
    device = device_of(x, y) or get_device()
    x, y = asarray(x, device=device), asarray(y, device=device)
    (_, k), (_, other) = x.shape, y.shape
    if k != other:
        raise ValueError(f"x contains {k}-dimensional vectors but y contains {other}-dimensional vectors")
    if "c" in (x.dtype.kind, y.dtype.kind):
        return minkowski_distance(x[:, None], y[None], p)
    found = cdist(x, y, "minkowski", p=p)
    if p == numpy.inf:
        # The largest of numbers with a NaN is NaN, for `cdist` the largest of the others.
        unknown = [numpy.isnan(each).any(axis=1) for each in (x, y)]
        found = numpy.where(unknown[0][:, None] | unknown[1], numpy.nan, found)
    return found
