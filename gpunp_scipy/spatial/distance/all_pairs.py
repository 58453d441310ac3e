"""Distances of all pairs: one tiled kernel, whose template parameter is the metric."""

import numpy
from gpunp.device import get_device

import gpunp
from gpunp.array import layout
from gpunp.array.convert import asarray, asnumpy
from gpunp.array.operands import device_of
from gpunp_scipy.spatial import pairs
from gpunp_scipy.spatial.distance.matrices import upper_triangle

F8 = numpy.dtype("f8")
# Elements of the differences that Mahalanobis distances are computed from at a time.
_DIFFERENCES = 1 << 24
# SciPy's names of metrics.
_ALIASES = {
    "braycurtis": "braycurtis",
    "canberra": "canberra",
    "chebyshev": "chebyshev chebychev cheby cheb ch",
    "cityblock": "cityblock cblock cb c",
    "correlation": "correlation co",
    "cosine": "cosine cos",
    "dice": "dice",
    "euclidean": "euclidean euclid eu e",
    "hamming": "hamming hamm ha h matching",
    "jaccard": "jaccard jacc ja j",
    "jensenshannon": "jensenshannon js",
    "mahalanobis": "mahalanobis mahal mah",
    "minkowski": "minkowski mi m pnorm",
    "rogerstanimoto": "rogerstanimoto",
    "russellrao": "russellrao",
    "seuclidean": "seuclidean se s",
    "sokalsneath": "sokalsneath",
    "sqeuclidean": "sqeuclidean sqe sqeuclid",
    "yule": "yule",
}
_NAMES = {alias: name for name, aliases in _ALIASES.items() for alias in aliases.split()}
# The kernel of a metric, and what it makes of the sums of a pair.
_KERNELS = {
    "braycurtis": ("bray_curtis", pairs.SUM),
    "canberra": ("canberra", pairs.SUM),
    "chebyshev": ("greatest", pairs.SUM),
    "cityblock": ("absolutes", pairs.SUM),
    "dice": ("truths", pairs.DICE),
    "euclidean": ("squares", pairs.ROOT),
    "hamming": ("hamming", pairs.SUM),
    "jaccard": ("truths", pairs.JACCARD),
    "rogerstanimoto": ("truths", pairs.ROGERS_TANIMOTO),
    "russellrao": ("truths", pairs.RUSSELL_RAO),
    "sokalsneath": ("truths", pairs.SOKAL_SNEATH),
    "sqeuclidean": ("squares", pairs.SUM),
    "yule": ("truths", pairs.YULE),
}
# Metrics whose coordinates are true where they are not zero. `dice` takes real numbers as they are.
_OF_TRUTHS = ("jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
_OF_TOTALS = (*_OF_TRUTHS, "hamming")
_OPTIONS = {
    "jensenshannon": (),
    "mahalanobis": ("VI",),
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
}


class _Points:
    """The points of a call, contiguous and in double precision.

    Attributes
    ----------
    x, y : ndarray
        Of shapes (m, n) and (k, n); for pairs of one set `y` is None.
    shape : tuple of int
        Of the distances.
    """

    def __init__(self, x, y):
        self.n = x.shape[1]
        self.device = x.device
        self.x = _double(x)
        self.y = None if y is None else _double(y)
        m = x.shape[0]
        self.shape = (m * (m - 1) // 2,) if y is None else (m, y.shape[0])

    def changed(self, function):
        """The same with a function of both sets."""
        return _Points(function(self.x), None if self.y is None else function(self.y))

    def all(self):
        """The points of both sets."""
        return self.x if self.y is None else numpy.concatenate([self.x, self.y])

    def write(self, metric, form, out, **options):
        """Run a kernel."""
        x, y = self.x, self.y
        if self.n == 0:
            # A coordinate that is zero in all points changes nothing.
            x, y = (None if a is None else gpunp.zeros((a.shape[0], 1), device=self.device) for a in (x, y))
            if options.get("weights") is not None:
                options["weights"] = gpunp.zeros(1, device=self.device)
        pairs.distances(metric, x, y, out, form, **options)


def _double(a):
    # Most points need no conversion, and `asarray` takes longer to find that out.
    if a.dtype is F8 and a.flags.c_contiguous:
        return a
    if a.dtype.kind == "c":
        raise ValueError(f"Unsupported dtype {a.dtype}")
    return asarray(a, dtype=F8, order="C")


def cdist(XA, XB, metric="euclidean", *, out=None, **kwargs):
    """Distance between each pair of two collections of points; see `scipy.spatial.distance.cdist`.

    A metric that is a function is called for each pair with device arrays, which takes some kernels for each
    element of the result. The functions of `scipy.spatial.distance` run as their names do.
    """
    device = device_of(XA, XB, out, *kwargs.values()) or get_device()
    x, y = asarray(XA, device=device), asarray(XB, device=device)
    if x.ndim != 2:
        raise ValueError("XA must be a 2-dimensional array.")
    if y.ndim != 2:
        raise ValueError("XB must be a 2-dimensional array.")
    if x.shape[1] != y.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    return _distances("cdist", x, y, metric, out, kwargs)


def pdist(X, metric="euclidean", *, out=None, **kwargs):
    """Distances between the points of one collection; see `scipy.spatial.distance.pdist`.

    A metric that is a function is called for each pair with device arrays, which takes some kernels for each
    element of the result. The functions of `scipy.spatial.distance` run as their names do.
    """
    device = device_of(X, out, *kwargs.values()) or get_device()
    x = asarray(X, device=device)
    if x.ndim != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {x.shape}).")
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    return _distances("pdist", x, None, metric, out, kwargs)


def _distances(caller, x, y, metric, out, kwargs):
    with x.device:
        if isinstance(metric, str):
            name = metric.lower()
            if name.startswith("test_"):
                name = name.removeprefix("test_")
                if name not in _ALIASES:
                    raise ValueError(f'Unknown "Test" Distance Metric: {name}')
            if name not in _NAMES:
                raise ValueError(f"Unknown Distance Metric: {name}")
            return _named(caller, _Points(x, y), _NAMES[name], out, kwargs)
        if not callable(metric):
            raise TypeError("2nd argument metric must be a string identifier or a function.")
        name = getattr(metric, "__name__", "")
        if name in _ALIASES and getattr(metric, "__module__", "").endswith("scipy.spatial.distance"):
            return _named(caller, _Points(x, y), name, out, kwargs)
        return _called(x, y, metric, out, kwargs)


def _result(out, shape, device):
    """A result, or ``out`` if it fits."""
    if out is None:
        return layout.empty(shape, F8, device=device)
    if not isinstance(out, gpunp.ndarray):
        raise TypeError("out must be a device array, as the points are")
    if out.shape != shape:
        raise ValueError("Output array has incorrect shape.")
    if not out.flags.c_contiguous:
        raise ValueError("Output array must be C-contiguous.")
    if out.dtype != F8:
        raise ValueError("Output array must be double type.")
    if not out.flags.writeable:
        raise ValueError("Output array must be writable.")
    if out.device is not device:
        raise ValueError(f"the points are on {device} and out is on {out.device}; move one with to_device")
    return out


def _called(x, y, metric, out, kwargs):
    """Distances by a function of the caller."""
    m, other = x.shape[0], x if y is None else y
    places = [(i, j) for i in range(m) for j in range(i + 1 if y is None else 0, other.shape[0])]
    shape = (len(places),) if y is None else (m, other.shape[0])
    out = _result(out, shape, x.device)
    found = [metric(x[i], other[j], **kwargs) for i, j in places]
    if found:
        out[...] = numpy.stack([asarray(d, dtype=F8) for d in found]).reshape(shape)
    return out


def _weights(w, n, device):
    """Weights of coordinates on the device, and their sum."""
    w = numpy.asarray(asnumpy(w) if isinstance(w, gpunp.ndarray) else w, dtype=F8)
    if w.ndim != 1:
        raise ValueError("Weights must be a vector (ndim = 1)")
    if w.shape[0] != n:
        raise ValueError(f"Weights must have same size as input vector. {w.shape[0]} vs. {n}.")
    if (w < 0).any():
        raise ValueError("Input weights should be all non-negative")
    return asarray(w, device=device), float(w.sum())


def _named(caller, points, name, out, kwargs):
    """Distances by one of SciPy's metrics."""
    w, total = None, float(points.n)
    if kwargs:
        unknown = kwargs.keys() - set(_OPTIONS.get(name, ("w",)))
        if unknown:
            raise TypeError(f"{caller}() with {name!r} got an unexpected keyword argument {min(unknown)!r}")
        if kwargs.get("w") is not None:
            w, total = _weights(kwargs["w"], points.n, points.device)
    out = _result(out, points.shape, points.device)
    if name == "minkowski":
        _minkowski(points, kwargs.get("p", 2.0), out, w)
    elif name == "mahalanobis":
        _mahalanobis(points, kwargs.get("VI"), out)
    elif name == "seuclidean":
        points.write("squares", pairs.ROOT, out, weights=1 / _variances(points, kwargs.get("V")))
    elif name in ("cosine", "correlation"):
        _cosine(points, name == "correlation", out, w, total)
    elif name == "jensenshannon":
        _jensenshannon(points, out)
    else:
        kernel, form = _KERNELS[name]
        if name in _OF_TRUTHS:
            points = points.changed(lambda a: (a != 0).astype(F8))
        points.write(kernel, form, out, weights=w, total=total if name in _OF_TOTALS else 0)
    return out


def _minkowski(points, p, out, w):
    same = {1: "cityblock", 2: "euclidean", numpy.inf: "chebyshev"}.get(p)
    kernel, form = _KERNELS[same] if same else ("powers", pairs.SUM)
    points.write(kernel, form, out, weights=w, power=p)


def _variances(points, V):
    if V is None:
        return numpy.var(points.all(), axis=0, ddof=1)
    V = asarray(V, dtype=F8, device=points.device, order="C")
    if V.ndim != 1:
        raise ValueError("Variance vector V must be one-dimensional.")
    if V.shape[0] != points.n:
        raise ValueError(
            "Variance vector V must be of the same dimension as the vectors on which the distances are "
            "computed."
        )
    return V


def _mahalanobis(points, VI, out):
    x, y, n = points.x, points.y, points.n
    if VI is None:
        found = points.all()
        if found.shape[0] <= n:
            raise ValueError(
                f"The number of observations ({found.shape[0]}) is too small; the covariance matrix is "
                f"singular. For observations with {n} dimensions, at least {n + 1} observations are required."
            )
        VI = numpy.linalg.inv(numpy.atleast_2d(numpy.cov(found.T))).T
    VI = asarray(VI, dtype=F8, device=points.device)
    other = x if y is None else y
    matrix = gpunp.empty((x.shape[0], other.shape[0]), device=points.device) if y is None else out
    # The differences times the matrix, for some points of x at a time.
    rows = max(_DIFFERENCES // max(other.shape[0] * n, 1), 1)
    for i in range(0, x.shape[0], rows):
        d = x[i : i + rows, None, :] - other
        matrix[i : i + rows] = numpy.sqrt(numpy.vecdot(d @ VI, d))
    if y is None:
        out[...] = upper_triangle(matrix)


def _cosine(points, centered, out, w, total):
    if centered:
        share = None if w is None else w / total
        points = points.changed(
            lambda a: a - (a.mean(axis=1, keepdims=True) if w is None else (a @ share)[:, None])
        )
    if w is not None:
        root = numpy.sqrt(w)
        points = points.changed(lambda a: a * root)
    lengths = [None if a is None else numpy.linalg.norm(a, axis=1) for a in (points.x, points.y)]
    points.write("cosine", pairs.SUM, out, x_lengths=lengths[0], y_lengths=lengths[1])


def _jensenshannon(points, out):
    sums = [None if a is None else a.sum(axis=1, keepdims=True) for a in (points.x, points.y)]
    points = points.changed(lambda a: a / a.sum(axis=1, keepdims=True))
    points.write("jensen_shannon", pairs.SUM, out)
    # Nothing can be said of points whose sum is zero: SciPy's distance from them is infinite.
    empty = [None if s is None else s == 0 for s in sums]
    either = empty[0] | (empty[0] if points.y is None else empty[1]).T
    if points.y is None:
        either = upper_triangle(either)
    numpy.copyto(out, numpy.inf, where=either)
