"""Units of scipy.spatial and scipy.cluster: distances of all pairs, nearest points, trees of points."""

# The metrics of kernels/include/gpunp/spatial/metrics.h, and whether they have a form with weights.
METRICS = {
    "squares": ("Squares", True),
    "absolutes": ("Absolutes", True),
    "greatest": ("Greatest", True),
    "powers": ("Powers", True),
    "canberra": ("Canberra", True),
    "bray_curtis": ("BrayCurtis", True),
    "hamming": ("Hamming", True),
    "truths": ("Truths", True),
    "jensen_shannon": ("JensenShannon", False),
    "cosine": ("Cosine", False),
}  # Of these there are kernels for few points of the second set.
NARROW = ("squares", "absolutes", "greatest", "cosine")

# Searches have kernels for these numbers of coordinates and of neighbors; 0 is any number.
DIMENSIONS = (2, 3, 0)
NEIGHBORS = (1, 8, 16, 0)


def _tree():
    text = '#include "gpunp/spatial/tree_queries.h"\n\n'
    for name, params, count, call in (
        ("codes", "CurveParams", "p.n", "curve_code"),
        ("splits", "SplitsParams", "p.n", "split_key"),
        ("boxes", "BoxesParams", "p.count", "make_box"),
    ):
        text += f"GPUNP_TREE_KERNEL({name}, {params}, {count}, {call})\n"
    for dimensions in DIMENSIONS:
        text += f"GPUNP_WITHIN({dimensions}, {dimensions}, SquaresNorm)\n"
        for count in NEIGHBORS:
            text += f"GPUNP_NEIGHBORS({dimensions}_{count}, {dimensions}, {count}, SquaresNorm)\n"
    return text + "GPUNP_WITHIN(any, 0, AnyNorm)\nGPUNP_NEIGHBORS(any, 0, 0, AnyNorm)\n"


def units():
    """Map unit names to sources."""
    pairs = '#include "gpunp/spatial/nearest.h"\n\n'
    for name in ("", "Narrow", "Medium"):
        pairs += f"GPUNP_NEAREST({name.lower() or 'wide'}, {name}Squares)\n"
    for name, (metric, weighted) in METRICS.items():
        pairs += f"GPUNP_PAIRS({name}, {metric}, false)\n"
        if name in NARROW:
            pairs += f"GPUNP_PAIRS({name}_narrow, Narrow{metric}, false)\n"
        if weighted:
            pairs += f"GPUNP_PAIRS({name}_weighted, {metric}, true)\n"
    sums = '#include "gpunp/spatial/code_sums.h"\n\nGPUNP_CODE_SUMS\n'
    return {"pairs": pairs, "codes": sums, "tree": _tree()}
