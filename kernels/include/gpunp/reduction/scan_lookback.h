// How the tiles of a scan obtain their prefixes.
//
// The prefix of a tile is G + (the aggregates before it in its group), summed in a fixed order, where G, the
// prefix of the group, is published by the last tile of the previous group. So no sum depends on which tile
// finishes first, and the serial chain has one link per group instead of one per tile.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/reduction/scan_params.h"
#include "gpunp/reduction/scan_vector.h"

namespace gpunp {

// Publication between blocks: the value, a fence, then the flag (volatile: every poll reads it).
__device__ __forceinline__ void raise_flag(uint32_t* flag) {
    *(volatile uint32_t*)flag = 1;
}
__device__ __forceinline__ bool flag_raised(const uint32_t* flag) {
    return *(const volatile uint32_t*)flag != 0;
}
// Reads through the L2 cache, where the values of other blocks are.
template <class A>
__device__ __forceinline__ Vector<A> load_published(const Vector<A>* p) {
    Vector<A> value;
    VectorAccess<A>::unpack(__ldcg((const typename VectorAccess<A>::type*)p), value);
    return value;
}

// Every four bytes of a value share a word with a mark, so that a published value is read without a fence or
// a second load: the flat cumulative sum of 2^28 floats takes 0.94 ms instead of 1.10 ms.
template <class A>
struct Published {
    static constexpr int WORDS = sizeof(A) / 4;
    uint64_t word[WORDS];

    static __device__ __forceinline__ void store(char* to, int64_t place, A value) {
        uint32_t bits[WORDS];
        __builtin_memcpy(bits, &value, sizeof(A));
        uint64_t* words = reinterpret_cast<uint64_t*>(to) + place * WORDS;
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i),
                         "l"((uint64_t)bits[i] << 32 | 1)
                         : "memory");
    }
    __device__ __forceinline__ void load(const char* from, int64_t place) {
        const uint64_t* words = reinterpret_cast<const uint64_t*>(from) + place * WORDS;
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word[i]) : "l"(words + i) : "memory");
    }
    __device__ __forceinline__ bool ready() const {
        uint64_t marks = 1;
#pragma unroll
        for (int i = 0; i < WORDS; i++) marks &= word[i];
        return marks;
    }
    __device__ __forceinline__ A value() const {
        uint32_t bits[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; i++) bits[i] = (uint32_t)(word[i] >> 32);
        A x;
        __builtin_memcpy(&x, bits, sizeof(A));
        return x;
    }
};

template <class A>
__device__ __forceinline__ A await_published(const char* from, int64_t place) {
    Published<A> found;
    do {
        found.load(from, place);
    } while (!found.ready());
    return found.value();
}

// Called by one warp: publishes the aggregate of tile `k` of a row and returns the prefix of the tile, which
// is undefined for tile 0.
template <class F>
__device__ __forceinline__ typename F::A look_back_rows(const ScanParams& p, int64_t row, int64_t k,
                                                        typename F::A aggregate, int lane) {
    using A = typename F::A;
    constexpr int EACH = SCAN_GROUP_ROWS / 32;
    const int64_t group = k / SCAN_GROUP_ROWS;
    const int place = (int)(k % SCAN_GROUP_ROWS);
    const int64_t groups = (p.tiles + SCAN_GROUP_ROWS - 1) / SCAN_GROUP_ROWS;
    const bool last = k + 1 == p.tiles;
    if (lane == 0 && !last) Published<A>::store(p.aggregates, row * p.tiles + k, aggregate);
    A prefix{};
    if (place > 0) {
        const int64_t first = row * p.tiles + group * SCAN_GROUP_ROWS + lane * EACH;
        A sum{};
        if constexpr (sizeof(A) <= 8) {
            Published<A> found[EACH];
            bool ready;
            do {
                ready = true;
#pragma unroll
                for (int i = 0; i < EACH; i++)
                    if (lane * EACH + i < place) found[i].load(p.aggregates, first + i);
#pragma unroll
                for (int i = 0; i < EACH; i++)
                    if (lane * EACH + i < place) ready &= found[i].ready();
            } while (!warp::all(ready));
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                if (lane * EACH + i < place) {
                    A next = found[i].value();
                    sum = i == 0 ? next : F::apply(sum, next, p.op);
                }
            }
        } else {
            // One after another: together they would not fit into the registers.
#pragma unroll 1
            for (int i = 0; i < EACH && lane * EACH + i < place; i++) {
                A next = await_published<A>(p.aggregates, first + i);
                sum = i == 0 ? next : F::apply(sum, next, p.op);
            }
            __syncwarp();
        }
        sum = warp::inclusive_scan(sum, lane, [&](A before, A own) { return F::apply(before, own, p.op); });
        prefix = warp::shuffle(sum, (place - 1) / EACH);
    }
    if (group > 0) {
        A before = await_published<A>(p.groups, row * groups + group);
        prefix = place > 0 ? F::apply(before, prefix, p.op) : before;
    }
    if (lane == 0 && place == SCAN_GROUP_ROWS - 1 && !last)
        Published<A>::store(p.groups, row * groups + group + 1, F::apply(prefix, aggregate, p.op));
    return prefix;
}

}  // namespace gpunp
