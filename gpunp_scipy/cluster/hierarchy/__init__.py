"""``scipy.cluster.hierarchy`` on device arrays: its functions under SciPy's names."""

from gpunp_scipy.lazy import attach

HOMES = {
    "merging": (
        "average",
        "centroid",
        "complete",
        "fclusterdata",
        "linkage",
        "median",
        "optimal_leaf_ordering",
        "single",
        "ward",
        "weighted",
    ),
    "trees": (
        "cophenet",
        "cut_tree",
        "dendrogram",
        "fcluster",
        "from_mlab_linkage",
        "inconsistent",
        "leaders",
        "leaves_list",
        "maxRstat",
        "maxdists",
        "maxinconsts",
        "to_tree",
    ),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
