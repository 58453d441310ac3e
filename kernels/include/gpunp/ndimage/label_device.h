// Labels of connected pixels on the device; included by label.h.
#pragma once
#include "gpunp/common/block.h"
#include "gpunp/ndimage/label_params.h"

namespace gpunp {
namespace label {

using Mask = unsigned long long;

__device__ __forceinline__ long long atomic_least(int64_t* at, int64_t value) {
    return atomicMin(reinterpret_cast<long long*>(at), (long long)value);
}
__device__ __forceinline__ int atomic_least(int32_t* at, int32_t value) {
    return atomicMin(at, value);
}

// Halves the path on the way: without that, chains get as long as the tile is high. Concurrent changes only
// replace the parent of a pixel that is no root by another ancestor.
__device__ __forceinline__ int root_in_tile(volatile int* parent, int x) {
    for (int next = parent[x]; next != x; next = parent[x]) {
        const int after = parent[next];
        if (after != next) parent[x] = after;
        x = after;
    }
    return x;
}
__device__ __forceinline__ void unite_in_tile(int* parent, int a, int b) {
    while (true) {
        a = root_in_tile(parent, a);
        b = root_in_tile(parent, b);
        if (a == b) return;
        const int later = a > b ? a : b, earlier = a > b ? b : a;
        const int before = atomicMin(parent + later, earlier);
        if (before == later) return;
        a = before;
        b = earlier;
    }
}

// Shortens the path on the way. Concurrent changes only replace a parent by another ancestor.
template <class I>
__device__ __forceinline__ I find_root(I* parents, I x) {
    I current = parents[x];
    if (current == x) return x;
    I previous = x;
    for (I next = parents[current]; next < current; next = parents[current]) {
        parents[previous] = next;
        previous = current;
        current = next;
    }
    return current;
}
template <class I>
__device__ __forceinline__ void unite(I* parents, I a, I b) {
    while (true) {
        a = find_root(parents, a);
        b = find_root(parents, b);
        if (a == b) return;
        const I later = a > b ? a : b, earlier = a > b ? b : a;
        const I before = (I)atomic_least(parents + later, earlier);
        if (before == later) return;
        a = before;
        b = earlier;
    }
}

// The same without writing: where all threads store roots, a shortened path would replace one by another
// ancestor.
template <class I>
__device__ __forceinline__ I root_of(const I* parents, I x) {
    for (I next = parents[x]; next != x; next = parents[x]) x = next;
    return x;
}

// The first column of the run that a column belongs to.
__device__ __forceinline__ int run_start(Mask row, int column) {
    const Mask gaps = ~row & (((Mask)1 << column) - 1);
    return 64 - __clzll((long long)gaps);
}
__device__ __forceinline__ bool bit_of(Mask row, int column) {
    return row >> column & 1;
}

template <class I>
__device__ __forceinline__ void label_tiles(const LabelParams& p) {
    constexpr int SIDE = LABEL_SIDE, WARPS = LABEL_BLOCK / 32;
    __shared__ Mask masks[SIDE];
    __shared__ int parent[SIDE * SIDE];
    const int64_t across = (p.columns + SIDE - 1) / SIDE, down = (p.rows + SIDE - 1) / SIDE;
    const int64_t strip = blockIdx.x / across, plane = strip / down;
    const int64_t left = (blockIdx.x - strip * across) * SIDE, top = (strip - plane * down) * SIDE;
    const int width = p.columns - left < SIDE ? (int)(p.columns - left) : SIDE;
    const int height = p.rows - top < SIDE ? (int)(p.rows - top) : SIDE;
    const int64_t origin = (plane * p.rows + top) * p.columns + left;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const bool runs = p.links & LINK_LEFT, both = runs && p.links & LINK_UP;
#pragma unroll 4
    for (int r = warp; r < height; r += WARPS) {
        const uint8_t* row = p.image + origin + r * p.columns;
        const unsigned low = warp::ballot(lane < width && row[lane]);
        const unsigned high = warp::ballot(lane + 32 < width && row[lane + 32]);
        const Mask mask = (Mask)high << 32 | low;
        if (lane == 0) masks[r] = mask;
#pragma unroll
        for (int c = lane; c < SIDE; c += 32)
            parent[r * SIDE + c] = r * SIDE + (runs && bit_of(mask, c) ? run_start(mask, c) : c);
    }
    __syncthreads();
    for (int r = warp; r < height; r += WARPS) {
        if (r == 0) continue;
        const Mask here = masks[r], above = masks[r - 1];
        Mask up = 0, up_left = 0, up_right = 0;
        if (p.links & LINK_UP) {
            up = here & above;
            if (runs) up &= ~(up << 1);
        }
        if (p.links & LINK_UP_LEFT) up_left = here & above << 1 & ~(both ? above | here << 1 : 0);
        if (p.links & LINK_UP_RIGHT) up_right = here & above >> 1 & ~(both ? above | here >> 1 : 0);
#pragma unroll
        for (int c = lane; c < SIDE; c += 32) {
            const int at = r * SIDE + c;
            if (bit_of(up, c)) unite_in_tile(parent, at, at - SIDE);
            if (bit_of(up_left, c)) unite_in_tile(parent, at, at - SIDE - 1);
            if (bit_of(up_right, c)) unite_in_tile(parent, at, at - SIDE + 1);
        }
    }
    __syncthreads();
    I* parents = static_cast<I*>(p.parents) + origin;
    for (int r = warp; r < height; r += WARPS) {
        const Mask mask = masks[r];
#pragma unroll
        for (int c = lane; c < SIDE; c += 32) {
            if (c >= width) continue;
            I to = -1;
            if (bit_of(mask, c)) {
                const int root = root_in_tile(parent, r * SIDE + c);
                to = (I)(origin + root / SIDE * p.columns + root % SIDE);
            }
            parents[r * p.columns + c] = to;
        }
    }
}

// The links of a pixel to the row above, in another tile; or to the left, where the column is in another
// tile.
template <class I>
__device__ __forceinline__ void link_up(const LabelParams& p, int64_t at, int64_t column) {
    const uint8_t* here = p.image + at;
    const uint8_t* above = here - p.columns;
    if (!*here) return;
    I* parents = static_cast<I*>(p.parents);
    const bool left = column > 0, right = column + 1 < p.columns;
    const bool runs = p.links & LINK_LEFT, both = runs && p.links & LINK_UP;
    if (p.links & LINK_UP && *above && !(runs && left && here[-1] && above[-1]))
        unite(parents, (I)at, (I)(at - p.columns));
    if (p.links & LINK_UP_LEFT && left && above[-1] && !(both && (*above || here[-1])))
        unite(parents, (I)at, (I)(at - p.columns - 1));
    if (p.links & LINK_UP_RIGHT && right && above[1] && !(both && (*above || here[1])))
        unite(parents, (I)at, (I)(at - p.columns + 1));
}
template <class I>
__device__ __forceinline__ void link_left(const LabelParams& p, int64_t at, int64_t row) {
    const uint8_t* here = p.image + at;
    const uint8_t* above = here - p.columns;
    I* parents = static_cast<I*>(p.parents);
    const bool both = p.links & LINK_LEFT && p.links & LINK_UP;
    // In the first row of a tile, links to the row above rely on this one.
    const bool first = row % LABEL_SIDE == 0;
    if (p.links & LINK_LEFT && *here && here[-1] && !(both && !first && *above && above[-1]))
        unite(parents, (I)at, (I)(at - 1));
    if (first) return;
    if (p.links & LINK_UP_LEFT && *here && above[-1] && !(both && (*above || here[-1])))
        unite(parents, (I)at, (I)(at - p.columns - 1));
    if (p.links & LINK_UP_RIGHT && here[-1] && *above && !(both && (above[-1] || *here)))
        unite(parents, (I)(at - 1), (I)(at - p.columns));
}

template <class I>
__device__ __forceinline__ void label_borders(const LabelParams& p) {
    const int64_t across = (p.columns + LABEL_SIDE - 1) / LABEL_SIDE - 1;
    const int64_t down = (p.rows + LABEL_SIDE - 1) / LABEL_SIDE - 1;
    const int64_t horizontal = down * p.columns, each = horizontal + across * p.rows;
    const int64_t threads = (int64_t)gridDim.x * LABEL_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * LABEL_BLOCK + threadIdx.x; i < each * p.planes; i += threads) {
        const int64_t plane = i / each, origin = plane * p.rows * p.columns;
        int64_t part = i - plane * each;
        if (part < horizontal) {
            const int64_t row = part / p.columns, column = part - row * p.columns;
            link_up<I>(p, origin + (row + 1) * LABEL_SIDE * p.columns + column, column);
        } else {
            part -= horizontal;
            const int64_t strip = part / p.rows, row = part - strip * p.rows;
            link_left<I>(p, origin + row * p.columns + (strip + 1) * LABEL_SIDE, row);
        }
    }
}

template <class I>
__device__ __forceinline__ void label_planes(const LabelParams& p) {
    I* parents = static_cast<I*>(p.parents);
    const bool runs = p.links & LINK_LEFT;
    const int64_t each = p.rows * p.columns, strips = (each + LABEL_BLOCK - 1) / LABEL_BLOCK;
    for (int64_t block = blockIdx.x; block < strips * p.planes; block += gridDim.x) {
        const int64_t plane = block / strips, part = (block - plane * strips) * LABEL_BLOCK + threadIdx.x;
        bool inside = part < each;
        int64_t rest = plane;
        for (int k = p.leading - 1; k >= 0; k--) {
            const int64_t next = rest / p.shape[k], at = rest - next * p.shape[k] + p.delta[k];
            inside &= at >= 0 && at < p.shape[k];
            rest = next;
        }
        if (!inside) continue;
        const int64_t row = part / p.columns, column = part - row * p.columns;
        const int64_t other_row = row + p.row_delta, other_column = column + p.column_delta;
        if (other_row < 0 || other_row >= p.rows || other_column < 0 || other_column >= p.columns) continue;
        const int64_t at = plane * each + part;
        const uint8_t *here = p.image + at, *there = here + p.offset;
        if (!*here || !*there) continue;
        // The pixels to the left have the same link.
        if (runs && column > 0 && other_column > 0 && here[-1] && there[-1]) continue;
        unite(parents, (I)at, (I)(at + p.offset));
    }
}

// Lets pixels point to their roots, and counts the roots of a chunk.
template <class I>
__device__ __forceinline__ void label_roots(const LabelParams& p) {
    constexpr int EACH = LABEL_CHUNK / LABEL_BLOCK;
    __shared__ int of_warps[LABEL_BLOCK / 32];
    I* parents = static_cast<I*>(p.parents);
    const int64_t size = p.planes * p.rows * p.columns, start = (int64_t)blockIdx.x * LABEL_CHUNK;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int count = 0;
#pragma unroll 4
    for (int k = 0; k < EACH; k++) {
        const int64_t i = start + (warp * EACH + k) * 32 + lane;
        bool is_root = false;
        if (i < size) {
            const I parent = parents[i];
            is_root = parent == (I)i;
            if (parent >= 0 && !is_root) {
                const I root = root_of(parents, parent);
                if (root != parent) parents[i] = root;
            }
        }
        const unsigned word = warp::ballot(is_root);
        if (lane == 0) p.bits[(start >> 5) + warp * EACH + k] = word;
        count += __popc(word);
    }
    if (lane == 0) of_warps[warp] = count;
    __syncthreads();
    if (threadIdx.x > 0) return;
    int64_t sum = 0;
    for (int w = 0; w < LABEL_BLOCK / 32; w++) sum += of_warps[w];
    p.counts[blockIdx.x] = sum;
}

// How many roots come before each 32 pixels.
template <class I>
__device__ __forceinline__ void label_ranks(const LabelParams& p) {
    __shared__ int of_warps[LABEL_RANK_BLOCK / 32];
    const int64_t place = (int64_t)blockIdx.x * LABEL_RANK_BLOCK + threadIdx.x;
    const int64_t before = blockIdx.x > 0 ? p.ends[blockIdx.x - 1] : 0;
    static_cast<I*>(p.roots_before)[place] =
        (I)(before + block::exclusive_sum<LABEL_RANK_BLOCK>(__popc(p.bits[place]), of_warps));
}

// Replaces pointers to roots by numbers, in place.
template <class I>
__device__ __forceinline__ void label_finish(const LabelParams& p) {
    constexpr int EACH = 4;
    I* parents = static_cast<I*>(p.parents);
    const I* roots_before = static_cast<const I*>(p.roots_before);
    const int64_t size = p.planes * p.rows * p.columns;
    const int64_t start = (int64_t)blockIdx.x * (LABEL_BLOCK * EACH) + threadIdx.x;
    I root[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = start + k * LABEL_BLOCK;
        root[k] = i < size ? parents[i] : -1;
    }
    I number[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        number[k] = 0;
        if (root[k] < 0) continue;
        const unsigned earlier = __ldg(p.bits + (root[k] >> 5)) & ((1u << (root[k] & 31)) - 1);
        number[k] = __ldg(roots_before + (root[k] >> 5)) + __popc(earlier) + 1;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = start + k * LABEL_BLOCK;
        if (i < size) parents[i] = number[k];
    }
}

// Only the ends of runs along the last axis change boxes.
template <class I>
__device__ __forceinline__ void bound_labels(const BoxesParams& p) {
    const I* labels = static_cast<const I*>(p.labels);
    const int64_t threads = (int64_t)gridDim.x * LABEL_BLOCK, columns = p.shape[p.ndim - 1];
    for (int64_t i = (int64_t)blockIdx.x * LABEL_BLOCK + threadIdx.x; i < p.size; i += threads) {
        const int64_t label = labels[i];
        if (label < 1 || label > p.most) continue;
        int64_t rest = i / columns, column = i - rest * columns;
        const bool first = column == 0 || labels[i - 1] != label;
        const bool last = column + 1 == columns || labels[i + 1] != label;
        int64_t* box = p.boxes + (label - 1) * 2 * p.ndim + 2 * (p.ndim - 1);
        // Bounds only fall, so reading a stale one costs no more than an unnecessary atomic.
        if (first && column < box[0]) atomic_least(box, column);
        if (last && ~column < box[1]) atomic_least(box + 1, ~column);
        if (!first) continue;
        for (int k = p.ndim - 2; k >= 0; k--) {
            const int64_t next = rest / p.shape[k], at = rest - next * p.shape[k];
            rest = next;
            box -= 2;
            if (at < box[0]) atomic_least(box, at);
            if (~at < box[1]) atomic_least(box + 1, ~at);
        }
    }
}

#define GPUNP_LABEL_KERNEL(symbol, Params, function, block)                                        \
    extern "C" __global__ void __launch_bounds__(block) symbol(const __grid_constant__ Params p) { \
        function(p);                                                                               \
    }
#define GPUNP_LABEL(step, name, I, block) \
    GPUNP_LABEL_KERNEL(label_##step##_##name, ::gpunp::LabelParams, ::gpunp::label::label_##step<I>, block)
#define GPUNP_LABELS(name, I)                                                               \
    GPUNP_LABEL(tiles, name, I, ::gpunp::LABEL_BLOCK)                                       \
    GPUNP_LABEL(borders, name, I, ::gpunp::LABEL_BLOCK)                                     \
    GPUNP_LABEL(planes, name, I, ::gpunp::LABEL_BLOCK)                                      \
    GPUNP_LABEL(roots, name, I, ::gpunp::LABEL_BLOCK)                                       \
    GPUNP_LABEL(ranks, name, I, ::gpunp::LABEL_RANK_BLOCK)                                  \
    GPUNP_LABEL(finish, name, I, ::gpunp::LABEL_BLOCK)                                      \
    GPUNP_LABEL_KERNEL(boxes_##name, ::gpunp::BoxesParams, ::gpunp::label::bound_labels<I>, \
                       ::gpunp::LABEL_BLOCK)

}  // namespace label
}  // namespace gpunp
