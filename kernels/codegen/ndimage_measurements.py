"""The unit of connected regions and their bounding boxes, for positions in images of either size."""

SOURCE = """#include "gpunp/ndimage/label.h"

GPUNP_LABELS(i4, int32_t)
GPUNP_LABELS(i8, int64_t)
"""


def units():
    """Map unit names to sources."""
    return {"ndimage_labels": SOURCE}
