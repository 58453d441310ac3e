"""Statements with reductions, cumulative sums, statistics, sorting, searching and sets."""

import numpy as np
from registry import CLOSE, EXACT, SUMMED, command, expression, keywords, statement

EXTREMES = ["min", "max", "amin", "amax", "nanmin", "nanmax", "ptp"]
TRUTH = ["any", "all"]
SUMS = ["sum", "prod", "nansum", "nanprod"]
MEANS = ["mean", "std", "var", "nanmean", "nanstd", "nanvar", "median", "nanmedian"]
RUNNING = ["cumsum", "cumprod", "nancumsum", "nancumprod"]
METHODS = [
    "linear",
    "lower",
    "higher",
    "nearest",
    "midpoint",
    "hazen",
    "weibull",
    "inverted_cdf",
    "median_unbiased",
]


@statement(5)
def reductions(g):
    name = g.choice([*EXTREMES, *TRUTH, *SUMS, *SUMS])
    # NumPy has different rules for its scalars than for arrays.
    a = g.array(lambda v: isinstance(v, np.ndarray))
    given = {}
    if g.chance(0.75):
        given["axis"] = g.axes(a.ndim)
    if g.chance(0.2):
        given["keepdims"] = "True"
    if name != "ptp":
        if g.chance(0.12):
            given["where"] = g.mask(g.broadcastable(a.shape)).text
        if name not in TRUTH and g.chance(0.12):
            given["initial"] = g.scalar()
    if name in SUMS and g.chance(0.15):
        given["dtype"] = repr(g.dtype())
    if name in ("sum", "prod", "min", "max", "any", "all") and g.chance(0.3):
        return expression(f"({a}).{name}({keywords(**given)[2:]})", SUMMED if name in SUMS else EXACT)
    return expression(f"np.{name}({a}{keywords(**given)})", SUMMED if name in SUMS else EXACT)


@statement(3)
def means(g):
    name = g.choice(MEANS)
    a = g.array()
    given = {
        "axis": g.axes(a.ndim) if g.chance(0.75) else None,
        "keepdims": "True" if g.chance(0.2) else None,
    }
    if "median" not in name:
        if g.chance(0.12):
            given["where"] = g.mask(g.broadcastable(a.shape)).text
        if g.chance(0.1):
            given["dtype"] = repr(g.dtype("fc"))
        if "mean" not in name and g.chance(0.3):
            given["ddof"] = g.choice(["1", "0.5", "3"])
    return expression(f"np.{name}({a}{keywords(**given)})", SUMMED)


@statement(2)
def quantiles(g):
    name = g.choice(["quantile", "percentile", "nanquantile", "nanpercentile"])
    a = g.array(kinds="biuf")
    q = [
        g.choice([0, 0.1, 0.25, 0.5, 0.9, 1]) * (100 if "percent" in name else 1)
        for _ in range(1 + g.below(3))
    ]
    given = {
        "axis": g.axes(a.ndim) if g.chance(0.7) else None,
        "keepdims": "True" if g.chance(0.15) else None,
    }
    if g.chance(0.3):
        given["method"] = repr(g.choice(METHODS))
    return expression(f"np.{name}({a}, {q if len(q) > 1 else q[0]}{keywords(**given)})", SUMMED)


@statement(2)
def arguments(g):
    name = g.choice(
        ["argmin", "argmax", "nanargmin", "nanargmax", "count_nonzero", "argwhere", "flatnonzero"]
    )
    a = g.array()
    if name in ("argwhere", "flatnonzero"):
        return expression(f"np.{name}({a})")
    axis = g.axis(a.ndim) if g.chance(0.7) else None
    return expression(f"np.{name}({a}{keywords(axis=axis, keepdims='True' if g.chance(0.2) else None)})")


@statement(3)
def running(g):
    name = g.choice(RUNNING)
    a = g.array()
    if g.chance(0.1):
        initial = keywords(include_initial="True" if g.chance(0.5) else None)
        return expression(
            f"np.cumulative_{g.choice(['sum', 'prod'])}({a}, axis={g.axis(a.ndim)}{initial})", SUMMED
        )
    axis = g.axis(a.ndim) if g.chance(0.75) else None
    return expression(
        f"np.{name}({a}{keywords(axis=axis, dtype=repr(g.dtype()) if g.chance(0.2) else None)})", SUMMED
    )


