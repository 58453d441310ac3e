"""The op table: every element-wise function with its typed loops.

Read by the code generator before gpunp is built, so nothing here imports more than the standard library.
"""

from . import (
    arithmetic,
    bitwise,
    comparison,
    exponential,
    floating,
    hyperbolic,
    internal,
    logical,
    rounding,
    special,
    trigonometric,
)
from .standard import STANDARD_ROWS as STANDARD_ROWS

_FAMILIES = (
    arithmetic,
    comparison,
    logical,
    bitwise,
    exponential,
    trigonometric,
    hyperbolic,
    rounding,
    floating,
    special,
    internal,
)

ROWS = tuple(row for family in _FAMILIES for row in family.ROWS)
# Where two namespaces share a name (cbrt) it means NumPy's.
BY_NAME = {row.name: row for row in reversed(ROWS)}
