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

#if GPUNP_ON_DEVICE

template <class I>
__device__ __forceinline__ void find_tiles(const MergeParams& p) {
    const int64_t number = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x;
    if (number <= p.tiles) find_tile<I>(p, number);
}
// Writes the starts of rows that tiles have left.
template <class I>
__device__ __forceinline__ void write_starts(const MergeParams& p) {
    if (!p.found[3]) return;
    const int64_t stride = (int64_t)gridDim.x * MERGES_BLOCK;
    for (int64_t row = (int64_t)blockIdx.x * MERGES_BLOCK + threadIdx.x; row <= p.rows; row += stride) {
        write_start<I>(p, row);
    }
}

// Whether the values of a tile are copied to shared memory with its columns, while the threads merge. Those
// of intersections are not, most of which are not needed, nor those for which there is not enough room.
template <class T, bool UNION>
constexpr bool ARE_COPIED = UNION && sizeof(T) <= 8;

// Starts the copy of some elements of an array to shared memory, 16 bytes at a time; elements beside them are
// copied, too, if they are in the same 16 bytes.
template <class T>
__device__ __forceinline__ void start_copy(const T* array, int64_t entries, int64_t first, int count, T* to,
                                           int at) {
    constexpr int N = WITHIN<T>;
    struct alignas(16) Piece {
        T values[N];
    };
    // The first element, and the end, that the array has.
    const int low = first < at ? at - (int)first : 0;
    const int high = (int)least_of<int64_t>(entries - first, count + N) + at;
    const T* const from = array + first - at;
#pragma unroll 1
    for (int k = at / N * N + (int)threadIdx.x * N; k < at + count; k += MERGES_BLOCK * N) {
        if (k >= low && k + N <= high) {
            async::copy((Piece*)(to + k), (const Piece*)(from + k));
        } else {
#pragma unroll 1
            for (int n = greatest_of(k, low); n < least_of(k + N, high); n++) to[n] = from[n];
        }
    }
}

// The memory of a block.
template <class T, class I, class K, bool WITH_VALUES>
struct Shared {
    // Words of marks, as many for each warp.
    static constexpr int WORDS = (Layout<I>::ROOM + MERGES_EACH + MERGES_BLOCK - 1) / MERGES_BLOCK;
    static constexpr int ROOM = WORDS * MERGES_BLOCK;
    static constexpr bool IN_PLACE = sizeof(K) == sizeof(I);
    K keys[ROOM];
    // Columns before they are keys, and starts of rows where they are marked: before there are sources.
    union {
        uint32_t sources[MERGES_TILE];
        struct {
            alignas(16) I columns[IN_PLACE ? 1 : ROOM];
            uint16_t starts[ROOM];
        };
    };
    alignas(16) unsigned char values[WITH_VALUES ? Layout<T>::ROOM * sizeof(T) : 1];
    unsigned marks[ROOM / 32];
    alignas(16) int of_warps[MERGES_BLOCK / 32];
    uint32_t pieces[MERGES_BLOCK + 1];
    int64_t first;

    __device__ I* loaded() { return IN_PLACE ? (I*)keys : columns; }
};

// Marks the entries at which rows start, with these starts. The others are in the row of the entry before.
template <class I, class S>
__device__ __forceinline__ void mark_rows(const Line<I>& line, const Tile& tile, const Layout<I>& at,
                                          S& shared) {
#pragma unroll 1
    for (int64_t row = tile.row + 1 + threadIdx.x; row <= tile.last; row += MERGES_BLOCK) {
        const int64_t i = (int64_t)line.a_indptr[row] - tile.a_begin;
        const int64_t j = (int64_t)line.b_indptr[row] - tile.b_begin;
        const uint16_t start = (uint16_t)(i + j);
        const bool has_b = line.b_indptr[row] < line.b_indptr[row + 1];
        if (i < tile.of_a && line.a_indptr[row] < line.a_indptr[row + 1]) {
            const int k = at.a + (int)i;
            shared.starts[k] = start;
            atomicOr(&shared.marks[k >> 5], 1u << (k & 31));
        }
        if (j < tile.of_b && has_b) {
            const int k = at.b + (int)j;
            shared.starts[k] = start;
            atomicOr(&shared.marks[k >> 5], 1u << (k & 31));
        }
    }
}
// The same for all entries, by searches: where there are more rows than entries.
template <class I, class S>
__device__ __forceinline__ void search_rows(const Line<I>& line, const Tile& tile, const Layout<I>& at,
                                            S& shared) {
    for (int k = threadIdx.x; k < tile.size; k += MERGES_BLOCK) {
        const bool is_a = k < tile.of_a;
        const I* indptr = is_a ? line.a_indptr : line.b_indptr;
        const int64_t entry = is_a ? tile.a_begin + k : tile.b_begin + k - tile.of_a;
        const int64_t row = row_at(entry, tile.row, tile.last, [=](int64_t r) { return (int64_t)indptr[r]; });
        const int slot = is_a ? at.a + k : at.b + k - tile.of_a;
        shared.starts[slot] = (uint16_t)tile.start_of(line, row);
        atomicOr(&shared.marks[slot >> 5], 1u << (slot & 31));
    }
}