@statement(1.5)
def differences(g):
    a = g.array()
    how = g.random()
    if how < 0.5:
        return expression(f"np.diff({a}, {g.choice([0, 1, 1, 2])}, axis={g.axis(a.ndim)})")
    if how < 0.65:
        return expression(f"np.ediff1d({a})")
    if how < 0.8:
        return expression(f"np.trapezoid({a}, axis={g.axis(a.ndim)})", SUMMED)
    a = g.array(lambda v: v.ndim and min(v.shape) > 1, kinds="iuf")
    return expression(f"np.gradient({a}, axis={g.axis(a.ndim)})", SUMMED)


@statement(3)
def sorting(g):
    a = g.array()
    axis = g.axis(a.ndim) if g.chance(0.85) else "None"
    how = g.random()
    if how < 0.35:
        return expression(f"np.sort({a}, axis={axis})")
    if how < 0.6:
        return expression(f"np.argsort({a}, axis={axis}, kind='stable')")
    if how < 0.75:
        target = g.target()
        if target:
            return command(f"{target}.sort({g.axis(g.variables[target].ndim)})")
    if how < 0.9 and a.ndim:
        return expression(f"np.lexsort(({a}, {g.with_shape(a.shape)}), axis={g.axis(a.ndim)})")
    if how < 0.95:
        return expression(f"np.sort_complex({a})")
    n = a.shape[-1] if a.ndim else 1
    return expression(f"np.sort(np.partition({a}, {g.index(n)}), axis=-1)")


@statement(2)
def searching(g):
    a = g.array(kinds="biuf")
    side = g.choice(["left", "right"])
    if g.chance(0.5):
        return expression(f"np.searchsorted(np.sort({g.array(kinds='biuf', ndim=1)}), {a}, {side!r})")
    edges = sorted({g.below(20) - 6 for _ in range(1 + g.below(5))})
    return expression(f"np.digitize({a}, {edges}, right={g.chance(0.5)})")


@statement(2.5)
def sets(g):
    how = g.random()
    a = g.array()
    if how < 0.3:
        return expression(f"np.unique({a})")
    if how < 0.45:
        return expression(
            f"np.unique({a}, return_index=True, return_inverse=True, return_counts=True)", EXACT, 4
        )
    if how < 0.55 and a.ndim:
        return expression(f"np.unique({a}, axis={g.axis(a.ndim)})")
    if how < 0.75:
        return expression(f"np.isin({a}, {g.array()}{keywords(invert='True' if g.chance(0.3) else None)})")
    return expression(f"np.{g.choice(['union1d', 'intersect1d', 'setdiff1d', 'setxor1d'])}({a}, {g.array()})")


@statement(2)
def counting(g):
    how = g.random()
    if how < 0.35:
        values = f"A({[g.below(9) for _ in range(g.below(9))]!r}, {g.choice(['i8', 'i4', 'u1'])!r})"
        given = keywords(minlength=str(g.below(12)) if g.chance(0.4) else None)
        return expression(f"np.bincount({values}{given})")
    a = g.array(kinds="iuf")
    if how < 0.7:
        low = g.below(5) - 3
        return expression(f"np.histogram({a}, {1 + g.below(6)}, ({low}, {low + 1 + g.below(8)}))", CLOSE, 2)
    if how < 0.85:
        return expression(f"np.average({g.array()}{keywords(axis=g.choice(['None', '0', '-1']))})", SUMMED)
    name = g.choice(["cov", "corrcoef"])
    return expression(f"np.{name}({g.array(lambda v: v.ndim in (1, 2) and v.size > 1)})", SUMMED)


@statement(1)
def comparisons(g):
    name = g.choice(["array_equal", "array_equiv", "allclose", "isclose"])
    a = g.array()
    nan = keywords(equal_nan="True" if g.chance(0.3) and name != "array_equiv" else None)
    return expression(f"np.{name}({a}, {g.with_shape(a.shape) if g.chance(0.8) else g.array()}{nan})")
