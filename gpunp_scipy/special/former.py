"""Functions of ``scipy.special`` that SciPy has dropped."""

from gpunp.special import betainc, betaincinv, sph_harm_y


def btdtr(a, b, x):
    """Cumulative distribution of the beta distribution: `betainc`."""
    return betainc(a, b, x)


def btdtri(a, b, p):
    """Quantiles of the beta distribution: `betaincinv`."""
    return betaincinv(a, b, p)


def sph_harm(m, n, theta, phi):
    """Spherical harmonics; `sph_harm_y` has the degree and the polar angle first.

    Parameters
    ----------
    m, n : array_like of int
        Orders and degrees.
    theta, phi : array_like
        Azimuthal and polar angles.

    Returns
    -------
    ndarray of complex numbers
    """
    return sph_harm_y(n, m, phi, theta)
