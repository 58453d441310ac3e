"""``scipy.ndimage`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "labels": ("find_objects", "label", "value_indices"),
    "measurements": (
        "center_of_mass",
        "histogram",
        "mean",
        "standard_deviation",
        "sum",
        "sum_labels",
        "variance",
    ),
    "comprehension": ("labeled_comprehension",),
    "extremes": ("extrema", "maximum", "maximum_position", "median", "minimum", "minimum_position"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
