"""References in mpmath for distributions: incomplete gamma and beta functions, and inverses of functions."""

import warnings

import mpmath
from long_functions import plain


def root_near(start, excess):
    """Return the root of a function near a number in double precision."""
    return mpmath.findroot(excess, (start, start * (1 + mpmath.mpf("1e-7"))), verify=False)


def inverse(name, distribution, place, start=None):
    """Return the inverse of a distribution function, found from SciPy's result.

    Parameters
    ----------
    name : str
        The inverse.
    distribution : callable
        Of the result and the other operands of the inverse.
    place : int
        Which operand of the inverse is the probability.
    start : float, optional
        A number near the results; by default it is SciPy's result.

    Returns
    -------
    callable
    """

    def function(*operands):
        operands = [x.real for x in operands]
        with warnings.catch_warnings():
            # SciPy warns of floats that are counts.
            warnings.simplefilter("ignore")
            near = plain(name)(*[float(x) for x in operands]) if start is None else start
        goal, others = operands[place], operands[:place] + operands[place + 1 :]
        with mpmath.workdps(30):
            return root_near(mpmath.mpf(float(near)), lambda x: mpmath.log(distribution(x, *others) / goal))

    return function


def gamma_below(a, x):
    return mpmath.gammainc(a, 0, x, regularized=True)


def gamma_above(a, x):
    return mpmath.gammainc(a, x, mpmath.inf, regularized=True)


def beta_below(a, b, x):
    return mpmath.betainc(a, b, 0, x, regularized=True)
