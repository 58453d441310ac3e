"""Calls of every engine on one array, for tests of where results are.

Each call takes ``x``, a float64 array of shape (3, 4), and returns an array or several. The same call with a
NumPy array gives what is expected.
"""

import numpy as np
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
import scipy.spatial
import scipy.spatial.distance
import scipy.special
import scipy.stats

X = np.linspace(-1, 2, 12).reshape(3, 4)
HOST = np.arange(1.0, 5.0)
INDEX = np.array([2, 0])


def _assigned(x, key, value):
    y = x.copy()
    y[key] = value
    return y


def _in_place(function, x, *args):
    y = x.copy()
    function(y, *args)
    return y


def _square(x):
    """A symmetric, positive matrix of three rows."""
    return x @ x.T + 4 * np.eye(3, like=x)


def _long(x):
    """Many elements: kernels with several blocks, and calls that are deferred."""
    return np.tile(x.reshape(-1), 10000)


def _sparse(x, form="csr"):
    return getattr(scipy.sparse, f"{form}_array")(_square(x))


ELEMENTS = {
    "operators": lambda x: [x + 1, HOST * x, -x, x > HOST, x**2, 2.0 - x, *divmod(x, 3)],
    "in-place operators": lambda x: _in_place(lambda y: y.__imul__(HOST), x),
    "ufuncs": lambda x: [np.add(x, HOST), np.exp(x), *np.modf(x), np.hypot(x, 2.0)],
    "converted": lambda x: [x.astype("f4") + x, np.add(x, 1, dtype="c16"), (x > 0) | (x < -0.5)],
    "where=": lambda x: np.sqrt(x + 1, where=np.asarray(x > 0, like=x), out=np.zeros_like(x)),
    "outer": lambda x: np.multiply.outer(x[0], HOST),
    "reduceat": lambda x: np.add.reduceat(x, [0, 2]),
    "at": lambda x: _in_place(lambda y: np.add.at(y, INDEX, 2.0), x),
    "chains": lambda x: (np.sqrt(np.abs(_long(x)) + 1) * 3 - np.sin(_long(x)))[:50],
    "chains that are reduced": lambda x: [(_long(x) ** 2 + 1).mean(), np.abs(_long(x) - 1).max()],
    "long transposed": lambda x: (np.tile(x, (60, 50)) + np.tile(x, (60, 50)).copy("F"))[:3],
    "rounding": lambda x: [np.round(x, 1), np.clip(x, 0, HOST), np.nan_to_num(x), np.heaviside(x, HOST)],
    "complex": lambda x: [np.real(x + 1j), np.angle(x * 1j), np.conj(x + 2j)],
    "bits": lambda x: [np.packbits(x > 0), np.bitwise_count((x * 5).astype("i8"))],
    "special functions": lambda x: [np.i0(x), np.sinc(x), scipy.special.erf(x), scipy.special.gammaln(x + 3)],
    "special of two": lambda x: [scipy.special.jv(1, x + 1), scipy.special.betainc(1.5, 2.0, np.abs(x) / 3)],
}
REDUCTIONS = {
    "sums": lambda x: [x.sum(), x.sum(0), x.prod(1), np.cumsum(x), np.cumprod(x, 1)],
    "moments": lambda x: [np.mean(x, 0), np.var(x, 0), np.std(x), np.average(x, 1, HOST)],
    "extrema": lambda x: [x.max(), x.argmax(1), np.ptp(x), np.nanmin(x, 0), np.argmin(x)],
    "truth": lambda x: [np.any(x > 1, 0), np.all(x), np.count_nonzero(x, axis=1)],
    "long rows": lambda x: [np.tile(x, 5000).sum(1), np.tile(x, (4000, 1)).sum(0), np.cumsum(_long(x))[-3:]],
    "order": lambda x: [np.median(x), np.quantile(x, [0.1, 0.9]), np.percentile(x, 30, axis=1)],
    "differences": lambda x: [np.diff(x, prepend=0), np.ediff1d(x, [1], HOST), *np.gradient(x, 2)],
    "statistics": lambda x: [np.cov(x), np.corrcoef(x), np.histogram(x, 4)[0], np.digitize(x, HOST)],
    "counts": lambda x: [np.bincount(np.arange(4, like=x) % 3, weights=x[0]), np.interp(x, HOST, HOST)],
    "histograms of several": lambda x: np.histogram2d(x[0], x[1], bins=3)[0],
}
PLACES = {
    "slices": lambda x: [x[1:, ::-2], x[..., None], x.T[1]],
    "gathered": lambda x: [x[INDEX], np.take(x, INDEX, 1), x[:, INDEX], x[np.ix_(INDEX, INDEX)]],
    "masks": lambda x: [x[x > 0], *np.nonzero(x > 0), np.extract(x > 0, x), np.compress([1, 0, 1], x, 0)],
    "along axes": lambda x: np.take_along_axis(x, np.argsort(x, 1), 1),
    "chosen": lambda x: [
        np.where(x > 0, x, 0),
        np.choose(INDEX // 2, [x[:2, 0], 5]),
        np.select([x > 0], [x], 9),
    ],
    "assigned": lambda x: [_assigned(x, 1, HOST), _assigned(x, (INDEX, 0), [7, 8]), _assigned(x, x > 0.5, 0)],
    "put": lambda x: _in_place(lambda y: np.put(y, [0, 5], [5, 6]), x),
    "copyto": lambda x: _in_place(lambda y: np.copyto(y, HOST, where=y > 1), x),
    "diagonals": lambda x: [np.diag(x[0]), np.diagonal(x), np.trace(x), np.tril(x), np.diagflat(x[0])],
    "piecewise": lambda x: np.piecewise(x, [x > 0], [1, HOST[0]]),
    "unravelled": lambda x: [*np.unravel_index(np.arange(4, like=x), (3, 4))],
}
SHAPES = {
    "reshaped": lambda x: [x.reshape(-1), x.T.reshape(2, 6), x.ravel("F"), np.moveaxis(x, 0, 1)],
    "repeated": lambda x: [np.tile(x, 2), np.repeat(x, [1, 2, 1], 0), np.broadcast_to(x[0], (2, 4))],
    "padded": lambda x: [np.pad(x, 1), np.pad(x, 1, mode="reflect"), np.roll(x, 1), np.rot90(x)],
    "joined": lambda x: [
        np.concatenate([x, [HOST]]),
        np.stack([x, x]),
        np.append(x, HOST),
        np.block([[x, x]]),
    ],
    "inserted": lambda x: [np.insert(x, 1, HOST, 0), np.delete(x, 1, 1), *np.split(x, 2, 1)],
    "copies": lambda x: [x.copy(), x.T.copy("C"), x.byteswap()],
}
CREATION = {
    "like": lambda x: [np.zeros_like(x), np.ones_like(x, "f4"), np.full_like(x, HOST), np.eye(3, like=x)],
    "like=": lambda x: [
        np.zeros(3, like=x),
        np.arange(3, like=x),
        np.full(2, 7.0, like=x),
        np.tri(3, like=x),
    ],
    "from the host": lambda x: [np.asarray(HOST, like=x), np.array([[1, 2]], like=x), np.identity(2, like=x)],
    "spaces": lambda x: [
        np.linspace(x[0], 3, 5),
        np.logspace(0, 1, 3, base=x[2]),
        np.geomspace(x[2] + 2, 9, 3),
    ],
    "matrices": lambda x: [np.geomspace(x[2] + 2, 9, 3), np.vander(x[0]), *np.meshgrid(x[0], HOST)],
}
SORTING = {
    "sorts": lambda x: [np.sort(x), np.argsort(x, 0), np.sort(_long(x))[:20], np.partition(x, 1)[:, 1]],
    "searches": lambda x: [np.searchsorted(x[0], HOST), np.lexsort((x[1], x[0]))],
    "sets": lambda x: [np.unique(x), np.isin(x, HOST), np.intersect1d(x, HOST), np.union1d(HOST, x)],
    "unique with places": lambda x: [*np.unique(np.round(x), return_inverse=True, return_counts=True)],
}
PRODUCTS = {
    "matmul": lambda x: [x @ HOST, x @ x.T, np.matmul(x.astype("f4"), x.T.astype("f4")), np.dot(x, HOST)],
    "large matmul": lambda x: (np.tile(x, (40, 40)) @ np.tile(x.T, (40, 40)))[:2],
    "integers": lambda x: (x * 4).astype("i8") @ (x.T * 4).astype("i8"),
    "einsum": lambda x: [np.einsum("ij,j->i", x, HOST), np.einsum("ij,kj->ik", x, x), np.einsum("ij->j", x)],
    "tensors": lambda x: [
        np.tensordot(x, HOST, 1),
        np.kron(x, HOST),
        np.cross(x[:, :3], HOST[:3]),
        np.inner(x, x),
    ],
    "convolutions": lambda x: [
        np.cross(x[:, :3], HOST[:3]),
        np.convolve(x[0], HOST),
        np.correlate(x[0], HOST),
    ],
    "polynomials": lambda x: [np.polyval(HOST, x), np.polyfit(HOST, x[0], 1), np.polymul(x[0], HOST)],
}
LINALG = {
    "solve": lambda x: [
        np.linalg.solve(_square(x), HOST[:3]),
        np.linalg.inv(_square(x)),
        np.linalg.det(_square(x)),
    ],
    "factors": lambda x: [np.linalg.cholesky(_square(x)), np.abs(np.linalg.qr(x)[1])],
    "values": lambda x: [np.linalg.eigvalsh(_square(x)), np.linalg.svd(x)[1], np.linalg.norm(x, 2)],
    "vectors": lambda x: np.abs(np.linalg.eigh(_square(x))[1]),
    "general eigenvalues": lambda x: np.sort(np.linalg.eigvals(_square(x)).real),
    "least squares": lambda x: [np.linalg.lstsq(x, HOST[:3], rcond=None)[0], np.linalg.pinv(x)],
    "many matrices": lambda x: np.linalg.solve(np.stack([_square(x)] * 40), np.stack([x] * 40)),
    "large": lambda x: np.linalg.solve(np.kron(np.eye(100, like=x), _square(x)), np.ones(300, like=x)),
    "powers": lambda x: [
        np.linalg.matrix_power(_square(x), 3),
        np.linalg.matrix_rank(x),
        np.linalg.det(_square(x)),
    ],
}
TRANSFORMS = {
    "fft": lambda x: [
        np.fft.fft(x),
        np.fft.ifft(x + 1j),
        np.fft.rfft2(x),
        np.fft.irfft(x),
        np.fft.fftshift(x),
    ],
    "long fft": lambda x: np.fft.rfft(_long(x))[:20],
    "powers of two": lambda x: np.fft.fft(np.tile(x[:, :4], (64, 256)), axis=1)[:3, :5],
    "scipy.fft": lambda x: [
        scipy.fft.dct(x),
        scipy.fft.dstn(x),
        scipy.fft.rfft(x, axis=0),
        scipy.fft.fft2(x),
    ],
}
FUNCTIONS = {
    "along an axis": lambda x: np.apply_along_axis(lambda v: v * HOST, 1, x),
    "over axes": lambda x: np.apply_over_axes(np.sum, x, [0, 1]),
    "vectorized": lambda x: np.vectorize(lambda v: v * 2 + 1)(x),
}
SPARSE = {
    "products": lambda x: [_sparse(x) @ x, (_sparse(x) @ _sparse(x)).toarray(), _sparse(x, "csc") @ x[:, 0]],
    "sums": lambda x: [(_sparse(x) + _sparse(x)).toarray(), _sparse(x, "coo").sum(0), _sparse(x).diagonal()],
    "formats": lambda x: [_sparse(x).tocsc().toarray(), _sparse(x, "dia").toarray(), _sparse(x).T.toarray()],
    "rows": lambda x: _sparse(x)[[0, 2]].toarray(),
    "solvers": lambda x: [
        scipy.sparse.linalg.spsolve(_sparse(x), x[:, 0]),
        scipy.sparse.linalg.cg(_sparse(x), x[:, 0], rtol=1e-12)[0],
        scipy.sparse.linalg.spsolve_triangular(scipy.sparse.tril(_sparse(x)).tocsr(), x[:, 0]),
    ],
    "graphs": lambda x: [
        scipy.sparse.csgraph.dijkstra(abs(_sparse(x)), directed=False),
        scipy.sparse.csgraph.connected_components(_sparse(x))[1],
    ],
}
SCIPY = {
    "linalg": lambda x: [
        scipy.linalg.solve(_square(x), x),
        scipy.linalg.expm(_square(x) / 9),
        scipy.linalg.lu(_square(x))[2],
        scipy.linalg.toeplitz(x[0]),
        scipy.linalg.cho_solve(scipy.linalg.cho_factor(_square(x)), x),
    ],
    "ndimage filters": lambda x: [
        scipy.ndimage.gaussian_filter(x, 1),
        scipy.ndimage.median_filter(x, 3),
        scipy.ndimage.convolve(x, np.ones((2, 2))),
        scipy.ndimage.sobel(x),
    ],
    "ndimage geometry": lambda x: [scipy.ndimage.zoom(x, 2), scipy.ndimage.rotate(x, 30, reshape=False)],
    "ndimage labels": lambda x: [
        scipy.ndimage.label(x > 0)[0],
        scipy.ndimage.distance_transform_edt(x > 0),
        scipy.ndimage.binary_erosion(x > 0),
    ],
    "signal filters": lambda x: [
        scipy.signal.lfilter([1.0, 0.5], [1.0, -0.2], x),
        scipy.signal.sosfilt(scipy.signal.butter(2, 0.3, output="sos"), _long(x))[:20],
        scipy.signal.savgol_filter(x, 3, 1),
        scipy.signal.medfilt(x, 3),
    ],
    "signal transforms": lambda x: [
        scipy.signal.fftconvolve(x, x),
        scipy.signal.hilbert(x),
        scipy.signal.resample(x, 6, axis=1),
        scipy.signal.welch(_long(x)[:600])[1],
        scipy.signal.resample_poly(x, 2, 1, axis=1),
    ],
    "stats": lambda x: [
        scipy.stats.zscore(x),
        scipy.stats.rankdata(x),
        scipy.stats.norm.cdf(x),
        scipy.stats.gamma.pdf(x + 2, 2.0),
        scipy.stats.ttest_ind(x[0], x[1]).pvalue,
        scipy.stats.skew(x),
    ],
    "distances": lambda x: [
        scipy.spatial.distance.cdist(x, x),
        scipy.spatial.distance.pdist(x, "cityblock"),
        scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(x)),
    ],
    "trees": lambda x: [*scipy.spatial.KDTree(x).query(x + 0.1)],
    "interpolation": lambda x: [
        scipy.interpolate.CubicSpline(np.arange(4.0, like=x), x[0])(HOST / 2),
        scipy.interpolate.PchipInterpolator(np.arange(4.0, like=x), x[0])(HOST / 2),
        scipy.interpolate.make_interp_spline(np.arange(4.0, like=x), x[0])(HOST / 2),
        scipy.interpolate.RegularGridInterpolator((np.arange(3.0), np.arange(4.0)), x)([[0.5, 1.5]]),
    ],
    "radial interpolation": lambda x: scipy.interpolate.RBFInterpolator(x[:, :1], x[:, 1])(x[:, :1] + 0.1),
    "integrals": lambda x: [
        scipy.integrate.trapezoid(x),
        scipy.integrate.cumulative_trapezoid(x),
    ],
    "differential equations": lambda x: scipy.integrate.solve_ivp(lambda t, y: -y, (0, 1), x[0]).y[:, -1],
    "minima": lambda x: scipy.optimize.minimize(lambda v: ((v - 1) ** 2).sum(), x[0], method="L-BFGS-B").x,
    "clusters": lambda x: [scipy.cluster.vq.vq(x, x[:2])[0], scipy.cluster.vq.whiten(x)],
}
CALLS = {
    f"{chapter}: {name}": call
    for chapter, calls in (
        ("elements", ELEMENTS),
        ("reductions", REDUCTIONS),
        ("places", PLACES),
        ("shapes", SHAPES),
        ("creation", CREATION),
        ("sorting", SORTING),
        ("products", PRODUCTS),
        ("linalg", LINALG),
        ("transforms", TRANSFORMS),
        ("functions", FUNCTIONS),
        ("sparse", SPARSE),
        ("scipy", SCIPY),
    )
    for name, call in calls.items()
}


def results(name, x):
    """The results of a call as a list."""
    found = CALLS[name](x)
    return list(found) if isinstance(found, list | tuple) else [found]
