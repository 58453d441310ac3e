"""Units behind unique and the set functions: bitmaps of integers, sorted rows, runs of equal elements."""

HEADER = '#include "gpunp/sets/unique.h"\n\nusing namespace gpunp;\n'

# By the width of the integers.
BITMAPS = {"u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t"}
# By the type of the keys.
KEYS = {"u4": "uint32_t", "u8": "uint64_t", "wide": "WideKey"}


def units():
    """Map unit names to sources."""
    bitmaps = "".join(f"GPUNP_MARK({name}, {kind})\n" for name, kind in BITMAPS.items())
    # All values of narrower integers fit into a bitmap regardless of their bounds.
    bitmaps += "".join(f"GPUNP_BOUNDS({name}, {BITMAPS[name]})\n" for name in ("u4", "u8"))
    rows = "".join(f"GPUNP_ROWS({name}, {kind})\n" for name, kind in KEYS.items())
    # Words hold keys of real types only.
    rows += "".join(f"GPUNP_WORDS({name}, {KEYS[name]})\n" for name in ("u4", "u8"))
    return {
        "unique_bitmap": HEADER + bitmaps,
        "unique_rows": HEADER + rows,
        "unique_runs": HEADER + "GPUNP_RUNS\n",
    }
