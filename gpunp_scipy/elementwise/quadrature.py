"""Steps of `scipy.integrate.tanhsinh`."""

import math

from scipy import special
from scipy._lib._elementwise_iterative_method import _ECONVERGED, _EVALUEERR
from scipy.integrate._tanhsinh import _compute_pair, _transform_to_limits

from gpunp_scipy.elementwise.loop import variables


def tanhsinh(scipys, xp):
    """The steps that SciPy takes by masks."""
    names = variables(scipys.point) | variables(scipys.check) | variables(scipys.present)
    h0, minlevel, log, negative = (names[name] for name in ("h0", "minlevel", "log", "negative"))

    def point(work):
        work.h = h0 / 2**work.n
        xjc, wj = _pairs(work, h0, xp)
        start = 0 if work.n == minlevel else work.pair_cache.indices[work.n]
        xjc, wj = (xp.astype(each[start:], work.dtype) for each in (xjc, wj))
        work.xj, work.wj = _transform_to_limits(xjc, wj, work.a, work.b, xp)
        # Integrals over infinite intervals are transformed to finite ones.
        abinf, ainf, binf = (mask[:, xp.newaxis] for mask in (work.abinf, work.ainf, work.binf))
        x = work.xj
        x = xp.where(abinf, x / (1 - xp.real(x) ** 2), xp.where(binf, 1 / x - 1 + work.a0, x))
        # Not negated: the imaginary part of complex points remains 0, not -0.
        return xp.where(ainf, x * -1, x)

    def update(x, f, work):
        abinf, binf, at = work.abinf[:, xp.newaxis], work.binf[:, xp.newaxis], work.xj
        if log:
            both = f + (xp.log(1 + at**2) - 2 * xp.log(1 - at**2))
            f = xp.where(abinf, both, xp.where(binf, f - 2 * xp.log(at), f))
        else:
            both = f * ((1 + at**2) / (1 - at**2) ** 2)
            f = xp.where(abinf, both, xp.where(binf, f * at ** (-2.0), f))
        work.fjwj, total = _weighted_sum(f, work, xp)
        if work.Sk.shape[-1]:
            last = work.Sk[:, -1]
            halves = xp.stack([last - math.log(2), total]) if log else None
            total = special.logsumexp(halves, axis=0) if log else last / 2 + total
        work.Sn = total

    def check(work):
        if work.nit > 0:
            return scipys.check(work)
        empty = xp.reshape(work.a == work.b, (-1,))
        nothing = xp.where(xp.isnan(work.Sn), xp.nan, -xp.inf if log else 0.0)
        work.Sn = xp.astype(xp.where(empty, nothing, work.Sn), work.Sn.dtype)
        work.aerr = xp.astype(xp.where(empty, nothing, work.aerr), work.aerr.dtype)
        work.status[empty] = _ECONVERGED
        is_finite = ~(xp.isnan(work.Sn) | (xp.real(work.Sn) == xp.inf)) if log else xp.isfinite(work.Sn)
        failed = ~is_finite & ~empty
        work.status[failed] = _EVALUEERR
        return empty | failed

    def present(res, shape):
        integral = res["integral"]
        # The logarithms of negative integrals are complex.
        if not log:
            res["integral"] = xp.where(negative, integral * -1, integral)
        elif xp.any(negative):
            res["integral"] = integral + negative * xp.pi * 1j
        nit = res.pop("nit")
        res["maxlevel"] = xp.where(nit == 0, -1, minlevel + nit - 1)
        return shape

    return {"point": point, "update": update, "check": check, "present": present}


def _pairs(work, h0, xp):
    """The points and weights of all levels so far, as SciPy keeps them in the work."""
    cache = work.pair_cache
    if cache.h0 is None:
        cache.h0, cache.indices = h0, [0]
        cache.xjc = cache.wj = xp.empty(0)
    made = [_compute_pair(level, h0, xp) for level in range(len(cache.indices) - 1, work.n + 1)]
    for xjc, _ in made:
        cache.indices.append(cache.indices[-1] + xjc.shape[0])
    cache.xjc = xp.concat([cache.xjc, *(xjc for xjc, _ in made)])
    cache.wj = xp.concat([cache.wj, *(wj for _, wj in made)])
    return cache.xjc, cache.wj


def _weighted_sum(f, work, xp):
    """The weighted values of the function, and the sum by the Euler-Maclaurin formula.

    Values that are not finite are replaced by that at the outermost point of the same side that is valid.
    """
    count = f.shape[0]
    x, values, weights = (xp.reshape(each, (count, 2, -1)) for each in (work.xj, f, work.wj))
    invalid = ~xp.isfinite(values) | (weights == 0)
    replaced, outermost = [], []
    for side, name in enumerate("rl"):
        sign = 1 if side == 0 else -1
        places = xp.where(invalid[:, side], -xp.inf, sign * xp.real(x[:, side]))
        i = xp.argmax(places, axis=-1, keepdims=True)
        new = [xp.take_along_axis(each[:, side], i, axis=-1)[:, 0] for each in (x, values, weights)]
        place = xp.take_along_axis(places, i, axis=-1)[:, 0]
        keys = [f"{key}{name}0" for key in "xfw"]
        farther = place > sign * xp.real(work[keys[0]])
        for key, value in zip(keys, new, strict=True):
            work[key] = xp.where(farther, value, work[key])
        value, weight = work[keys[1]], work[keys[2]]
        term = value + xp.log(weight) if work.log else value * weight
        outermost.append(xp.real(term) if work.log else xp.abs(term))
        replaced.append(xp.where(invalid[:, side], value[:, xp.newaxis], values[:, side]))
    work.d4 = xp.maximum(outermost[1], outermost[0])
    values = xp.concat(replaced, axis=-1)
    if work.log:
        terms = values + xp.log(work.wj)
        return terms, special.logsumexp(terms + xp.log(work.h), axis=-1)
    terms = values * work.wj
    return terms, xp.sum(terms, axis=-1) * work.h
