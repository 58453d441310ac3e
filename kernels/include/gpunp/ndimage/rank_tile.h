// Rank filters with rectangular windows, by sorting tiles.
//
// A block sorts the samples of a tile of the image, each with its position, so that a sample has a number
// below 1024 by which all others compare. For each column of outputs, a mask of 1024 bits tells which numbers
// are in the columns of its windows; so does one for each row. The samples of a window are those in both
// masks: the sample of a rank is found by counting bits, 32 words per output, whatever the size of the
// window.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/ndimage/rank_tile_params.h"
#include "gpunp/ndimage/sample_keys.h"

#if !GPUNP_ON_DEVICE
#include <algorithm>
#include <vector>
#endif

namespace gpunp {
namespace ndimage {

struct RankPlace {
    int64_t plane, row, column;  // of the first output
};
GPUNP_HD int64_t rank_tiles(const RankTileParams& p) {
    return p.planes * ((p.rows + p.tile_rows - 1) / p.tile_rows) *
           ((p.columns + p.tile_columns - 1) / p.tile_columns);
}
GPUNP_HD RankPlace rank_place(const RankTileParams& p, int64_t tile) {
    const int64_t across = (p.columns + p.tile_columns - 1) / p.tile_columns;
    const int64_t down = (p.rows + p.tile_rows - 1) / p.tile_rows;
    const int64_t strip = tile / across, plane = strip / down;
    return {plane, (strip - plane * down) * p.tile_rows, (tile - strip * across) * p.tile_columns};
}
template <class K>
GPUNP_HD K tile_key(const RankTileParams& p, RankPlace place, int row, int column) {
    const int64_t r = extended(place.row - p.rows_before + row, p.rows, p.row_mode);
    const int64_t c = extended(place.column - p.columns_before + column, p.columns, p.column_mode);
    if (r < 0 || c < 0) return constant_key<K>(p.cval, p.in_dtype);
    return load_key<K>(p.input, (place.plane * p.rows + r) * p.columns + c, p.in_dtype);
}

#if GPUNP_ON_DEVICE

constexpr int SAMPLES = RANK_TILE_SAMPLES, SORTED_EACH = SAMPLES / RANK_TILE_BLOCK;
constexpr int MASK_WORDS = SAMPLES / 32;
// Masks are read by vectors of four words: this pitch spreads those of neighbours over all banks.
constexpr int MASK_PITCH = MASK_WORDS + 4;

template <class K>
struct SortedSample {
    K key;
    uint32_t position;
};

// Keeps the lesser or the greater of a sample and its partner.
template <class K>
__device__ __forceinline__ void keep(SortedSample<K>& mine, K key, uint32_t position, bool lesser) {
    if (lesser ? key < mine.key : key > mine.key) mine = {key, position};
}

// A bitonic sort: a thread has SORTED_EACH adjacent places.
template <class K>
__device__ __forceinline__ void sort_tile(SortedSample<K> (&v)[SORTED_EACH], K* keys, uint32_t* positions) {
    const int thread = threadIdx.x;
#pragma unroll 1
    for (int size = 2; size <= SAMPLES; size *= 2) {
#pragma unroll 1
        for (int stride = size / 2; stride >= 32 * SORTED_EACH; stride /= 2) {
            __syncthreads();
#pragma unroll
            for (int j = 0; j < SORTED_EACH; j++) {
                keys[j * RANK_TILE_BLOCK + thread] = v[j].key;
                positions[j * RANK_TILE_BLOCK + thread] = v[j].position;
            }
            __syncthreads();
            const int other = thread ^ (stride / SORTED_EACH);
            const bool ascending = (thread * SORTED_EACH & size) == 0, lower = other > thread;
#pragma unroll
            for (int j = 0; j < SORTED_EACH; j++)
                keep(v[j], keys[j * RANK_TILE_BLOCK + other], positions[j * RANK_TILE_BLOCK + other],
                     ascending == lower);
        }
#pragma unroll 1
        for (int stride = min(size / 2, 16 * SORTED_EACH); stride >= SORTED_EACH; stride /= 2) {
            const int lanes = stride / SORTED_EACH;
            const bool ascending = (thread * SORTED_EACH & size) == 0, lower = (thread & lanes) == 0;
#pragma unroll
            for (int j = 0; j < SORTED_EACH; j++) {
                const K key = warp::shuffle_xor(v[j].key, lanes);
                keep(v[j], key, warp::shuffle_xor(v[j].position, lanes), ascending == lower);
            }
        }
#pragma unroll
        for (int stride = SORTED_EACH / 2; stride >= 1; stride /= 2) {
            if (stride >= size) continue;
#pragma unroll
            for (int j = 0; j < SORTED_EACH; j++) {
                if (j & stride) continue;
                const bool ascending = ((thread * SORTED_EACH + j) & size) == 0;
                const SortedSample<K> a = v[j], b = v[j + stride];
                const bool swap = ascending ? b.key < a.key : b.key > a.key;
                v[j] = swap ? b : a;
                v[j + stride] = swap ? a : b;
            }
        }
    }
}

// From the masks of single rows or columns, those of `windows` windows of `length`: each is the one before
// without its first line, and with a line more. Threads share the words and parts of the windows.
__device__ __forceinline__ void window_masks(const uint32_t* lines, uint32_t* masks, int windows,
                                             int length) {
    const int word = threadIdx.x % MASK_WORDS, parts = RANK_TILE_BLOCK / MASK_WORDS;
    const int each = (windows + parts - 1) / parts, first = threadIdx.x / MASK_WORDS * each;
    if (first >= windows) return;
    uint32_t mask = 0;
    for (int i = 0; i < length; i++) mask ^= lines[(first + i) * MASK_PITCH + word];
    for (int i = first;;) {
        masks[i * MASK_PITCH + word] = mask;
        if (i + 1 >= windows || i + 1 >= first + each) break;
        mask ^= lines[i * MASK_PITCH + word] ^ lines[(i + length) * MASK_PITCH + word];
        i++;
    }
}

// The place of the set bit that has `rank` set bits before it.
__device__ __forceinline__ int select_bit(uint32_t mask, int rank) {
    int at = 0;
#pragma unroll
    for (int width = 16; width >= 1; width /= 2) {
        const int count = __popc(mask & ((1u << width) - 1));
        if (rank >= count) {
            rank -= count;
            mask >>= width;
            at += width;
        }
    }
    return at;
}

__device__ __forceinline__ uint4 four_words(const uint32_t* masks, int line, int group) {
    return reinterpret_cast<const uint4*>(masks + line * MASK_PITCH)[group];
}

// The number of the sample of a rank among those in both masks.
__device__ __forceinline__ int ranked(const uint32_t* rows, const uint32_t* columns, int row, int column,
                                      int rank) {
    int before = 0, group = 0, before_group = 0;
#pragma unroll
    for (int g = 0; g < MASK_WORDS / 4; g++) {
        const uint4 a = four_words(rows, row, g), b = four_words(columns, column, g);
        if (before <= rank) {
            group = g;
            before_group = before;
        }
        before += __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
    }
    const uint4 a = four_words(rows, row, group), b = four_words(columns, column, group);
    const uint32_t words[4] = {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w};
    rank -= before_group;
    uint32_t mask = words[0];
    int word = 0;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const int count = __popc(words[i]);
        if (word == i && rank >= count) {
            rank -= count;
            word = i + 1;
            mask = words[i + 1];
        }
    }
    return group * 128 + word * 32 + select_bit(mask, rank);
}

template <class K>
__device__ __forceinline__ void rank_tile(const RankTileParams& p) {
    // The masks of lines, whose memory the sort uses before them, then those of windows, then the sorted
    // keys.
    extern __shared__ uint4 rank_memory[];
    const int rows = (int)(p.tile_rows + p.window_rows - 1),
              columns = (int)(p.tile_columns + p.window_columns - 1);
    const int samples = rows * columns, lines = rows + columns;
    const int line_words = max(lines * MASK_PITCH, SAMPLES * (int)(sizeof(K) + 4) / 4);
    uint32_t* row_lines = reinterpret_cast<uint32_t*>(rank_memory);
    uint32_t* column_lines = row_lines + rows * MASK_PITCH;
    uint32_t* row_masks = row_lines + (line_words + 3) / 4 * 4;
    uint32_t* column_masks = row_masks + p.tile_rows * MASK_PITCH;
    K* sorted = reinterpret_cast<K*>(column_masks + p.tile_columns * MASK_PITCH);
    const int thread = threadIdx.x;
    const int64_t tiles = rank_tiles(p);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const RankPlace place = rank_place(p, tile);
        SortedSample<K> v[SORTED_EACH];
#pragma unroll
        for (int j = 0; j < SORTED_EACH; j++) {
            const int i = j * RANK_TILE_BLOCK + thread, row = i / columns;
            v[j] = {greatest_key<K>(), ~0u};
            if (i < samples) {
                const int column = i - row * columns;
                v[j] = {tile_key<K>(p, place, row, column), (uint32_t)row << 16 | (uint32_t)column};
            }
        }
        sort_tile(v, reinterpret_cast<K*>(rank_memory),
                  reinterpret_cast<uint32_t*>(rank_memory) + SAMPLES * sizeof(K) / 4);
        __syncthreads();
        for (int i = thread; i < lines * MASK_PITCH; i += RANK_TILE_BLOCK) row_lines[i] = 0;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < SORTED_EACH; j++) {
            const int number = thread * SORTED_EACH + j;
            sorted[number] = v[j].key;
            if (v[j].position == ~0u) continue;
            const uint32_t bit = 1u << number % 32;
            atomicOr(row_lines + (v[j].position >> 16) * MASK_PITCH + number / 32, bit);
            atomicOr(column_lines + (v[j].position & 0xffff) * MASK_PITCH + number / 32, bit);
        }
        __syncthreads();
        window_masks(row_lines, row_masks, (int)p.tile_rows, (int)p.window_rows);
        window_masks(column_lines, column_masks, (int)p.tile_columns, (int)p.window_columns);
        __syncthreads();
        const int across = (int)p.tile_columns, outputs = (int)p.tile_rows * across;
        for (int i = thread; i < outputs; i += RANK_TILE_BLOCK) {
            const int row = i / across, column = i - row * across;
            const int64_t r = place.row + row, c = place.column + column;
            if (r >= p.rows || c >= p.columns) continue;
            const int number = ranked(row_masks, column_masks, row, column, (int)p.rank);
            store_key(p.output, (place.plane * p.rows + r) * p.columns + c, p.out_dtype, sorted[number],
                      p.in_dtype);
        }
        __syncthreads();
    }
}
#define GPUNP_RANK_TILE(symbol, K)                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::RANK_TILE_BLOCK) \
        symbol(const __grid_constant__::gpunp::RankTileParams p) {         \
        ::gpunp::ndimage::rank_tile<K>(p);                                 \
    }

