// Selection on the host: a sample gives a window of keys around the wanted rank, one pass takes the elements
// apart, and std::nth_element orders the window. Short rows, and several ranks, go to std::nth_element at
// once.
#pragma once
#include <algorithm>
#include <memory>

#include "gpunp/common/host_pool.h"

namespace gpunp {

constexpr int64_t SAMPLED_LENGTH = 1 << 15;  // rows of at least this length are sampled
constexpr int SAMPLE = 4096, SAMPLE_MARGIN = 160;
constexpr int SELECTION_PARTS = 64;  // of a row, for threads; the result is the same for any number of them

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

// The keys from `least` to `greatest`, which the elements of the ranks probably have.
template <class U>
struct Window {
    U least, greatest;

    Window(const U* data, int kind, int64_t length, int64_t first_rank, int64_t last_rank) {
        U sample[SAMPLE];
        // Irregular steps, because data may be periodic.
        uint64_t at = 0;
        for (int i = 0; i < SAMPLE; i++) {
            at += 0x9e3779b97f4a7c15ull;
            sample[i] = selection_key(data[(int64_t)((unsigned __int128)at * (uint64_t)length >> 64)], kind);
        }
        std::sort(sample, sample + SAMPLE);
        const int low = (int)((double)first_rank / length * SAMPLE) - SAMPLE_MARGIN;
        const int high = (int)((double)last_rank / length * SAMPLE) + SAMPLE_MARGIN;
        least = low < 0 ? (U)0 : sample[low];
        greatest = high >= SAMPLE ? greatest_key<U>() : sample[high];
    }
    // 0 below the window, 1 inside, 2 above.
    int side(U key) const { return (key >= least) + (key > greatest); }
};

// Where the parts of a row put their elements on each side of a window.
struct Sides {
    int64_t parts, length;
    int64_t at[SELECTION_PARTS][3];
    int64_t below, inside;

    int64_t start(int64_t part) const { return length / parts * part + std::min(part, length % parts); }
    template <class F>
    void each(F&& body) const {
        parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
            for (int64_t part = begin; part < end; part++) body(part, start(part), start(part + 1));
        });
    }
    template <class U>
    Sides(const U* data, int kind, int64_t n, const Window<U>& window)
        : parts(std::min<int64_t>(SELECTION_PARTS, n / (SAMPLED_LENGTH / 2))), length(n) {
        each([&](int64_t part, int64_t begin, int64_t end) {
            int64_t reach = 0, beyond = 0;
            for (int64_t i = begin; i < end; i++) {
                const U key = selection_key(data[i], kind);
                reach += key >= window.least;
                beyond += key > window.greatest;
            }
            at[part][0] = end - begin - reach;
            at[part][1] = reach - beyond;
            at[part][2] = beyond;
        });
        int64_t sum = 0, ends[3];
        for (int side = 0; side < 3; side++) {
            for (int64_t part = 0; part < parts; part++) {
                const int64_t count = at[part][side];
                at[part][side] = sum;
                sum += count;
            }
            ends[side] = sum;
        }
        below = ends[0];
        inside = ends[1] - ends[0];
    }
    bool holds(const HostRank* ranks, int count) const {
        return ranks[0].rank >= below && ranks[count - 1].rank < below + inside;
    }
};

// Elements, or their positions, apart by the window; then only the window's need ordering.
template <class U, class T, class Make, class Less>
bool take_apart(const U* data, const SelectionParams& p, T* out, const HostRank* ranks, int count, Make make,
                Less less) {
    const Window<U> window(data, p.kind, p.length, ranks[0].rank, ranks[count - 1].rank);
    const Sides sides(data, p.kind, p.length, window);
    if (!sides.holds(ranks, count)) return false;
    sides.each([&](int64_t part, int64_t begin, int64_t end) {
        T* to[3];
        for (int side = 0; side < 3; side++) to[side] = out + sides.at[part][side];
        for (int64_t i = begin; i < end; i++) *to[window.side(selection_key(data[i], p.kind))]++ = make(i);
    });
    HostRank inside[SELECTION_RANKS];
    for (int j = 0; j < count; j++) inside[j] = {ranks[j].rank - sides.below, ranks[j].place};
    select_ranks(out + sides.below, sides.inside, inside, count, less);
    return true;
}

