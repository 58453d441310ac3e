"""``scipy.stats.qmc`` on device arrays: points and their discrepancy."""

from gpunp_scipy.lazy import attach

HOMES = {"points": ("discrepancy", "geometric_discrepancy", "scale", "update_discrepancy")}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
