"""``scipy.spatial.distance`` on device arrays: its functions under SciPy's names."""

from gpunp_scipy.lazy import attach

HOMES = {
    "all_pairs": ("cdist", "pdist"),
    "matrices": ("is_valid_dm", "is_valid_y", "num_obs_dm", "num_obs_y", "squareform"),
    "vectors": (
        "braycurtis",
        "canberra",
        "chebyshev",
        "cityblock",
        "correlation",
        "cosine",
        "dice",
        "directed_hausdorff",
        "euclidean",
        "hamming",
        "jaccard",
        "jensenshannon",
        "mahalanobis",
        "minkowski",
        "rogerstanimoto",
        "russellrao",
        "seuclidean",
        "sokalsneath",
        "sqeuclidean",
        "yule",
    ),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
