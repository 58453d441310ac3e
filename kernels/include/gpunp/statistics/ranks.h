// Ranks of the elements of sorted rows, written to the places where the elements come from.
//
// Equal elements are neighbors, so each finds the first and the last of its group by growing steps: no scan
// is needed, and where all elements differ only their neighbors are read.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/statistics/ranks_params.h"

namespace gpunp {
namespace ranks {

// How far elements equal to `row[at]` reach in a direction, within `room` elements.
template <class Key>
GPUNP_HD int64_t reach(const Key* row, int64_t at, int direction, int64_t room) {
    const Key value = row[at];
    int64_t equal = 0, step = 1;
    while (equal + step <= room && row[at + direction * (equal + step)] == value) {
        equal += step;
        step *= 2;
    }
    // Elements at `equal` are equal, those at `equal + step` are not, or not in the row.
    for (step /= 2; step > 0; step /= 2)
        if (equal + step <= room && row[at + direction * (equal + step)] == value) equal += step;
    return equal;
}

template <class Key>
GPUNP_HD void rank_one(const RanksParams& p, int64_t row, int64_t i) {
    const Key* keys = static_cast<const Key*>(p.sorted) + row * p.n;
    double rank = (double)(i + 1);
    if (p.method == RANK_MIN || p.method == RANK_AVERAGE) rank -= (double)reach(keys, i, -1, i);
    if (p.method == RANK_MAX) rank += (double)reach(keys, i, 1, p.n - 1 - i);
    if (p.method == RANK_AVERAGE) rank = (rank + (double)(i + 1 + reach(keys, i, 1, p.n - 1 - i))) * 0.5;
    const int64_t judge = p.nans == NANS_SPREAD ? p.n - 1 : i;
    // Only NaN differs from itself.
    if (p.nans != NANS_RANKED && keys[judge] != keys[judge]) rank = nan("");
    const int64_t place = row * p.n + p.order[row * p.n + i];
    if (p.type == RANKS_F4)
        static_cast<float*>(p.out)[place] = (float)rank;
    else if (p.type == RANKS_F8)
        static_cast<double*>(p.out)[place] = rank;
    else
        static_cast<int64_t*>(p.out)[place] = (int64_t)rank;
}

#if GPUNP_ON_DEVICE
template <class Key>
__device__ __forceinline__ void rank_all(const RanksParams& p) {
    const int64_t step = (int64_t)gridDim.x * RANKS_BLOCK, size = p.rows * p.n;
    for (int64_t i = (int64_t)blockIdx.x * RANKS_BLOCK + threadIdx.x; i < size; i += step) {
        const int64_t row = p.rows == 1 ? 0 : i / p.n;
        rank_one<Key>(p, row, i - row * p.n);
    }
}

#define GPUNP_RANKS(name, Key)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::RANKS_BLOCK) \
        ranks_##name(const __grid_constant__::gpunp::RanksParams p) {  \
        ::gpunp::ranks::rank_all<Key>(p);                              \
    }
#else
template <class Key>
void rank_all(const void* params) {
    const RanksParams& p = *static_cast<const RanksParams*>(params);
    parallel_for(p.rows * p.n, grain_of(8), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const int64_t row = p.rows == 1 ? 0 : i / p.n;
            rank_one<Key>(p, row, i - row * p.n);
        }
    });
}

#define GPUNP_RANKS(name, Key) GPUNP_HOST_KERNEL(ranks_##name, ::gpunp::ranks::rank_all<Key>);
#endif

}  // namespace ranks
}  // namespace gpunp
