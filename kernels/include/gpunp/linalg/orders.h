// Row exchanges: LAPACK's list of swaps and the order of the rows, each from the other.
#pragma once
#include "gpunp/linalg/band_params.h"
#include "gpunp/linalg/scalar.h"

namespace gpunp {
namespace linalg {

// order: the row of the matrix that ends at each place after the swaps. The swaps follow one another.
GPUNP_HD void order_of_swaps(const Team& team, const OrderParams& p, int64_t index) {
    const int32_t* swaps = p.swaps + index * p.steps;
    int32_t* order = p.order + index * p.n;
    for (int64_t i = team.rank; i < p.n; i += team.size) order[i] = (int32_t)i;
    team.sync();
    if (team.rank) return;
    for (int64_t k = 0; k < p.steps; k++) {
        const int32_t at = swaps[k];
        // LAPACK's swaps are in the matrix, those of a caller may be anything.
        if (at < 0 || at >= p.n || at == k) continue;
        const int32_t row = order[k];
        order[k] = order[at], order[at] = row;
    }
}

}  // namespace linalg
}  // namespace gpunp
