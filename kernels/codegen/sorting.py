"""Units of the sorts, by the width of the word that holds a key instead of dtype."""

# (threads, elements per thread) of the blocks that sort a whole row, by word width in bytes.
ROW_BLOCKS = {4: ((256, 4), (256, 12), (512, 16)), 8: ((256, 4), (256, 8), (512, 8))}
WORDS = {4: "uint32_t", 8: "uint64_t"}

RADIX = """#include "gpunp/sorting/sort_radix.h"

GPUNP_SORT_RADIX({name}, {first}, {keys}, {pairs})
"""

ROWS = '#include "gpunp/sorting/sort_rows.h"\n\n'

SHORT = """#include "gpunp/sorting/sort_short.h"

GPUNP_SORT_SHORT(sort_u4, uint32_t)
GPUNP_SORT_SHORT(sort_u8, uint64_t)
GPUNP_SORT_SHORT(sort_wide, gpunp::WideKey)
GPUNP_SORT_SUPPORT
"""


def units():
    """Map unit names to sources. On the host `sorting_short` sorts rows of any length."""
    made = {"sorting_short": SHORT}
    for width, blocks in ROW_BLOCKS.items():
        first, keys, pairs = ("FIRST", "KEYS", "PAIRS") if width == 4 else ("WIDE", "WIDE", "WIDE")
        made[f"sorting_radix_u{width}"] = RADIX.format(name=f"u{width}", first=first, keys=keys, pairs=pairs)
        rows = ""
        for threads, items in blocks:
            shape = f"gpunp::sort_row_shape({threads * items}, {str(width == 8).lower()})"
            rows += f'static_assert({shape}.threads == {threads}, "must match sort_row_shape");\n'
            rows += f"GPUNP_SORT_ROWS({threads * items}, {WORDS[width]}, {threads}, {items})\n"
        made[f"sorting_rows_u{width}"] = ROWS + rows
    return made
