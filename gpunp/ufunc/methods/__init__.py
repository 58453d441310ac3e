"""The methods of ufuncs: reduce, accumulate, reduceat, outer and at.

They use the reductions and indexing, which use the engine of the ufuncs: so this package has a rank above
both, and the engine reaches it through `gpunp.ufunc.engine.install_methods`.
"""

from gpunp.ufunc.methods.at import at
from gpunp.ufunc.methods.reducing import (
    accumulate,
    accumulate_into,
    accumulated_dtype,
    outer,
    reduce,
    reduceat,
    single_output,
)

__all__ = [
    "accumulate",
    "accumulate_into",
    "accumulated_dtype",
    "at",
    "outer",
    "reduce",
    "reduceat",
    "single_output",
]
