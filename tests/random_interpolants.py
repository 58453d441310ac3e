"""Random points and values of interpolants, and where these are evaluated."""

import numpy as np

CHARS = "dddfeilhB?"
ANY = CHARS + "FD"
YES_NO = (True, False)


def ascending(draw, n):
    """Points in ascending order, which now and then are bad: in another order, repeated, or not finite."""
    x = np.cumsum(draw.rng.uniform(0.2, 2, n)) - 3
    if draw.rng.random() < 0.25:
        x = np.arange(n).astype(draw.pick(*"filh"))
    if draw.rng.random() < 0.08 and n > 1:
        i = draw.whole(0, n - 1)
        if x.dtype.kind == "f" and draw.rng.random() < 0.5:
            x[i] = draw.pick(np.nan, np.inf, -np.inf)
        else:
            x[i] = x[draw.whole(0, n - 1)]
    if draw.rng.random() < 0.05:
        x = x[::-1]
    return x.reshape(1, -1) if draw.rng.random() < 0.02 else x


def samples(draw, n, chars=ANY, most=3, least=0):
    """Values for ``n`` points along an axis, and the axis; now and then there is one value too many."""
    others = [draw.whole(least if draw.rng.random() < 0.1 else 1, 4) for _ in range(draw.whole(0, most - 1))]
    place = draw.whole(0, len(others))
    n += draw.rng.random() < 0.04
    y = draw.array((*others[:place], n, *others[place:]), chars)
    if y.dtype.char in "fd" and y.size and draw.rng.random() < 0.05:
        y = y.copy()
        y.flat[draw.whole(0, y.size - 1)] = draw.pick(np.nan, np.inf)
    axis = place if draw.rng.random() < 0.5 else place - y.ndim
    return y, axis


def probes(draw, x, chars="dddfil"):
    """Points around breakpoints, at some of them, and NaN."""
    x = np.ravel(x)
    finite = x[np.isfinite(x)]
    low, high = (finite.min() - 1.0, finite.max() + 1.0) if finite.size else (-1.0, 1.0)
    shape = draw.pick((), (5,), (2, 3), (0,), (3, 0), (1,))
    points = np.asarray(draw.rng.uniform(low, high, shape))
    if points.size and finite.size:
        # At infinity SciPy's sums of powers are NaN.
        points.flat[0] = draw.pick(*finite, np.nan, points.flat[0])
    char = draw.pick(*chars)
    if np.dtype(char).kind == "i":
        points = np.nan_to_num(points)
    return points.astype(char)


def count(draw):
    return draw.pick(0, 1, 2, 2, 3, 3, 4, 5, 6, 9, 14)


def extrapolations(draw):
    return draw.pick(None, True, False, "periodic")