// Loads the columns of a tile and makes keys of them.
template <class I, class S>
__device__ __forceinline__ void make_keys(const Line<I>& line, const Tile& tile, const Layout<I>& at,
                                          S& shared) {
    using K = typename std::remove_reference<decltype(shared.keys[0])>::type;
    const int a_end = at.a + tile.of_a, b_end = at.b + tile.of_b, lane = threadIdx.x & 31;
    // No entries, and those with which both parts begin.
    for (int word = threadIdx.x; word < S::ROOM / 32; word += MERGES_BLOCK) {
        unsigned bits = 0;
#pragma unroll
        for (int n = 0; n < 5; n++) {
            const int k = n == 0 ? at.a - 1 : n == 1 ? at.a : n == 2 ? a_end : n == 3 ? at.b : b_end;
            if (k >> 5 == word) bits |= 1u << (k & 31);
        }
        shared.marks[word] = bits;
    }
    if (threadIdx.x == 0) {
        shared.starts[at.a - 1] = NO_ROW - 1;
        shared.starts[at.a] = 0;
        shared.starts[a_end] = NO_ROW;
        shared.starts[at.b] = 0;
        shared.starts[b_end] = NO_ROW;
    }
    __syncthreads();
    if (tile.last - tile.row <= MOST_ROWS)
        mark_rows(line, tile, at, shared);
    else
        search_rows(line, tile, at, shared);
    // The entries in front and behind.
    if (threadIdx.x == MERGES_BLOCK - 1 && (int64_t)line.a_indptr[tile.row] < tile.a_begin)
        shared.starts[at.a - 1] = 0;
    if (threadIdx.x == MERGES_BLOCK - 2 && tile.b_begin + tile.of_b < (int64_t)line.b_indptr[tile.last + 1])
        shared.starts[b_end] = (uint16_t)tile.start_of(line, tile.last);
    // The values may still be on their way.
    async::wait<1>();
    __syncthreads();
    const int begin = (int)threadIdx.x / 32 * S::WORDS;
    // The start that holds at the end of the words before those of this warp.
    unsigned start = 0;
    for (int last = begin - 1; last >= 0; last -= 32) {
        const unsigned bits = last >= lane ? shared.marks[last - lane] : 0, found = warp::ballot(bits != 0);
        if (found) {
            const int nearest = __ffs(found) - 1;
            start = shared.starts[(last - nearest) * 32 + 31 - __clz(warp::shuffle(bits, nearest))];
            break;
        }
    }
    const unsigned up_to = ~0u >> (31 - lane);
    const unsigned* const marks = shared.marks + begin;
    const uint16_t* const starts = shared.starts + begin * 32 + 31;
    const I* const columns = shared.loaded() + begin * 32 + lane;
    K* const keys = shared.keys + begin * 32 + lane;
#pragma unroll
    for (int w = 0; w < S::WORDS; w++) {
        const unsigned bits = marks[w] & up_to;
        if (bits) start = (starts + w * 32)[-__clz(bits)];
        keys[w * 32] = key_of<K>(start, columns[w * 32]);
        start = warp::shuffle(start, 31);
    }
    __syncthreads();
}

