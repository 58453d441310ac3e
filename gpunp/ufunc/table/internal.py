"""Element-wise functions the engine needs that are no public ufunc of NumPy."""

from gpunp.dtype_codes import CHARS

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, Loop, Row, same

ROWS = (
    Row(
        "_ones_like",
        "internal",
        same(BOOL + INTEGERS + FLOATS, "(T)1", nin=1) + same(COMPLEX, "T{1, 0}", nin=1),
    ),
    # Choose by a condition: what where= and numpy.where are made of.
    Row(
        "select",
        "internal",
        tuple(Loop(BOOL + c + c, c, "a ? b : c", stored_half=True) for c in CHARS),
        namespace="internal",
    ),
    # NumPy's loops for an exponent, or bounds, of one value: other zeros and roots than theirs for arrays.
    Row("power_by_scalar", "arithmetic", same("fd", "math::power_by_scalar(a, b)"), namespace="internal"),
    Row(
        "clip_by_scalars",
        "comparison",
        same("fd", "math::clip_by_scalars(a, b, c)", nin=3),
        namespace="internal",
    ),
    # Assignment: views, broadcasts and fills of one dtype; other sources are converted on load.
    Row("copy", "internal", same(CHARS, "a", nin=1, stored_half=True), namespace="internal"),
)
