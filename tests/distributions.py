"""The distributions of ``scipy.stats``, with parameters for tests."""

from scipy import stats
from scipy.stats import _distr_params


def _named(pairs):
    """The first parameters of each distribution that this SciPy has."""
    found = {}
    for name, args in pairs:
        if isinstance(name, str) and hasattr(stats, name):
            found.setdefault(name, tuple(args))
    return found


CONTINUOUS = _named(_distr_params.distcont)
DISCRETE = _named(_distr_params.distdiscrete)
INVALID = {**_named(_distr_params.invdistcont), **_named(_distr_params.invdistdiscrete)}
ARGUMENTS = {**CONTINUOUS, **DISCRETE}
