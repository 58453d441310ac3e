"""The units of the filters of images.

Samples are kept in float32 where that holds them exactly, otherwise in float64; sums are always in float64.
"""

SEPARABLE = """#include "gpunp/ndimage/separable.h"
#include "gpunp/ndimage/three_taps.h"

GPUNP_SEPARABLE(separable_quick_f4, float, QuickSum, double, 3)
GPUNP_SEPARABLE(separable_sum_f4, float, ExactSum, double, 3)
GPUNP_SEPARABLE(separable_sum_f8, double, ExactSum, double, 3)
GPUNP_SEPARABLE(separable_minimum_f4, float, Extremum<true>, float, 4)
GPUNP_SEPARABLE(separable_maximum_f4, float, Extremum<false>, float, 4)
GPUNP_SEPARABLE(separable_minimum_f8, double, Extremum<true>, double, 3)
GPUNP_SEPARABLE(separable_maximum_f8, double, Extremum<false>, double, 3)
GPUNP_THREE_TAPS(separable_three_rows_f4, true)
GPUNP_THREE_TAPS(separable_three_columns_f4, false)
GPUNP_SEPARABLE_LONG(separable_long_sum, ExactSum)
GPUNP_SEPARABLE_LONG(separable_long_minimum, Extremum<true>)
GPUNP_SEPARABLE_LONG(separable_long_maximum, Extremum<false>)
"""

STENCIL = """#include "gpunp/ndimage/stencil.h"

GPUNP_STENCIL(stencil_sum_f4, StencilSum<true>)
GPUNP_STENCIL(stencil_sum, StencilSum<false>)
GPUNP_STENCIL(stencil_minimum_f4, StencilExtremum<true, true>)
GPUNP_STENCIL(stencil_minimum, StencilExtremum<true, false>)
GPUNP_STENCIL(stencil_maximum_f4, StencilExtremum<false, true>)
GPUNP_STENCIL(stencil_maximum, StencilExtremum<false, false>)
GPUNP_STENCIL(stencil_rank_u4, StencilRank<uint32_t>)
GPUNP_STENCIL(stencil_rank_u8, StencilRank<uint64_t>)
"""

RANK = """#include "gpunp/ndimage/median.h"
#include "gpunp/ndimage/rank_tile.h"

GPUNP_MEDIAN(median_3_f4, float, 3)
GPUNP_MEDIAN(median_5_f4, float, 5)
GPUNP_RANK_TILE(rank_tile_u4, uint32_t)
GPUNP_RANK_TILE(rank_tile_u8, uint64_t)
"""


MEDIAN_SIZES = (7, 9, 11, 13, 15)
MEDIAN = '#include "gpunp/ndimage/median_network.h"\n\n' + "".join(
    f"GPUNP_MEDIAN_NETWORK(median_{size}_u4, {size})\n" for size in MEDIAN_SIZES
)


def units():
    """Map unit names to sources."""
    return {
        "ndimage_separable": SEPARABLE,
        "ndimage_stencil": STENCIL,
        "ndimage_rank": RANK,
        "ndimage_median": MEDIAN,
    }
