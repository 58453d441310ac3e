"""Units of histograms and bincount: extents of the data, counting, and bins of elements with weights."""

from gpunp.dtype_codes import NAME_OF
from gpunp.ufunc.table.row import FLOATS, INTEGERS

INCLUDE = '#include "gpunp/statistics/histogram.h"\n\n'
COMPARED = ("f8", "i8", "u8")
# dtypes whose long data is counted by buckets, and those counted with a guessed range.
BUCKETED = "hHiIq"
GUESSED = "Biefd"


def _edge(char):
    """Return the type of the edges of uniform bins for data of a dtype."""
    return NAME_OF[char] if char in FLOATS else "f8"


def units():
    """Map unit names to sources."""
    extents = "".join(f"GPUNP_EXTENT({NAME_OF[c]}, gpunp::{NAME_OF[c]})\n" for c in INTEGERS + FLOATS)
    counts = "".join(
        f"GPUNP_{kernel}({NAME_OF[c]}, gpunp::{NAME_OF[c]})\n"
        for kernel in ("COUNT_VALUES", "EXTENT_COUNTS")
        for c in INTEGERS
        if c != "Q"
    )
    uniform = "".join(
        f"GPUNP_COUNT_UNIFORM({NAME_OF[c]}, gpunp::{NAME_OF[c]}, gpunp::{_edge(c)})\n"
        for c in INTEGERS + FLOATS
    )
    locate = "GPUNP_MAKE_EDGES(histogram_edges)\nGPUNP_CHECK_EDGES(histogram_check_edges)\n"
    for name in COMPARED:
        locate += f"GPUNP_COUNT_EDGES({name}, gpunp::{name})\nGPUNP_LOCATE_EDGES({name}, gpunp::{name})\n"
    for char in FLOATS:
        locate += f"GPUNP_LOCATE_UNIFORM({NAME_OF[char]}, gpunp::{NAME_OF[char]})\n"
    buckets = "".join(f"GPUNP_BUCKETS({NAME_OF[c]}, gpunp::{NAME_OF[c]})\n" for c in BUCKETED)
    guess = "".join(f"GPUNP_GUESS({NAME_OF[c]}, gpunp::{NAME_OF[c]}, gpunp::{_edge(c)})\n" for c in GUESSED)
    weights = "".join(f"GPUNP_WEIGHTS({name})\n" for name in ("exponents", "limbs", "sums"))
    weights += "".join(f"GPUNP_WEIGHT_BUCKETS({name}, gpunp::{name})\n" for name in ("f4", "f8"))
    return {
        "histogram_extent": INCLUDE + extents,
        "histogram_values": INCLUDE + counts,
        "histogram_buckets": '#include "gpunp/statistics/histogram_buckets.h"\n\n'
        + buckets
        + "GPUNP_BUCKET_COUNT\n",
        "histogram_guess": '#include "gpunp/statistics/histogram_guess.h"\n\n' + guess,
        "histogram_uniform": INCLUDE + uniform,
        "histogram_edges": INCLUDE + locate,
        "histogram_weights": '#include "gpunp/statistics/histogram_weight_buckets.h"\n\n' + weights,
    }
