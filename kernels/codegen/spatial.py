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
}


def units():
    """Map unit names to sources."""
    pairs = '#include "gpunp/spatial/nearest.h"\n\nGPUNP_NEAREST\n'
    for name, (metric, weighted) in METRICS.items():
        pairs += f"GPUNP_PAIRS({name}, {metric}, false)\n"
        if weighted:
            pairs += f"GPUNP_PAIRS({name}_weighted, {metric}, true)\n"
    return {"pairs": pairs}
