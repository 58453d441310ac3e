// Selection by a boolean condition: the bits of the condition, and what is read or written where they are
// set.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/indexing/gather.h"
#include "gpunp/indexing/mask_params.h"
#include "gpunp/kernel.h"

namespace gpunp {

// Not inlined: divisions are long, and the loops around the call are unrolled.
template <class Params>
GPUNP_HD_CALLED int64_t element_offset(const Params& p, int64_t i) {
    int64_t offset = 0;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const int64_t rest = d == 0 ? 0 : i / p.shape[d];
        offset += (i - rest * p.shape[d]) * p.strides[d];
        i = rest;
    }
    return offset;
}

// The number of the value for element i, which has the set bit number `rank`.
GPUNP_HD_CALLED int64_t value_of(const SelectParams& p, int64_t i, int64_t rank) {
    const int64_t at = p.mode == EXPAND_POSITION ? i : rank;
    return p.mode == EXPAND_EXACT ? at : at % p.packed_size;
}

// Whether there is exactly one value per set bit, if the mode requires that.
GPUNP_HD bool values_fit(const SelectParams& p) {
    return p.mode != EXPAND_EXACT || *p.total == p.packed_size;
}

GPUNP_HD_CALLED void write_position(const PositionsParams& p, int64_t i, int64_t rank) {
    int64_t* to = p.positions + rank * p.item_stride;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const int64_t rest = d == 0 ? 0 : i / p.shape[d];
        to[d * p.axis_stride] = i - rest * p.shape[d];
        i = rest;
    }
}

}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/indexing/mask_device.h"
#else
#include "gpunp/indexing/mask_host.h"
#endif
