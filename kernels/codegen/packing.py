"""The unit of packbits and unpackbits."""


def units():
    """Map unit names to sources."""
    kernels = "GPUNP_PACKING(packbits, pack_one)\nGPUNP_PACKING(unpackbits, unpack_one)\n"
    return {"packbits": f'#include "gpunp/math/packbits.h"\n\n{kernels}'}
