// Selection on the host: std::nth_element once per rank, each on the elements beyond the previous rank.
#pragma once
#include <algorithm>
#include <memory>

namespace gpunp {

// A rank, and its position in the list of requested ranks.
struct HostRank {
    int64_t rank;
    int32_t place;
};

inline int host_ranks(const SelectionParams& p, int64_t row, HostRank* ranks) {
    for (int j = 0; j < p.num_ranks; j++) ranks[j] = {wanted_rank(p, row, j), j};
    std::sort(ranks, ranks + p.num_ranks, [](HostRank a, HostRank b) { return a.rank < b.rank; });
    return p.num_ranks;
}

// Puts the element of each rank into its place; `less` compares elements.
template <class T, class Less>
void select_ranks(T* first, int64_t length, const HostRank* ranks, int count, Less less) {
    int64_t from = 0;
    for (int j = 0; j < count; j++) {
        if (ranks[j].rank < from) continue;
        // Directly after the previous rank: the least of the remaining elements.
        if (ranks[j].rank == from && from > 0)
            std::swap(first[from], *std::min_element(first + from, first + length, less));
        else
            std::nth_element(first + from, first + ranks[j].rank, first + length, less);
        from = ranks[j].rank + 1;
    }
}

template <class U>
void selection_rows_host(const void* params) {
    const SelectionParams& p = *static_cast<const SelectionParams*>(params);
    const U* data = reinterpret_cast<const U*>(p.data);
    HostRank ranks[SELECTION_RANKS];
    std::unique_ptr<U[]> keys(p.partition ? nullptr : new U[p.length]);
    for (int64_t row = 0; row < p.rows; row++, data += p.length) {
        const int count = host_ranks(p, row, ranks);
        if (p.indices) {
            int64_t* order = p.indices + row * p.length;
            for (int64_t i = 0; i < p.length; i++) order[i] = i;
            select_ranks(order, p.length, ranks, count, [&](int64_t a, int64_t b) {
                return selection_key(data[a], p.kind) < selection_key(data[b], p.kind);
            });
        } else if (p.partition) {
            U* out = reinterpret_cast<U*>(p.out) + row * p.length;
            std::copy(data, data + p.length, out);
            select_ranks(out, p.length, ranks, count,
                         [&](U a, U b) { return selection_key(a, p.kind) < selection_key(b, p.kind); });
        } else {
            U greatest = 0;
            for (int64_t i = 0; i < p.length; i++) {
                keys[i] = selection_key(data[i], p.kind);
                greatest = std::max(greatest, keys[i]);
            }
            const bool nan = p.nan_wins && p.kind == SELECT_FLOAT && greatest == greatest_key<U>();
            if (!nan) select_ranks(keys.get(), p.length, ranks, count, [](U a, U b) { return a < b; });
            for (int j = 0; j < count; j++) {
                const U key = nan ? greatest : keys[ranks[j].rank];
                reinterpret_cast<U*>(p.out)[ranks[j].place * p.out_stride + row] =
                    selection_bits(key, p.kind);
            }
        }
    }
}

}  // namespace gpunp
