"""Steps of `scipy.optimize.elementwise.find_minimum`: Chandrupatla's method."""

from scipy._lib._elementwise_iterative_method import _ECONVERGED, _ESIGNERR, _EVALUEERR


def chandrupatla_minimize(scipys, xp):
    """The steps that SciPy takes by masks."""

    def point(work):
        x21, x32 = work.x2 - work.x1, work.x3 - work.x2
        A, B = x21 * (work.f3 - work.f2), x32 * (work.f1 - work.f2)
        C = A / (A + B)
        # The minimum of the parabola; a golden section where that is far from the one before.
        q = 0.5 * (C * (work.x1 - work.x3) + work.x2 + work.x3)
        is_near = xp.abs(q - work.q0) < 0.5 * xp.abs(x21)
        is_at_middle = xp.abs(q - work.x2) <= work.xtol
        parabola = xp.where(is_at_middle, work.x2 + xp.sign(x32) * work.xtol, q)
        work.q0 = q
        return xp.where(is_near, parabola, work.x2 + (2 - work.phi) * x32)

    def update(x, f, work):
        beyond = xp.sign(x - work.x2) == xp.sign(work.x3 - work.x2)
        higher = f > work.f2
        for key, new in (("x", x), ("f", f)):
            first, middle, last = (work[f"{key}{i}"] for i in (1, 2, 3))
            # The new point becomes the middle, and the middle an end, or it becomes an end.
            work[f"{key}1"] = xp.where(higher, xp.where(beyond, first, new), xp.where(beyond, middle, first))
            work[f"{key}2"] = xp.where(higher, middle, new)
            work[f"{key}3"] = xp.where(higher, xp.where(beyond, new, last), xp.where(beyond, last, middle))

    def check(work):
        no_bracket = (work.f2 > work.f1) | (work.f2 > work.f3)
        total = work.x1 + work.x2 + work.x3 + work.f1 + work.f2 + work.f3
        failed = no_bracket | ~xp.isfinite(total)
        work.x2, work.f2 = xp.where(failed, xp.nan, work.x2), xp.where(failed, xp.nan, work.f2)
        # The larger interval is between the second and the third point.
        exchanged = xp.abs(work.x3 - work.x2) < xp.abs(work.x2 - work.x1)
        work.x1, work.x3 = (
            xp.where(exchanged, work.x3, work.x1),
            xp.where(exchanged, work.x1, work.x3),
        )
        work.f1, work.f3 = (
            xp.where(exchanged, work.f3, work.f1),
            xp.where(exchanged, work.f1, work.f3),
        )
        work.xtol = xp.abs(work.x2) * work.xrtol + work.xatol
        ftol = xp.abs(work.f2) * work.frtol + work.fatol
        converged = xp.abs(work.x3 - work.x2) <= 2 * work.xtol
        converged |= work.f1 - 2 * work.f2 + work.f3 <= 2 * ftol
        work.status = xp.where(converged & ~failed, _ECONVERGED, work.status)
        work.status = xp.where(failed, xp.where(no_bracket, _ESIGNERR, _EVALUEERR), work.status)
        work.status = xp.astype(work.status, xp.int32, copy=False)
        return converged | failed

    return {"point": point, "update": update, "check": check}
