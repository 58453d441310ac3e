"""Element-wise functions that the engine needs and that are not public ufuncs of NumPy."""

from gpunp.dtype_codes import CHARS, NAME_OF

from .row import BOOL, COMPLEX, FLOATS, INTEGERS, Loop, Row, same


def _closeness(name, equal_nan):
    """The comparisons of numpy.isclose; the third input is a number with rtol and atol as its parts."""

    def loop(char):
        tolerances = "D" if char in "dD" else "F"
        expression = f"math::is_close<{NAME_OF[char]}>(a, b, c, {equal_nan})"
        return Loop(char + char + tolerances, BOOL, expression)

    return Row(name, "closeness", tuple(map(loop, FLOATS + COMPLEX)), namespace="internal")


ROWS = (
    Row(
        "_ones_like",
        "internal",
        same(BOOL + INTEGERS + FLOATS, "(T)1", nin=1) + same(COMPLEX, "T{1, 0}", nin=1),
    ),
    # Selection by a condition, for where= and numpy.where.
    Row(
        "select",
        "internal",
        tuple(Loop(BOOL + c + c, c, "a ? b : c", stored_half=True) for c in CHARS),
        namespace="internal",
    ),
    # NumPy's loops for a scalar exponent or scalar bounds; zeros and roots differ from those of arrays.
    Row("power_by_scalar", "arithmetic", same("fd", "math::power_by_scalar(a, b)"), namespace="internal"),
    Row(
        "clip_by_scalars",
        "comparison",
        same("fd", "math::clip_by_scalars(a, b, c)", nin=3),
        namespace="internal",
    ),
    _closeness("close", "false"),
    _closeness("close_or_nan", "true"),
    # Bessel functions of an order that is the number 0 or 1.
    *(
        Row(
            f"{kind}v_of_low_order",
            "special_bessel",
            same("fd", f"a == 0 ? math::{kind}0(b) : math::{kind}1(b)"),
            namespace="internal",
        )
        for kind in "jy"
    ),
    # Assignment of views, broadcast arrays and scalars of one dtype; other dtypes are converted on load.
    Row("copy", "internal", same(CHARS, "a", nin=1, stored_half=True), namespace="internal"),
)
