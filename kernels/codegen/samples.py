"""Units of samples: sums of Gaussian kernels around data, ranks, correlations."""

# Points with these numbers of coordinates are in registers; 0 is any number.
DIMENSIONS = (1, 2, 3, 0)
# Sums with and without weights, and their logarithms.
SUMS = {"plain": "false, false", "weighted": "true, false", "logs": "true, true"}
# The types of sorted elements: of integers only whether they are equal matters.
KEYS = {"f4": "float", "f8": "double", "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t"}


def _densities():
    text = '#include "gpunp/statistics/density.h"\n#include "gpunp/statistics/density_leaves.h"\n\n'
    for dimensions in DIMENSIONS:
        for name, flags in SUMS.items():
            text += f"GPUNP_DENSITY({name}_{dimensions}, {dimensions}, {flags})\n"
    return (
        text + "GPUNP_DENSITY_LEAVES\nGPUNP_LEAF_SUMS(leaf_sums, false)\nGPUNP_LEAF_SUMS(leaf_logs, true)\n"
    )


def units():
    """Map unit names to sources."""
    ranks = "".join(f"GPUNP_RANKS({name}, {type})\n" for name, type in KEYS.items())
    correlation = "GPUNP_CORRELATION(f4, float)\nGPUNP_CORRELATION(f8, double)\n"
    return {
        "density": _densities(),
        "ranks": f'#include "gpunp/statistics/ranks.h"\n\n{ranks}',
        "correlation": f'#include "gpunp/statistics/correlation.h"\n\n{correlation}',
    }
