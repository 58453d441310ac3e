"""Contingency tables: SciPy's own code, with its arrays on the device."""

from gpunp_scipy.rebinding import Rebound, public

_TABLES = Rebound("scipy.stats.contingency", {})
_CROSSTAB = Rebound("scipy.stats._crosstab", {})


def _public(functions, name):
    import scipy.stats.contingency

    return public(functions[name], getattr(scipy.stats.contingency, name), __name__)


association = _public(_TABLES, "association")
chi2_contingency = _public(_TABLES, "chi2_contingency")
expected_freq = _public(_TABLES, "expected_freq")
crosstab = _public(_CROSSTAB, "crosstab")
