"""Steps of `scipy.optimize.elementwise.bracket_root` and `bracket_minimum`."""

from scipy._lib._elementwise_iterative_method import _ECONVERGED, _EINPUTERR, _EVALUEERR
from scipy.optimize._bracket import _ELIMITS, _ESTOPONESIDE


def bracket_root(scipys, xp):
    """The steps that SciPy takes by masks; the two ends of a bracket are two elements."""

    def point(work):
        unlimited = xp.isinf(work.limit)
        work.d = xp.where(unlimited, work.d * work.factor, work.d / work.factor)
        return xp.where(unlimited, work.x0 + work.d, work.limit - work.d)

    def check(work):
        stop = work.status == _EINPUTERR
        sign, last_sign = xp.sign(work.f), xp.sign(work.f_last)
        found = ((last_sign == -sign) | (last_sign == 0) | (sign == 0)) & ~stop
        stop |= found
        # The other end is not needed.
        ends = xp.zeros(2 * work.n, dtype=xp.bool)
        ends[work.active] = found
        needless = ends[(work.active + work.n) % (2 * work.n)] & ~stop
        stop |= needless
        at_limit = (work.x == work.limit) & ~stop
        stop |= at_limit
        not_finite = ~(xp.isfinite(work.x) & xp.isfinite(work.f)) & ~stop
        for mask, status in (
            (found, _ECONVERGED),
            (needless, _ESTOPONESIDE),
            (at_limit, _ELIMITS),
            (not_finite, _EVALUEERR),
        ):
            work.status[mask] = status
        return stop | not_finite

    def present(res, shape):
        n = res["x"].shape[0] // 2
        left, right = slice(None, n), slice(n, None)
        status = res["status"][left], res["status"][right]
        widths = res["x_last"][left] - res["x"][left], res["x"][right] - res["x_last"][right]
        found = status[0] == 0, status[1] == 0
        # The narrower of two brackets, or the one that was found.
        takes_left = ((widths[0] <= widths[1]) & found[0]) | (found[0] & ~found[1])
        takes_right = ((widths[1] <= widths[0]) & found[1]) | (found[1] & ~found[0])
        for key in "xf":
            outer, inner = res.pop(key), res.pop(f"{key}_last")
            res[f"{key}l"] = xp.where(takes_right, inner[right], outer[left])
            res[f"{key}r"] = xp.where(takes_left, inner[left], outer[right])
        res["nit"] = xp.maximum(res["nit"][left], res["nit"][right])
        res["nfev"] = res["nfev"][left] + res["nfev"][right]
        res["status"] = xp.where(found[0], *status)
        res["success"] = res["status"] == 0
        return shape[:-1]

    return {"point": point, "check": check, "present": present}


def bracket_minimum(scipys, xp):
    """The steps that SciPy takes by masks."""

    def point(work):
        work.step = work.step * work.factor
        x = xp.where(work.limited, work.limit - work.step, work.xr0 + work.step)
        # So close to the limit that the end did not move.
        return xp.where(work.limited & (x == work.xr), work.limit, x)

    def present(res, shape):
        exchanged = res["xl"] > res["xr"]
        for key in "xf":
            one, other = res[f"{key}l"], res[f"{key}r"]
            res[f"{key}l"] = xp.where(exchanged, other, one)
            res[f"{key}r"] = xp.where(exchanged, one, other)
        return shape

    return {"point": point, "present": present}
