"""The op table: every element-wise function with its typed loops.

The code generator reads it before gpunp is built, so nothing here imports more than the standard library. The
part that calls of ufuncs need is written to ``gpunp/ufunc/rows.py``; the families are imported when ROWS (all
rows), STANDARD_ROWS or BY_NAME is first accessed.
"""

import importlib

_FAMILIES = (
    "arithmetic",
    "comparison",
    "logical",
    "bitwise",
    "exponential",
    "trigonometric",
    "hyperbolic",
    "rounding",
    "floating",
    "special",
    "special_long",
    "special_cylinder",
    "special_distributions",
    "special_hypergeometric",
    "special_spheroidal",
    "internal",
)


def __getattr__(name):
    if name not in ("ROWS", "STANDARD_ROWS", "BY_NAME"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    families = [importlib.import_module(f".{family}", __name__) for family in _FAMILIES]
    rows = tuple(row for family in families for row in family.ROWS)
    globals()["ROWS"] = rows
    # A name in two namespaces (cbrt) refers to NumPy's.
    globals()["BY_NAME"] = {row.name: row for row in reversed(rows)}
    globals()["STANDARD_ROWS"] = importlib.import_module(".standard", __name__).STANDARD_ROWS
    return globals()[name]
