"""Distances between two vectors: SciPy's own code on device arrays. Those of SciPy that are `float` wait."""

import numpy
from gpunp.device import get_device

from gpunp.array.convert import asarray, asnumpy
from gpunp.array.operands import device_of
from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.spatial import pairs

_REBOUND = Rebound("scipy.spatial.distance", {})
braycurtis = _REBOUND.public("braycurtis", __name__)
canberra = _REBOUND.public("canberra", __name__)
cityblock = _REBOUND.public("cityblock", __name__)
correlation = _REBOUND.public("correlation", __name__)
cosine = _REBOUND.public("cosine", __name__)
dice = _REBOUND.public("dice", __name__)
euclidean = _REBOUND.public("euclidean", __name__)
hamming = _REBOUND.public("hamming", __name__)
jaccard = _REBOUND.public("jaccard", __name__)
jensenshannon = _REBOUND.public("jensenshannon", __name__)
mahalanobis = _REBOUND.public("mahalanobis", __name__)
minkowski = _REBOUND.public("minkowski", __name__)
rogerstanimoto = _REBOUND.public("rogerstanimoto", __name__)
russellrao = _REBOUND.public("russellrao", __name__)
seuclidean = _REBOUND.public("seuclidean", __name__)
sokalsneath = _REBOUND.public("sokalsneath", __name__)
sqeuclidean = _REBOUND.public("sqeuclidean", __name__)
yule = _REBOUND.public("yule", __name__)
_validate_vector = _REBOUND["_validate_vector"]
_validate_weights = _REBOUND["_validate_weights"]


def chebyshev(u, v, w=None):
    """Greatest difference of two vectors; see `scipy.spatial.distance.chebyshev`."""
    # SciPy's code is `max` of Python, which waits for each element.
    difference = numpy.abs(_validate_vector(u) - _validate_vector(v))
    if w is not None:
        difference = (_validate_weights(w) > 0) * difference
    return numpy.max(difference)


def directed_hausdorff(u, v, rng=0, *, seed=None):
    """Greatest distance from a point to the other set; see `scipy.spatial.distance.directed_hausdorff`.

    All points are compared, in tiles. Nothing is drawn, so that ``rng`` has no effect: of several points at
    the same distance the first ones are returned. The call waits for the device.
    """
    device = device_of(u, v) or get_device()
    u, v = (asarray(a, dtype="f8", device=device, order="C") for a in (u, v))
    if u.shape[1] != v.shape[1]:
        raise ValueError("u and v need to have the same number of columns")
    if u.ndim != 2 or v.ndim != 2:
        raise ValueError(f"u and v must have two dimensions: a row for each point; not {u.ndim} and {v.ndim}")
    if 0 in (u.shape[0], v.shape[0]):
        raise ValueError("u and v must have points")
    place, distance = pairs.nearest(u, v)
    first = numpy.argmax(distance)
    found = asnumpy(numpy.stack([distance[first], first.astype("f8"), place[first].astype("f8")]))
    return float(found[0]), int(found[1]), int(found[2])