#else

template <class K>
void rank_tile_host(const void* params) {
    const RankTileParams& p = *static_cast<const RankTileParams*>(params);
    parallel_for(rank_tiles(p), 1, [&](int64_t begin, int64_t end) {
        std::vector<K> keys((size_t)(p.window_rows * p.window_columns));
        for (int64_t tile = begin; tile < end; tile++) {
            const RankPlace place = rank_place(p, tile);
            const int64_t rows = std::min(p.tile_rows, p.rows - place.row);
            const int64_t columns = std::min(p.tile_columns, p.columns - place.column);
            for (int64_t i = 0; i < rows * columns; i++) {
                const int64_t row = i / columns, column = i % columns;
                size_t n = 0;
                for (int64_t r = 0; r < p.window_rows; r++)
                    for (int64_t c = 0; c < p.window_columns; c++)
                        keys[n++] = tile_key<K>(p, place, (int)(row + r), (int)(column + c));
                std::nth_element(keys.begin(), keys.begin() + p.rank, keys.end());
                const int64_t to =
                    (place.plane * p.rows + place.row + row) * p.columns + place.column + column;
                store_key(p.output, to, p.out_dtype, keys[(size_t)p.rank], p.in_dtype);
            }
        }
    });
}
#define GPUNP_RANK_TILE(symbol, K) GPUNP_HOST_KERNEL(symbol, ::gpunp::ndimage::rank_tile_host<K>);

#endif

}  // namespace ndimage
}  // namespace gpunp
