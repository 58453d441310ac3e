// Unions and intersections of two arrays of compressed rows. Threads get equal pieces of the line in which
// the entries of both come, whatever the lengths of rows: O. Green, R. McColl and D. Bader, "GPU merge path:
// a GPU merging algorithm", ICS 2012.
#pragma once
#include "gpunp/sparse/merge_tiles.h"
#if GPUNP_ON_DEVICE
#include "gpunp/common/async_copies.h"
#include "gpunp/common/block.h"
#endif

namespace gpunp {
namespace sparse {

// Rows of a tile from which on starts are searched for each entry, instead of marking those of all rows.
constexpr int64_t MOST_MARKED = 8 * MERGES_TILE;

#if GPUNP_ON_DEVICE

template <class I>
__device__ __forceinline__ void find_tiles(const MergeParams& p) {
    const int64_t number = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x;
    if (number <= p.tiles) find_tile<I>(p, number);
}
template <class I>
__device__ __forceinline__ void write_starts(const MergeParams& p) {
    const int64_t row = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x;
    if (row <= p.rows) write_start<I>(p, row);
}

// Whether the values of a tile are copied to shared memory with its columns, while the threads merge. Those
// of intersections are not, most of which are not needed, nor those for which there is not enough room.
template <class T, bool UNION>
constexpr bool ARE_COPIED = UNION && (sizeof(T) == 4 || sizeof(T) == 8);

// Starts the copies of a tile's columns and, in a second group, of its values.
template <class T, class I, bool WITH_VALUES>
__device__ __forceinline__ void load(const MergeParams& p, const Line<I>& line, const Tile& tile,
                                     const Slots<I>& slots, T* copied) {
#pragma unroll
    for (int s = 0; s < MERGES_EACH; s++) {
        const int k = threadIdx.x + s * MERGES_BLOCK;
        if (k < tile.size) async::copy(&slots.column(k + 1), slots.source(line, tile, k));
    }
    async::end_group();
    if constexpr (WITH_VALUES) {
        const Values<T> from = Values<T>::of(p, tile);
#pragma unroll
        for (int s = 0; s < MERGES_EACH; s++) {
            const int k = threadIdx.x + s * MERGES_BLOCK;
            if (k < tile.size) async::copy(copied + k, k < tile.of_a ? from.a + k : from.b + (k - tile.of_a));
        }
        // That of the entry behind.
        if (threadIdx.x == 32 && tile.b_begin + tile.of_b < p.b_entries)
            async::copy(copied + tile.size, from.b + tile.of_b);
    }
    async::end_group();
    if (threadIdx.x == 0) slots.load_first(line, tile);
    // What is behind a smaller tile is the end.
    if (threadIdx.x == 32 && tile.size == MERGES_TILE) slots.load_last(line, tile);
}

// Gives each entry the start of its row: the greatest one that is marked up to there.
template <class I>
__device__ __forceinline__ void spread_starts(const Line<I>& line, const Tile& tile, const Slots<I>& slots,
                                              int (&of_warps)[MERGES_BLOCK / 32]) {
    const auto greatest = [](int a, int b) { return greatest_of(a, b); };
    const int begin = threadIdx.x * MERGES_EACH, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    Starts* const place = (Starts*)&slots.start(begin + 1);
    Starts own;
#pragma unroll
    for (int s = 0; s < MERGES_EACH; s++) own.values[s] = (uint16_t)(begin + s == tile.of_a ? FROM_B : 0);
    *place = own;
    __syncthreads();
    for (int64_t row = tile.row + 1 + threadIdx.x; row <= tile.last; row += MERGES_BLOCK)
        slots.mark(line, tile, row);
    __syncthreads();
    own = *place;
    int most = 0;
#pragma unroll
    for (int s = 0; s < MERGES_EACH; s++) most = greatest_of<int>(most, own.values[s]);
    const int up_to = warp::inclusive_scan(most, lane, greatest);
    if (lane == 31) of_warps[warp] = up_to;
    int now = warp::shuffle_up(up_to, 1);
    if (lane == 0) now = 0;
    __syncthreads();
    for (int w = 0; w < warp; w++) now = greatest_of(now, of_warps[w]);
#pragma unroll
    for (int s = 0; s < MERGES_EACH; s++) {
        now = greatest_of<int>(now, own.values[s]);
        own.values[s] = (uint16_t)(begin + s < tile.size ? now & (FROM_B - 1) : NO_ROW);
    }
    *place = own;
}
template <class I>
__device__ __forceinline__ void search_starts(const Line<I>& line, const Tile& tile, const Slots<I>& slots) {
    for (int k = threadIdx.x; k < MERGES_TILE; k += MERGES_BLOCK)
        slots.start(k + 1) = (uint16_t)(k < tile.size ? slots.found_start(line, tile, k) : NO_ROW);
}

// Publishes the number of entries of a tile and returns that of the tiles before; called by a warp. D.
// Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA, 2016.
__device__ __forceinline__ int64_t look_back(const MergeParams& p, int64_t tile, int total) {
    volatile uint64_t* states = p.states;
    const int lane = threadIdx.x & 31;
    if (lane == 0) states[tile] = state_of(total, tile ? STATE_OF_TILE : STATE_UP_TO_END);
    int64_t before = 0;
    for (int64_t last = tile - 1; last >= 0; last -= 32) {
        // Lane 0 has the nearest tile. What comes before the first one counts as the end of nothing.
        uint64_t state = STATE_UP_TO_END;
        do {
            if (last - lane >= 0) state = states[last - lane];
        } while (!warp::all((state & 3) != 0));
        const unsigned ends = warp::ballot((state & 3) == STATE_UP_TO_END);
        const int nearest = ends ? __ffs(ends) - 1 : 31;
        before += warp::sum(lane <= nearest ? entries_of(state) : (int64_t)0);
        if (ends) break;
    }
    if (lane == 0) {
        if (tile) states[tile] = state_of(before + total, STATE_UP_TO_END);
        if (tile == p.tiles - 1) p.found[0] = before + total;
    }
    return before;
}

// Writes the entries of a tile, some of whose values are loaded before the first one is used.
template <class T, class I, class Operation>
__device__ __forceinline__ void write(const MergeParams& p, const Values<T>& values, const Slots<I>& slots,
                                      const uint32_t* sources, int total, int64_t first) {
    constexpr int EACH = sizeof(T) > 8 ? 2 : 4;
    for (int from = threadIdx.x; from < total; from += EACH * MERGES_BLOCK) {
        Operands<T> operands[EACH];
        uint32_t source[EACH];
#pragma unroll
        for (int n = 0; n < EACH; n++) {
            const int k = from + n * MERGES_BLOCK;
            source[n] = k < total ? sources[spaced(k)] : 0;
            if (k < total) operands[n].load(values, source[n]);
        }
#pragma unroll
        for (int n = 0; n < EACH; n++) {
            const int k = from + n * MERGES_BLOCK;
            if (k < total) write_entry<T, I, Operation>(p, slots, source[n], operands[n], first + k);
        }
    }
}

template <class T, class I, class Operation, bool UNION>
__device__ __forceinline__ void merge(const MergeParams& p) {
    constexpr bool WITH_VALUES = ARE_COPIED<T, UNION>;
    __shared__ I columns[spaced(Slots<I>::ROOM)];
    __shared__ alignas(16) uint16_t starts[Slots<I>::ROOM + MERGES_EACH];
    __shared__ uint32_t sources[spaced(MERGES_TILE)];
    __shared__ alignas(16) unsigned char memory[WITH_VALUES ? (MERGES_TILE + 1) * sizeof(T) : 1];
    // Aligned, as it is read 16 bytes at a time: with bytes of the values before, racecheck would report
    // these.
    __shared__ alignas(16) int of_warps[MERGES_BLOCK / 32];
    __shared__ int64_t taken, first;
    // Tiles are taken in order, so that those before are under way.
    if (threadIdx.x == 0) taken = (int64_t)atomicAdd((unsigned long long*)(p.states + p.tiles), 1ull);
    __syncthreads();
    const int64_t number = taken;
    const Line<I> line(p);
    const Tile tile(p, number);
    const Slots<I> slots{columns, starts, tile.of_a};
    T* const copied = (T*)memory;
    load<T, I, WITH_VALUES>(p, line, tile, slots, copied);
    if (tile.last - tile.row <= MOST_MARKED)
        spread_starts(line, tile, slots, of_warps);
    else
        search_starts(line, tile, slots);
    // The values may still be on their way, unless they decide on what is kept.
    async::wait<Operation::PRUNES ? 0 : 1>();
    __syncthreads();
    const Values<T> values = WITH_VALUES ? Values<T>{copied, copied + tile.of_a} : Values<T>::of(p, tile);
    uint32_t own[MERGES_EACH];
    const int begin = threadIdx.x * MERGES_EACH;
    unsigned mask = merge_piece<I, UNION>(tile, slots, begin, own);
    mask = pruned<T, Operation>(values, own, mask);
    int total;
    int rank = block::exclusive_sum<MERGES_BLOCK>(__popc(mask), of_warps, total);
    if (threadIdx.x < 32) {
        const int64_t before = look_back(p, number, total);
        if (threadIdx.x == 0) first = before;
    }
    if (begin < tile.size) p.pieces[tile.begin / MERGES_EACH + threadIdx.x] = (uint32_t)rank << 8 | mask;
    GPUNP_UNROLL
    for (int s = 0; s < MERGES_EACH; s++)
        if (mask >> s & 1) sources[spaced(rank++)] = own[s];
    async::wait_for_all();
    __syncthreads();
    write<T, I, Operation>(p, values, slots, sources, total, first);
}

// As many blocks at once as their shared memory allows with int32 indices and doubles.
#define GPUNP_MERGES(name, ...)                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::MERGES_BLOCK, 6)   \
        sparse_merge_##name(const __grid_constant__::gpunp::MergeParams p) { \
        ::gpunp::sparse::__VA_ARGS__(p);                                     \
    }

#else

template <class I>
void find_tiles(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    for (int64_t number = 0; number <= p.tiles; number++) find_tile<I>(p, number);
}
template <class I>
void write_starts(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    for (int64_t row = 0; row <= p.rows; row++) write_start<I>(p, row);
}
template <class I>
void load(const Line<I>& line, const Tile& tile, const Slots<I>& slots) {
    slots.load_first(line, tile);
    for (int k = 0; k < tile.size; k++) slots.column(k + 1) = *slots.source(line, tile, k);
    const bool is_marked = tile.last - tile.row <= MOST_MARKED;
    for (int k = 0; k < tile.size; k++)
        slots.start(k + 1) =
            (uint16_t)(is_marked ? (k == tile.of_a ? FROM_B : 0) : slots.found_start(line, tile, k));
    if (is_marked) {
        for (int64_t row = tile.row + 1; row <= tile.last; row++) slots.mark(line, tile, row);
        int now = 0;
        for (int k = 0; k < tile.size; k++) {
            now = greatest_of<int>(now, slots.start(k + 1));
            slots.start(k + 1) = (uint16_t)(now & (FROM_B - 1));
        }
    }
    slots.load_last(line, tile);
}
// The threads of a block one after another.
template <class T, class I, class Operation, bool UNION>
void merge(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    const Line<I> line(p);
    I columns[spaced(Slots<I>::ROOM)];
    uint16_t starts[Slots<I>::ROOM + MERGES_EACH];
    uint32_t sources[MERGES_EACH];
    for (int64_t number = 0; number < p.tiles; number++) {
        const Tile tile(p, number);
        const Slots<I> slots{columns, starts, tile.of_a};
        const Values<T> values = Values<T>::of(p, tile);
        load(line, tile, slots);
        const int64_t first = p.found[0];
        for (int begin = 0; begin < tile.size; begin += MERGES_EACH) {
            unsigned mask = merge_piece<I, UNION>(tile, slots, begin, sources);
            mask = pruned<T, Operation>(values, sources, mask);
            p.pieces[(tile.begin + begin) / MERGES_EACH] = (uint32_t)(p.found[0] - first) << 8 | mask;
            for (int s = 0; s < MERGES_EACH; s++) {
                if (!(mask >> s & 1)) continue;
                Operands<T> operands;
                operands.load(values, sources[s]);
                write_entry<T, I, Operation>(p, slots, sources[s], operands, p.found[0]++);
            }
        }
        p.states[number] = state_of(p.found[0], STATE_UP_TO_END);
    }
}

#define GPUNP_MERGES(name, ...) GPUNP_HOST_KERNEL(sparse_merge_##name, (::gpunp::sparse::__VA_ARGS__));

#endif

}  // namespace sparse
}  // namespace gpunp
