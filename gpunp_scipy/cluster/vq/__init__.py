"""``scipy.cluster.vq`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {"codes": ("py_vq", "vq"), "means": ("kmeans", "kmeans2")}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
