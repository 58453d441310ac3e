"""What takes the place of SciPy's compiled module ``scipy.sparse._sparsetools`` for device arrays."""

import types

from gpunp_scipy.sparse import arithmetic, blocks, compressed_parts, coordinates, diagonals, products

_PREFIXES = ("bsr_", "coo_", "csc_", "csr_", "dia_", "expandptr", "get_csr")

for _module in (arithmetic, blocks, compressed_parts, coordinates, diagonals, products):
    globals().update(
        {
            name: value
            for name, value in vars(_module).items()
            if isinstance(value, types.FunctionType) and name.startswith(_PREFIXES)
        }
    )
globals().update(arithmetic.operations())
globals().update(blocks.operations())