// Publishes the number of entries of a tile and returns that of the tiles before; called by a warp. Blocks
// start in order, so that those of the tiles before are under way. D. Merrill and M. Garland, "Single-pass
// parallel prefix scan with decoupled look-back", NVIDIA, 2016.
__device__ __forceinline__ int64_t look_back(const MergeParams& p, int64_t tile, int total) {
    volatile uint64_t* states = p.states;
    const int lane = threadIdx.x & 31;
    int64_t before = 0;
    for (int64_t last = tile - 1; last >= 0; last -= 32) {
        // Lane 0 has the nearest tile. What comes before the first one counts as the end of nothing.
        const int64_t other = last - lane;
        uint64_t state = other >= 0 ? states[other] : (uint64_t)STATE_UP_TO_END;
        while (!warp::all((state & 3) != 0)) state = states[greatest_of<int64_t>(other, 0)];
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
template <class T, class I, class Operation, class S>
__device__ __forceinline__ void write(const MergeParams& p, const Values<T>& values, const Layout<I>& at,
                                      const S& shared, int total) {
    constexpr int STEPS = sizeof(T) > 8 ? 2 : 4;
    const int64_t first = shared.first;
    I* const indices = (I*)p.indices + first;
    // Warps write whole lines of columns.
    for (int from = (int)threadIdx.x - (int)(first % 32); from < total; from += STEPS * MERGES_BLOCK) {
        Operands<T> operands[STEPS];
        I column[STEPS];
#pragma unroll
        for (int n = 0; n < STEPS; n++) {
            const int k = from + n * MERGES_BLOCK;
            if (k < 0 || k >= total) continue;
            const uint32_t source = shared.sources[k];
            const int slot = (int)(source & 0xffff), partner = (int)(source >> 16);
            column[n] = column_of<I>(shared.keys[slot]);
            operands[n].load(values, at, slot, partner);
        }
#pragma unroll
        for (int n = 0; n < STEPS; n++) {
            const int k = from + n * MERGES_BLOCK;
            if (k < 0 || k >= total) continue;
            indices[k] = column[n];
            Operation::store(p, first + k, operands[n].a, operands[n].b);
        }
    }
}

// Whether there is a value in a thread's part of a tile that is not finite.
template <class T>
__device__ __forceinline__ bool has_special(const Values<T>& values, const Tile& tile) {
    bool found = false;
#pragma unroll
    for (int s = 0; s < MERGES_EACH; s++) {
        const int k = threadIdx.x + s * MERGES_BLOCK;
        if (k < tile.size) found |= is_special(k < tile.of_a ? values.a[k] : values.b[k - tile.of_a]);
    }
    return found;
}

template <class T, class I, class K, class Operation, bool UNION>
__device__ __forceinline__ void merge(const MergeParams& p) {
    constexpr bool WITH_VALUES = ARE_COPIED<T, UNION>;
    __shared__ Shared<T, I, K, WITH_VALUES> shared;
    const int64_t number = blockIdx.x;
    const Line<I> line(p);
    const Tile tile(p, number);
    const Layout<I> at(line.a_indices + tile.a_begin, line.b_indices + tile.b_begin, tile.of_a);
    start_copy(line.a_indices, p.a_entries, tile.a_begin - 1, tile.of_a + 1, shared.loaded(), at.a - 1);
    start_copy(line.b_indices, p.b_entries, tile.b_begin, tile.of_b + 1, shared.loaded(), at.b);
    async::end_group();
    Values<T> values = Values<T>::of(p, tile);
    if constexpr (WITH_VALUES) {
        const Layout<T> value_at(values.a, values.b, tile.of_a);
        T* const copied = (T*)shared.values;
        start_copy((const T*)p.a_data, p.a_entries, tile.a_begin, tile.of_a, copied, value_at.a);
        start_copy((const T*)p.b_data, p.b_entries, tile.b_begin, tile.of_b + 1, copied, value_at.b);
        values = {copied + value_at.a, copied + value_at.b};
    }
    async::end_group();
    if constexpr (Operation::CHECKS && !UNION)
        if (has_special(values, tile)) p.found[2] = 1;
    make_keys(line, tile, at, shared);
    const Keys<K> keys{shared.keys + at.a, shared.keys + at.b};
    const int begin = threadIdx.x * MERGES_EACH;
    Merged merged;
    unsigned mask = merge_piece<K, UNION>(tile, keys, begin, merged);
    if constexpr (Operation::PRUNES) {
        async::wait_for_all();
        __syncthreads();
    }
    mask = pruned<T, I, Operation>(values, at, merged, mask);
    int total;
    const int rank = block::exclusive_sum<MERGES_BLOCK>(__popc(mask), shared.of_warps, total);
    if (threadIdx.x == 0) {
        *(volatile uint64_t*)(p.states + number) = state_of(total, number ? STATE_OF_TILE : STATE_UP_TO_END);
        shared.pieces[MERGES_BLOCK] = piece_of(total, 0);
    }
    shared.pieces[threadIdx.x] = piece_of(rank, mask);
    uint32_t* own = shared.sources + rank;
    for_each_kept(merged, mask, at,
                  [&](int, int slot, int partner) { *own++ = (uint32_t)slot | (uint32_t)partner << 16; });
    if (threadIdx.x < 32) {
        const int64_t before = look_back(p, number, total);
        if (threadIdx.x == 0) shared.first = before;
    }
    if constexpr (!Operation::PRUNES) async::wait_for_all();
    __syncthreads();
    write<T, I, Operation>(p, values, at, shared, total);
    write_rows(p, line, tile, number, shared.pieces, shared.first, threadIdx.x, MERGES_BLOCK);
}

// As many blocks at once as their shared memory allows with int32 indices and floats.
#define GPUNP_MERGES(name, ...)                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::MERGES_BLOCK, 9)   \
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
    if (!p.found[3]) return;
    for (int64_t row = 0; row <= p.rows; row++) write_start<I>(p, row);
}
// Makes the keys of a row's entries that are in a tile.
template <class I, class K>
void make_keys_of_row(const I* indices, int64_t from, int64_t to, int64_t begin, int count, int start,
                      K* keys) {
    from = greatest_of(from, begin);
    to = least_of(to, begin + count);
    for (int64_t k = from; k < to; k++) keys[k - begin] = key_of<K>(start, indices[k]);
}
template <class I, class K>
void make_keys(const Line<I>& line, const Tile& tile, K* a, K* b) {
    for (int64_t row = tile.row; row <= tile.last; row++) {
        const int start = tile.start_of(line, row);
        make_keys_of_row(line.a_indices, line.a_indptr[row], line.a_indptr[row + 1], tile.a_begin, tile.of_a,
                         start, a);
        make_keys_of_row(line.b_indices, line.b_indptr[row], line.b_indptr[row + 1], tile.b_begin, tile.of_b,
                         start, b);
    }
    const bool in_front = line.a_indptr[tile.row] < tile.a_begin;
    a[-1] = in_front ? key_of<K>(0, line.a_indices[tile.a_begin - 1]) : key_of<K>(NO_ROW - 1, I(0));
    a[tile.of_a] = key_of<K>(NO_ROW, I(0));
    const int64_t next = tile.b_begin + tile.of_b;
    const bool is_behind = next < line.b_indptr[tile.last + 1];
    b[tile.of_b] =
        is_behind ? key_of<K>(tile.start_of(line, tile.last), line.b_indices[next]) : key_of<K>(NO_ROW, I(0));
}
// The threads of a block one after another.
template <class T, class I, class K, class Operation, bool UNION>
void merge(const void* params) {
    const MergeParams& p = *static_cast<const MergeParams*>(params);
    const Line<I> line(p);
    K memory[Layout<I>::ROOM + MERGES_EACH] = {};
    uint32_t pieces[MERGES_BLOCK + 1];
    for (int64_t number = 0; number < p.tiles; number++) {
        const Tile tile(p, number);
        const Layout<I> at(line.a_indices + tile.a_begin, line.b_indices + tile.b_begin, tile.of_a);
        const Values<T> values = Values<T>::of(p, tile);
        make_keys(line, tile, memory + at.a, memory + at.b);
        const int64_t first = p.found[0];
        for (int thread = 0; thread <= MERGES_BLOCK; thread++) {
            Merged merged;
            unsigned mask =
                merge_piece<K, UNION>(tile, {memory + at.a, memory + at.b}, thread * MERGES_EACH, merged);
            mask = pruned<T, I, Operation>(values, at, merged, mask);
            pieces[thread] = piece_of((int)(p.found[0] - first), mask);
            for_each_kept(merged, mask, at, [&](int, int slot, int partner) {
                Operands<T> operands;
                operands.load(values, at, slot, partner);
                const int64_t to = p.found[0]++;
                ((I*)p.indices)[to] = column_of<I>(memory[slot]);
                Operation::store(p, to, operands.a, operands.b);
            });
        }
        if constexpr (Operation::CHECKS && !UNION)
            for (int k = 0; k < tile.size; k++)
                if (is_special(k < tile.of_a ? values.a[k] : values.b[k - tile.of_a])) p.found[2] = 1;
        p.states[number] = state_of(p.found[0], STATE_UP_TO_END);
        write_rows(p, line, tile, number, pieces, first, 0, 1);
    }
}

#define GPUNP_MERGES(name, ...) GPUNP_HOST_KERNEL(sparse_merge_##name, (::gpunp::sparse::__VA_ARGS__));

#endif

}  // namespace sparse
}  // namespace gpunp
