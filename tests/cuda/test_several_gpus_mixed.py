"""Calls whose operands are on two devices: an error that names both and the fix, before any kernel runs.

Without two GPUs, the second device is one of the stand-in driver.
"""

import numpy as np
import pytest
import scipy.ndimage
import scipy.sparse
import scipy.spatial.distance
import scipy.special
import scipy.stats


class Operands:
    """Arrays on two devices: lower-case names on the first one, upper-case names on the second."""

    def __init__(self, first, second):
        import gpunp

        self.a = gpunp.asarray(np.arange(9.0).reshape(3, 3) + np.eye(3) * 20, device=first)
        self.i = gpunp.asarray(np.array([0, 2]), device=first)
        self.A, self.V = (gpunp.empty(shape, device=second) for shape in ((3, 3), (3,)))
        self.I, self.J = (gpunp.empty(shape, "i8", device=second) for shape in (2, (1, 2)))
        self.M = gpunp.empty((3, 3), "?", device=second)
        self.B, self.C = (gpunp.empty((3, 3), dtype, device=second) for dtype in ("i8", "c16"))


OPERANDS = {
    "operators": lambda o: o.a + o.A,
    "ufuncs": lambda o: np.maximum(o.a, o.A),
    "special functions": lambda o: scipy.special.jv(o.a, o.A),
    "clip": lambda o: np.clip(o.a, o.A, 3),
    "matmul": lambda o: o.a @ o.A,
    "vdot": lambda o: np.vdot(o.a, o.A),
    "tensordot": lambda o: np.tensordot(o.a, o.A),
    "einsum": lambda o: np.einsum("ij,jk", o.a, o.A),
    "kron": lambda o: np.kron(o.a, o.A),
    "cross": lambda o: np.cross(o.a, o.A),
    "convolve": lambda o: np.convolve(o.a[0], o.V),
    "polyval": lambda o: np.polyval(o.a[0], o.A),
    "solve": lambda o: np.linalg.solve(o.a, o.A),
    "lstsq": lambda o: np.linalg.lstsq(o.a, o.A),
    "concatenate": lambda o: np.concatenate([o.a, o.A]),
    "stack": lambda o: np.stack([o.a, o.A]),
    "append": lambda o: np.append(o.a, o.A),
    "where": lambda o: np.where(o.a > 0, o.A, 0),
    "select": lambda o: np.select([o.a > 0], [o.A]),
    "searchsorted": lambda o: np.searchsorted(o.a[0], o.V),
    "digitize": lambda o: np.digitize(o.a, o.V),
    "isin": lambda o: np.isin(o.a, o.A),
    "intersect1d": lambda o: np.intersect1d(o.a, o.A),
    "lexsort": lambda o: np.lexsort((o.a[0], o.V)),
    "interp": lambda o: np.interp(o.a[0], o.V, o.V),
    "histogram": lambda o: np.histogram(o.a, weights=o.A),
    "bincount": lambda o: np.bincount(o.a[0].astype("i8"), weights=o.V),
    "average": lambda o: np.average(o.a, weights=o.A),
    "cov": lambda o: np.cov(o.a, o.A),
    "trapezoid": lambda o: np.trapezoid(o.a, o.A),
    "array_equal": lambda o: np.array_equal(o.a, o.A),
    "array_equiv": lambda o: np.array_equiv(o.a, o.A),
    "allclose": lambda o: np.allclose(o.a, o.A),
    "cdist": lambda o: scipy.spatial.distance.cdist(o.a, o.A),
    "map_coordinates": lambda o: scipy.ndimage.map_coordinates(o.a, o.A[:2]),
    "norm.cdf": lambda o: scipy.stats.norm.cdf(o.a, o.A, 1),
    "sparse products": lambda o: scipy.sparse.csr_array(o.a) @ o.A,
    "sparse products of vectors": lambda o: scipy.sparse.csr_array(o.a) @ o.V,
    "sparse keys": lambda o: scipy.sparse.csr_array(o.a)[o.I],
    "sparse parts": lambda o: scipy.sparse.csr_array((o.a[0], (o.I, o.I)), shape=(3, 3)),
    "random parameters": lambda o: _generator(o).normal(o.A),
}
PLACES = {
    "index": lambda o: o.a[o.I],
    "mask": lambda o: o.a[o.M],
    "take": lambda o: np.take(o.a, o.I),
    "take_along_axis": lambda o: np.take_along_axis(o.a, o.J, 1),
    "put": lambda o: np.put(o.a, o.I, 1),
    "place": lambda o: np.place(o.a, o.M, 1),
    "putmask": lambda o: np.putmask(o.a, o.M, 1),
    "compress": lambda o: np.compress(o.M[0], o.a, 0),
    "choose": lambda o: np.choose(o.I, [o.a[0, :2], o.a[0, :2]]),
    "repeat": lambda o: np.repeat(o.a[:2], o.I, axis=0),
    "assignment by index": lambda o: o.a.__setitem__(o.I, 1),
    "assignment by mask": lambda o: o.a.__setitem__(o.M, 1),
    "copyto": lambda o: np.copyto(o.a, 1, where=o.M),
    "at": lambda o: np.add.at(o.a, o.I, 1),
    "values of at": lambda o: np.add.at(o.a, [0, 1], o.V),
    "reduceat": lambda o: np.add.reduceat(o.a, o.I),
    "ravel_multi_index": lambda o: np.ravel_multi_index((o.i, o.I), (3, 3)),
    "piecewise": lambda o: np.piecewise(o.a, [o.M], [1]),
}
OUTPUTS = {
    "ufuncs": lambda o: np.exp(o.a, out=o.A),
    "where of ufuncs": lambda o: np.add(o.a, 1, where=o.M, out=o.a),
    "where of reductions": lambda o: np.sum(o.a, where=o.M),
    "where of maxima": lambda o: np.max(o.a, where=o.M, initial=0),
    "where of variances": lambda o: np.var(o.a, where=o.M),
    "reductions": lambda o: np.sum(o.a, axis=0, out=o.V),
    "means": lambda o: np.mean(o.a, axis=0, out=o.V),
    "places": lambda o: np.argmax(o.a, axis=0, out=o.B[0]),
    "scans": lambda o: np.cumsum(o.a, axis=0, out=o.A),
    "accumulate": lambda o: np.maximum.accumulate(o.a, out=o.A),
    "reduceat": lambda o: np.add.reduceat(o.a, [0, 1, 2], out=o.A),
    "matmul": lambda o: np.matmul(o.a, o.a, out=o.A),
    "dot": lambda o: np.dot(o.a, o.a, out=o.A),
    "fft": lambda o: np.fft.fft(o.a, out=o.C),
    "cdist": lambda o: scipy.spatial.distance.cdist(o.a, o.a, out=o.A),
    "special functions": lambda o: scipy.special.erf(o.a, out=o.A),
}
CALLS = {
    f"{chapter}: {name}": call
    for chapter, calls in (("operands", OPERANDS), ("places", PLACES), ("outputs", OUTPUTS))
    for name, call in calls.items()
}


def _generator(operands):
    import gpunp

    return gpunp.random.default_rng(1, device=operands.a.device)


def check(names, first, second):
    for name in names:
        with pytest.raises(ValueError, match=rf"{first}\b.*{second}|{second}\b.*{first}") as raised:
            CALLS[name](Operands(first, second))
        assert "to_device" in str(raised.value), name


@pytest.mark.fake_driver
@pytest.mark.parametrize("chapter", ["operands", "places", "outputs"])
def test_a_gpu_and_the_host(chapter, cuda_device):
    import gpunp

    check((name for name in CALLS if name.startswith(chapter)), gpunp.Device("cpu"), cuda_device)


@pytest.mark.parametrize("name", CALLS)
def test_two_gpus(name, device):
    import gpunp

    if device.is_cpu or gpunp.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    check([name], gpunp.Device("cuda", 0), gpunp.Device("cuda", 1))
