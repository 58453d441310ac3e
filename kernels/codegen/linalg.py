"""Units of the kernels on stacks of small matrices and on panels of large ones, by element type."""

ELEMENTS = ("f4", "f8", "c8", "c16")
# Kernels, and their functions for one matrix.
KERNELS = {
    "solve": "solve_one",
    "cholesky": "cholesky_one",
    "qr": "qr_one",
    "eigh": "eigh_one",
    "svd": "svd_one",
    "factor": "factor_one",
    "triangular": "triangular_one",
}
# Largest matrices that a warp keeps in registers, and the target of such warps per multiprocessor.
SYSTEMS = {"f4": ((32, 24), (64, 12)), "f8": ((32, 12),)}
# Rows of a panel per thread: more, as far as registers allow, for taller matrices.
PANELS = {"f4": (16, 32), "f8": (16,)}


def units():
    """Map unit names to sources."""
    found = {"linalg_info": '#include "gpunp/linalg/info.h"\n\nGPUNP_REPORT_INFO\n'}
    for element in ELEMENTS:
        kernels = "".join(
            f"GPUNP_SMALL_MATRICES({name}_{element}, ::gpunp::linalg::{function}<::gpunp::{element}>)\n"
            for name, function in KERNELS.items()
        )
        kernels += "".join(
            f"GPUNP_SMALL_SYSTEMS(solve_{n}_{element}, ::gpunp::{element}, {n}, {blocks})\n"
            for n, blocks in SYSTEMS.get(element, ())
        )
        found[f"linalg_{element}"] = f'#include "gpunp/linalg/small.h"\n\n{kernels}'
        found[f"linalg_factors_{element}"] = (
            f'#include "gpunp/linalg/factor_kernels.h"\n\nGPUNP_FACTORS({element})\n'
        )
    found["linalg_orders"] = '#include "gpunp/linalg/factor_kernels.h"\n\nGPUNP_ORDERS\n'
    found["cluster_tridiagonal"] = '#include "gpunp/linalg/tridiagonal_kernels.h"\n\nGPUNP_TRIDIAGONAL\n'
    blocks = "".join(f"GPUNP_PANEL_BLOCKS({element})\n" for element in PANELS)
    found["cluster_blocks"] = f'#include "gpunp/linalg/panel_blocks.h"\n\n{blocks}GPUNP_PANEL_ORDER\n'
    for element, rows in PANELS.items():
        panels = "".join(f"GPUNP_PANELS({element}, {count})\n" for count in rows)
        found[f"cluster_panel_{element}"] = (
            f'#include "gpunp/linalg/panel_kernels.h"\n\n{panels}GPUNP_PANEL_NEIGHBOURS({element})\n'
        )
    return found
