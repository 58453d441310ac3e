"""What takes the place of SciPy's compiled module ``scipy.sparse._sparsetools`` for device arrays."""

import types

from gpunp_scipy.sparse import arithmetic, blocks, compressed_parts, coordinates, diagonals, products, sharing

_PREFIXES = ("bsr_", "coo_", "csc_", "csr_", "dia_", "expandptr", "get_csr")

# The functions for GPUs, by name, which run on any device.
DEVICE = {
    name: value
    for module in (arithmetic, blocks, compressed_parts, coordinates, diagonals, products)
    for name, value in vars(module).items()
    if isinstance(value, types.FunctionType) and name.startswith(_PREFIXES)
}
DEVICE |= arithmetic.operations() | blocks.operations()
globals().update({name: sharing.shared(name, function) for name, function in DEVICE.items()})
