"""``scipy.spatial`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {}
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    "KDTree.__init__": "kd_tree.construct",
    "KDTree.query": "kd_tree.query",
    "KDTree.query_ball_point": "kd_tree.query_ball_point",
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
