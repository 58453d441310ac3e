// Parameters of the kernels of ranks, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int { RANKS_BLOCK = 256 };

// The rank of each of equal elements.
enum : int { RANK_ORDINAL = 0, RANK_MIN = 1, RANK_MAX = 2, RANK_AVERAGE = 3 };

// The type of ranks.
enum : int { RANKS_F4 = 0, RANKS_F8 = 1, RANKS_I8 = 2 };

// Which ranks are NaN: of no element, of all in a row with a NaN, of the elements that are NaN.
enum : int { NANS_RANKED = 0, NANS_SPREAD = 1, NANS_KEPT = 2 };

struct RanksParams {
    const void* sorted;  // (rows, n), each row in order, NaN last
    const int64_t* order;
    void* out;
    int64_t rows, n;
    int32_t method, type, nans;
};

}  // namespace gpunp