// The keys of the ranks; `keys` has room for the row.
template <class U>
void select_keys(const U* data, const SelectionParams& p, U* keys, const HostRank* ranks, int count,
                 U* found) {
    if (p.length >= SAMPLED_LENGTH) {
        const Window<U> window(data, p.kind, p.length, ranks[0].rank, ranks[count - 1].rank);
        const Sides sides(data, p.kind, p.length, window);
        if (sides.holds(ranks, count)) {
            sides.each([&](int64_t part, int64_t begin, int64_t end) {
                const int64_t mine =
                    part + 1 < sides.parts ? sides.at[part + 1][1] : sides.below + sides.inside;
                U *to = keys + sides.at[part][1] - sides.below, *const stop = keys + mine - sides.below;
                for (int64_t i = begin; i < end && to != stop; i++) {
                    *to = selection_key(data[i], p.kind);
                    to += window.side(*to) == 1;
                }
            });
            HostRank inside[SELECTION_RANKS];
            for (int j = 0; j < count; j++) inside[j] = {ranks[j].rank - sides.below, j};
            select_ranks(keys, sides.inside, inside, count, [](U a, U b) { return a < b; });
            for (int j = 0; j < count; j++) found[j] = keys[inside[j].rank];
            return;
        }
    }
    for (int64_t i = 0; i < p.length; i++) keys[i] = selection_key(data[i], p.kind);
    select_ranks(keys, p.length, ranks, count, [](U a, U b) { return a < b; });
    for (int j = 0; j < count; j++) found[j] = keys[ranks[j].rank];
}

template <class U>
bool has_nan(const U* data, const SelectionParams& p) {
    if (!p.nan_wins || p.kind != SELECT_FLOAT) return false;
    uint32_t nan = 0;
    parallel_for(p.length, POOL_GRAIN, [&](int64_t begin, int64_t end) {
        uint32_t any = 0;
        for (int64_t i = begin; i < end; i++) any |= (U)(data[i] & (U)~top_bit<U>()) > infinity_bits<U>();
        ChunkStatus::add(&nan, any);
    });
    return nan;
}

template <class U>
void selection_row(const SelectionParams& p, int64_t row, U* keys) {
    const U* data = reinterpret_cast<const U*>(p.data) + row * p.length;
    HostRank ranks[SELECTION_RANKS];
    const int count = host_ranks(p, row, ranks);
    const bool apart = p.partition && p.length >= SAMPLED_LENGTH;
    if (p.indices) {
        int64_t* order = p.indices + row * p.length;
        const auto less = [&](int64_t a, int64_t b) {
            return selection_key(data[a], p.kind) < selection_key(data[b], p.kind);
        };
        if (apart && take_apart(data, p, order, ranks, count, [](int64_t i) { return i; }, less)) return;
        for (int64_t i = 0; i < p.length; i++) order[i] = i;
        select_ranks(order, p.length, ranks, count, less);
    } else if (p.partition) {
        U* out = reinterpret_cast<U*>(p.out) + row * p.length;
        const auto less = [&](U a, U b) { return selection_key(a, p.kind) < selection_key(b, p.kind); };
        if (apart && take_apart(data, p, out, ranks, count, [&](int64_t i) { return data[i]; }, less)) return;
        std::copy(data, data + p.length, out);
        select_ranks(out, p.length, ranks, count, less);
    } else {
        U found[SELECTION_RANKS];
        if (has_nan(data, p))
            for (int j = 0; j < count; j++) found[j] = greatest_key<U>();
        else
            select_keys(data, p, keys, ranks, count, found);
        for (int j = 0; j < count; j++)
            reinterpret_cast<U*>(p.out)[ranks[j].place * p.out_stride + row] =
                selection_bits(found[j], p.kind);
    }
}

template <class U>
void selection_rows_host(const void* params) {
    const SelectionParams& p = *static_cast<const SelectionParams*>(params);
    const auto some = [](const SelectionParams& own, int64_t begin, int64_t end) {
        std::unique_ptr<U[]> keys(own.partition ? nullptr : new U[own.length]);
        for (int64_t row = begin; row < end; row++) selection_row(own, row, keys.get());
    };
    if (p.length >= SAMPLED_LENGTH)
        some(p, 0, p.rows);
    else
        parallel_with(p, p.rows, grain_of(8 * p.length), some);
}

}  // namespace gpunp
