"""Polynomials, sets, histograms, dates, bits and money."""

import numpy as np
from numpy.lib import recfunctions as rf
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial import chebyshev as C

x = np.linspace(-1, 1, 60)
p = Polynomial.fit(x, np.exp(x), 5)
c = Chebyshev.interpolate(np.exp, 8)
print(
    p.convert().coef.round(4),
    abs(c(x) - np.exp(x)).max() < 1e-6,
    p.deriv()(0.5).round(4),
    c.integ().coef[:2].round(4),
    np.polyval([1, 2, 3], x)[:2],
    np.roots([1, -6, 11, -6]).round(6),
)
print(
    (Polynomial([1, 2]) * Polynomial([3, 4])).coef,
    C.chebval(x, [1, 2, 3])[:2],
    np.poly1d([1, 2])(x)[:2],
    np.polyfit(x, x**3, 3).round(6),
    np.poly([1, 2, 3]),
)
a, b = np.arange(0, 80, 2), np.arange(0, 80, 3)
print(
    np.intersect1d(a, b)[:4],
    np.union1d(a, b).size,
    np.setdiff1d(a, b)[:3],
    np.isin(b, a).sum(),
    np.setxor1d(a, b).size,
    np.unique(a % 7, return_inverse=True)[1][:5],
    np.unique_counts(a % 5).counts,
)
h, e = np.histogram(np.sin(np.arange(500)), bins=8, density=True)
print(
    h.round(4),
    e[[0, -1]].round(4),
    np.histogram2d(a[:27], b, bins=3)[0],
    np.histogram_bin_edges(x, "fd")[:2],
    np.digitize(x, [-0.5, 0.5])[::15],
    np.bincount(a % 4, weights=a),
)
days = np.arange("2024-02-20", "2024-04-05", dtype="M8[D]")
print(
    days.size,
    np.is_busday(days).sum(),
    days[np.argmax(days.astype("M8[M]") == np.datetime64("2024-03"))],
    (days - days[0]).astype(int).max(),
    np.datetime_as_string(days[-1]),
)
bits = np.unpackbits(np.arange(50, dtype=np.uint8)).reshape(50, 8)
print(
    bits.sum(axis=0),
    np.packbits(bits).sum(),
    np.bitwise_count(np.arange(64)).sum(),
    np.binary_repr(37, 8),
    np.gcd.reduce(np.arange(12, 600, 12)),
    np.lcm(4, 6),
    np.left_shift(1, np.arange(40)).max(),
    np.invert(np.arange(40, dtype=np.uint8))[:2],
)
r = rf.append_fields(
    np.array([(1, 2.0)] * 40, dtype=[("a", int), ("b", float)]), "c", np.arange(40.0), usemask=False
)
print(r.dtype.names, rf.structured_to_unstructured(r).sum(), r["c"][3])
print(
    np.cov(np.vstack([x, x**2])).round(4),
    np.trapezoid(x**2, x).round(6),
    np.gradient(x**2, x)[:2].round(4),
    np.interp(0.3, x, x**2).round(5),
    np.convolve(x[:5], [1, -1]).round(4),
    np.correlate(x, x).round(4),
    np.unwrap(np.arange(40) % 6.0)[:8].round(3),
    np.ediff1d(x)[:2].round(4),
    np.pad(x[:3], 2, mode="reflect").round(3),
    np.tril(np.ones((40, 40))).sum(),
    np.kron(np.eye(2), np.ones((2, 2)))[0],
    np.argwhere(x > 0.97).ravel(),
    np.rot90(np.arange(48).reshape(6, 8))[0],
    np.lexsort((a % 3, a % 2))[:4],
    np.ptp(x),
    np.cumprod(np.ones(40) * 1.1)[-1].round(4),
)
