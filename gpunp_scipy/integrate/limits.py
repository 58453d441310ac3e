"""Limits of integrals for `scipy.integrate.tanhsinh`, without selections by masks, which wait on a GPU."""


def transform_integrals(a, b, xp):
    """Make limits finite and ascending: ``scipy.integrate._tanhsinh._transform_integrals``.

    Returns
    -------
    a, b : ndarray
        The limits of the transformed integrals.
    a0 : ndarray
        The left limits before infinite ones on the right were replaced.
    negative, abinf, ainf, binf : ndarray of bool
        Where the limits were exchanged; and where both, the left and the right one were infinite.
    """
    empty = a == b
    a, b = xp.where(empty, 1, a), xp.where(empty, 1, b)
    negative = xp.real(b) < xp.real(a)
    a, b = xp.where(negative, b, a), xp.where(negative, a, b)
    abinf = xp.isinf(a) & xp.isinf(b)
    a, b = xp.where(abinf, -1, a), xp.where(abinf, 1, b)
    ainf = xp.isinf(a)
    a, b = xp.where(ainf, -b, a), xp.where(ainf, -a, b)
    binf = xp.isinf(b)
    return xp.where(binf, 0, a), xp.where(binf, 1, b), a, negative, abinf, ainf, binf
