"""``scipy.cluster.hierarchy`` on device arrays: its functions under SciPy's names."""

from gpunp_scipy.lazy import attach

HOMES = {}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
