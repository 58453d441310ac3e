"""``scipy.ndimage`` on device arrays: its functions under SciPy's names and with SciPy's signatures."""

from gpunp_scipy.lazy import attach

HOMES = {
    "binary": (
        "binary_closing",
        "binary_dilation",
        "binary_erosion",
        "binary_fill_holes",
        "binary_hit_or_miss",
        "binary_opening",
        "binary_propagation",
    ),
    "grey": (
        "black_tophat",
        "grey_closing",
        "grey_dilation",
        "grey_erosion",
        "grey_opening",
        "morphological_gradient",
        "morphological_laplace",
        "white_tophat",
    ),
    "iterated": ("generate_binary_structure", "iterate_structure"),
    "distance_transforms": ("distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"),
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
    "correlation": ("convolve", "convolve1d", "correlate", "correlate1d"),
    "derivatives": ("generic_gradient_magnitude", "generic_laplace", "laplace", "prewitt", "sobel"),
    "fourier": ("fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"),
    "window_extremes": ("maximum_filter", "maximum_filter1d", "minimum_filter", "minimum_filter1d"),
    "gaussian": ("gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace"),
    "generic": ("generic_filter", "generic_filter1d", "vectorized_filter"),
    "ranks": ("median_filter", "percentile_filter", "rank_filter"),
    "uniform": ("uniform_filter", "uniform_filter1d"),
    "interpolation": (
        "affine_transform",
        "geometric_transform",
        "map_coordinates",
        "rotate",
        "shift",
        "zoom",
    ),
    "splines": ("spline_filter", "spline_filter1d"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
