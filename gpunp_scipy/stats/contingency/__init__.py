"""``scipy.stats.contingency`` on device arrays."""

from gpunp_scipy.lazy import attach

HOMES = {"tables": ("association", "chi2_contingency", "crosstab", "expected_freq")}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
