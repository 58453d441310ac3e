"""The units of morphology: steps of erosion and dilation, and distance transforms by metric and type."""

DISTANCES = """#include "gpunp/ndimage/distance.h"

GPUNP_DISTANCE_WORDS
GPUNP_DISTANCE_COLUMNS(i4, int32_t)
GPUNP_DISTANCE_COLUMNS(f8, double)
GPUNP_DISTANCE_ROWS(squares, METRIC_SQUARES, i4, int32_t)
GPUNP_DISTANCE_ROWS(squares, METRIC_SQUARES, f8, double)
GPUNP_DISTANCE_ROWS(sum, METRIC_SUM, i4, int32_t)
GPUNP_DISTANCE_ROWS(greatest, METRIC_GREATEST, i4, int32_t)
"""
BINARY = """#include "gpunp/ndimage/binary.h"

GPUNP_BINARY_STEP
"""


def units():
    """Map unit names to sources."""
    return {"ndimage_binary": BINARY, "ndimage_distances": DISTANCES}
