"""Units of indexing: elements are moved by size, so each kernel exists once per size."""

SIZES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "gpunp::Bytes16"}
WORDS = {size: SIZES[size] for size in (4, 8)}
# Conditions by how zero is recognized: integers by size, and the floating types.
CONDITIONS = {
    "b1": "uint8_t",
    "b2": "uint16_t",
    "b4": "uint32_t",
    "b8": "uint64_t",
    "f2": "gpunp::f2",
    "f4": "gpunp::f4",
    "f8": "gpunp::f8",
    "c8": "gpunp::c8",
    "c16": "gpunp::c16",
}


def _calls(macro, kinds):
    return "".join(f"{macro}({name}, {kind})\n" for name, kind in kinds.items())


def units():
    """Map unit names to sources."""
    return {
        "indexing_gather": '#include "gpunp/indexing/gather.h"\n\n'
        + _calls("GPUNP_GATHER", SIZES)
        + "GPUNP_CLAIM\n",
        "indexing_flat": '#include "gpunp/indexing/gather_flat.h"\n'
        '#include "gpunp/indexing/gather_windows.h"\n'
        '#include "gpunp/indexing/scatter_bins.h"\n\n'
        + _calls("GPUNP_FLAT", SIZES)
        + "GPUNP_FLAT_CLAIM\nGPUNP_WINDOWS\n"
        + _calls("GPUNP_WINDOWS_OF", WORDS)
        + "GPUNP_BINS\n"
        + _calls("GPUNP_BINS_OF", SIZES),
        "cluster_gather": '#include "gpunp/indexing/gather_cluster.h"\n\n'
        + _calls("GPUNP_GATHER_CLUSTER", WORDS),
        "indexing_mask": '#include "gpunp/indexing/mask.h"\n#include "gpunp/indexing/mask_fill.h"\n\n'
        + _calls("GPUNP_MASK_BITS", CONDITIONS)
        + _calls("GPUNP_MASK_SELECT", SIZES)
        + "".join(f"GPUNP_MASK_FILL({size})\n" for size in SIZES)
        + "GPUNP_MASK\n",
        "indexing_choose": '#include "gpunp/indexing/choose.h"\n\n'
        + _calls("GPUNP_CHOOSE", SIZES)
        + "GPUNP_RAVEL\n",
    }
