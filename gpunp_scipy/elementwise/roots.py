"""Steps of `scipy.optimize.elementwise.find_root`: Chandrupatla's method."""


def chandrupatla(scipys, xp):
    """The steps that SciPy takes by masks."""

    def update(x, f, work):
        same = xp.sign(f) == xp.sign(work.f1)
        work.x3, work.x2 = xp.where(same, work.x1, work.x2), xp.where(same, work.x2, work.x1)
        work.f3, work.f2 = xp.where(same, work.f1, work.f2), xp.where(same, work.f2, work.f1)
        work.x1, work.f1 = x, f

    def advance(work):
        x1, x2, x3, f1, f2, f3 = work.x1, work.x2, work.x3, work.f1, work.f2, work.f3
        xi, phi, alpha = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2), (x3 - x1) / (x2 - x1)
        # Inverse quadratic interpolation where its curve is monotonic, else bisection.
        interpolates = (1 - xp.sqrt(1 - xi) < phi) & (phi < xp.sqrt(xi))
        interpolated = f1 / (f1 - f2) * f3 / (f3 - f2) - alpha * f1 / (f3 - f1) * f2 / (f2 - f3)
        nearest = 0.5 * work.tol / work.dx
        work.t = xp.clip(xp.where(interpolates, interpolated, 0.5), nearest, 1 - nearest)

    return {"update": update, "advance": advance}
