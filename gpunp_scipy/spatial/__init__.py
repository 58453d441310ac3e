"""``scipy.spatial`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {}
METHODS = {}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
