"""``scipy.spatial`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "geometry": ("geometric_slerp", "procrustes"),
    "minkowski_distances": ("distance_matrix", "minkowski_distance", "minkowski_distance_p"),
}
# Methods of SciPy's classes, and our functions for device arrays.
METHODS = {
    "KDTree.__init__": "kd_tree.construct",
    "KDTree.query": "kd_tree.query",
    "KDTree.query_ball_point": "kd_tree.query_ball_point",
    "cKDTree.query": "kd_tree.query",
    "cKDTree.query_ball_point": "kd_tree.query_ball_point",
}
# Classes of C, and what makes a class that takes their place in SciPy's module.
CLASSES = {"cKDTree": "c_kd_tree.stand_in"}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
