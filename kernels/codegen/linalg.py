"""Units of the kernels on stacks of small matrices, one for each element type."""

ELEMENTS = ("f4", "f8", "c8", "c16")
# Kernel to the function that treats one matrix.
KERNELS = {
    "solve": "solve_one",
    "cholesky": "cholesky_one",
    "qr": "qr_one",
    "eigh": "eigh_one",
    "svd": "svd_one",
}


def units():
    """Unit name to source."""
    found = {"linalg_info": '#include "gpunp/linalg_info.h"\n\nGPUNP_REPORT_INFO\n'}
    for element in ELEMENTS:
        kernels = "".join(
            f"GPUNP_SMALL_MATRICES({name}_{element}, ::gpunp::linalg::{function}<::gpunp::{element}>)\n"
            for name, function in KERNELS.items()
        )
        found[f"linalg_{element}"] = f'#include "gpunp/linalg_small.h"\n\n{kernels}'
    return found
