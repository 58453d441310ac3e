"""Steps of `scipy.differentiate.derivative`: finite differences of decreasing steps."""

from scipy.differentiate._differentiate import _derivative_weights


def derivative(scipys, xp):
    """The steps that SciPy takes by masks: of central and one-sided differences."""

    def chosen(work, central, left, right, otherwise=0):
        """One of three arrays for each element, by its direction; the last one where that is NaN."""
        masks = [work[name] for name in ("ic", "il", "ir")]
        if central.ndim > 1:
            masks = [mask[:, xp.newaxis] for mask in masks]
        is_central, is_left, is_right = masks
        one_sided = xp.where(is_left, left, xp.where(is_right, right, otherwise))
        return xp.where(is_central, central, one_sided)

    def point(work):
        n, factor, first = work.terms, work.fac, work.nit == 0
        x, h = work.x[:, xp.newaxis], work.h[:, xp.newaxis]
        root = factor**0.5
        if first:
            central = h / factor ** xp.arange(n, dtype=work.dtype)
            central = xp.concat((-xp.flip(central, axis=-1), central), axis=-1)
            one_sided = h / root ** xp.arange(2 * n, dtype=work.dtype)
        else:
            central = xp.concat((-h, h), axis=-1) / factor ** (n - 1)
            one_sided = xp.concat((h, h / root), axis=-1) / factor ** (n - 1)
        return chosen(work, x + central, x - one_sided, x + one_sided)

    def update(x, f, work):
        n = work.terms
        added = n if work.nit == 0 else 1
        central = xp.concat((f[:, :added], work.fs, f[:, -added:]), axis=-1)
        one_sided = xp.concat((work.fs, f), axis=-1)
        work.fs = chosen(work, central, one_sided, one_sided)
        if work.nit > 0:
            # The values at the outermost points are used no longer.
            central = xp.concat((central[:, :n], central[:, n : n + 1], central[:, -n:]), axis=-1)
            one_sided = xp.concat((one_sided[:, :1], one_sided[:, -2 * n :]), axis=-1)
        central_weights, one_sided_weights = _derivative_weights(work, n, xp)
        slopes = one_sided @ one_sided_weights / work.h
        central = central @ central_weights / work.h
        work.df_last, work.df = work.df, chosen(work, central, -slopes, slopes, work.df)
        work.h = work.h / work.fac
        work.error_last = work.error
        work.error = xp.abs(work.df - work.df_last)

    return {"point": point, "update": update}
