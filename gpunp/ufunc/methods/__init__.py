"""The methods of ufuncs: reduce, accumulate, reduceat, outer and at.

They stand on the reductions and on indexing, which stand on the engine of the ufuncs: so they have a rank of
their own above both, and the engine finds them through `gpunp.ufunc.engine.install_methods`.
"""

from gpunp.ufunc.methods.at import at
from gpunp.ufunc.methods.reducing import (
    accumulate,
    accumulate_into,
    accumulated_dtype,
    outer,
    reduce,
    reduceat,
)

__all__ = ["accumulate", "accumulate_into", "accumulated_dtype", "at", "outer", "reduce", "reduceat"]
