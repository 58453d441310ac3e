// The kernels behind unique on the GPU; included by unique.h.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/sets/unique.h"

namespace gpunp {
namespace sets {

// Calls `use` with every element at least once, with 16-byte loads if the array is aligned. Each call gets
// the elements of two loads, so that the memory accesses of `use` overlap.
template <class T, class Use>
__device__ __forceinline__ void for_each_element(const void* data, int64_t n, Use use) {
    constexpr int WIDTH = 16 / sizeof(T);
    const T* x = static_cast<const T*>(data);
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t vectors = reinterpret_cast<uintptr_t>(data) % 16 ? 0 : n / WIDTH;
    for (int64_t v = thread; v < vectors; v += 2 * threads) {
        union {
            uint4 loaded[2];
            T elements[2 * WIDTH];
        };
        loaded[0] = __ldcs((const uint4*)data + v);
        const bool both = v + threads < vectors;
        // If there is no second vector, the first one again.
        loaded[1] = both ? __ldcs((const uint4*)data + v + threads) : loaded[0];
        use(elements);
    }
    for (int64_t i = vectors * WIDTH + thread; i < n; i += threads) {
        T elements[2 * WIDTH];
#pragma unroll
        for (int k = 0; k < 2 * WIDTH; k++) elements[k] = x[i];
        use(elements);
    }
}

template <class T>
__device__ __forceinline__ void find_bounds(const BitmapParams& p) {
    const T flip = (T)p.flip;
    T least = (T) ~(T)0, greatest = 0;
    for_each_element<T>(p.x, p.n, [&](const T(&x)[32 / sizeof(T)]) {
#pragma unroll
        for (int k = 0; k < 32 / (int)sizeof(T); k++) {
            const T key = x[k] ^ flip;
            least = key < least ? key : least;
            greatest = key > greatest ? key : greatest;
        }
    });
    const unsigned long long low = warp::least((unsigned long long)least),
                             high = warp::greatest((unsigned long long)greatest);
    if (threadIdx.x % 32 == 0) {
        // After the first warps, few have a new extreme: the load avoids most atomics.
        unsigned long long* bounds = reinterpret_cast<unsigned long long*>(p.bounds);
        if (low < __ldcg(bounds)) atomicMin(bounds, low);
        if (high > __ldcg(bounds + 1)) atomicMax(bounds + 1, high);
    }
}

// Sets only bits not set yet, because most elements repeat a value: a load is cheaper than an atomic.
template <bool SHARED>
__device__ __forceinline__ uint32_t read_word(const uint32_t* word) {
    return SHARED ? *word : __ldcg(word);
}
template <bool SHARED, class T>
__device__ __forceinline__ void mark_all(const BitmapParams& p, uint32_t* bits) {
    constexpr int EACH = 32 / sizeof(T), AT_ONCE = EACH < 8 ? EACH : 8;
    const T flip = (T)p.flip, low = (T)p.low;
    for_each_element<T>(p.x, p.n, [&](const T(&x)[EACH]) {
#pragma unroll
        for (int start = 0; start < EACH; start += AT_ONCE) {
            uint32_t word[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                word[k] = read_word<SHARED>(&bits[(T)((x[start + k] ^ flip) - low) >> 5]);
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                const T bit = (T)((x[start + k] ^ flip) - low);
                if (!(word[k] >> (bit & 31) & 1)) atomicOr(&bits[bit >> 5], 1u << (bit & 31));
            }
        }
    });
}

template <class T>
__device__ __forceinline__ void mark(const BitmapParams& p) {
    extern __shared__ __align__(16) unsigned char shared[];
    if (!p.in_shared) {
        mark_all<false, T>(p, p.bits);
        return;
    }
    uint32_t* own = reinterpret_cast<uint32_t*>(shared);
    const int words = (int)((p.range + 31) / 32);
    for (int w = threadIdx.x; w < words; w += blockDim.x) own[w] = 0;
    __syncthreads();
    mark_all<true, T>(p, own);
    __syncthreads();
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        if (own[w] & ~__ldcg(&p.bits[w])) atomicOr(&p.bits[w], own[w]);
}

__device__ __forceinline__ void list_members(const BitmapParams& p) {
    const int64_t words = (int64_t)((p.range + 31) / 32);
    for (int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; w < words;
         w += (int64_t)gridDim.x * blockDim.x)
        write_members(p, w);
}

// Finds every element's rank, each value's count and first position; or whether each element is a member.
__device__ __forceinline__ void look_up(const BitmapParams& p) {
    extern __shared__ __align__(16) unsigned char shared[];
    uint32_t* counts = reinterpret_cast<uint32_t*>(shared);
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p.found) {
        for (int64_t i = thread; i < p.n; i += threads) p.found[i] = is_member(p, i);
        return;
    }
    if (p.in_shared) {
        for (int r = threadIdx.x; r < p.distinct; r += blockDim.x) counts[r] = 0;
        __syncthreads();
    }
#pragma unroll 4
    for (int64_t i = thread; i < p.n; i += threads) {
        const int64_t rank = rank_of_bit(p, (load_bits(p.x, i, p.item) ^ p.flip) - p.low);
        if (p.inverse) p.inverse[i] = rank;
        if (p.in_shared)
            atomicAdd(&counts[rank], 1u);
        else if (p.counts)
            atomicAdd(reinterpret_cast<unsigned long long*>(&p.counts[rank]), 1ull);
        if (p.first && i < __ldcg(&p.first[rank])) {
            // Elements are visited roughly in order, so few precede the position stored.
            atomicMin(reinterpret_cast<long long*>(&p.first[rank]), (long long)i);
        }
    }
    if (p.in_shared) {
        __syncthreads();
        for (int r = threadIdx.x; r < p.distinct; r += blockDim.x) {
            if (counts[r])
                atomicAdd(reinterpret_cast<unsigned long long*>(&p.counts[r]), (unsigned long long)counts[r]);
        }
    }
}

// Merges pairs of sorted runs. A row's new position is its position in its own run plus the number of rows
// of the other run before it. Stable: of equal rows, those of the first run come first.
template <class K>
__device__ __forceinline__ void merge_rows(const RowsParams& p) {
    const int64_t i = (int64_t)blockIdx.x * UNIQUE_BLOCK + threadIdx.x;
    if (i >= p.n) return;
    const int64_t start = i / (2 * p.run) * (2 * p.run);
    const int64_t middle = start + p.run < p.n ? start + p.run : p.n;
    const int64_t end = start + 2 * p.run < p.n ? start + 2 * p.run : p.n;
    const int64_t row = row_at(p, i);
    const bool first = i < middle;
    int64_t low = first ? middle : start, high = first ? end : middle;
    const int64_t other = low;
    while (low < high) {
        const int64_t probe = low + (high - low) / 2;
        const int64_t candidate = row_at(p, probe);
        const bool before = first ? row_less<K>(p, candidate, row) : !row_less<K>(p, row, candidate);
        if (before)
            low = probe + 1;
        else
            high = probe;
    }
    p.merged[start + (first ? i - start : i - middle) + (low - other)] = row;
}

template <class K>
__device__ __forceinline__ void mark_starts(const RowsParams& p) {
    for (int64_t i = (int64_t)blockIdx.x * UNIQUE_BLOCK + threadIdx.x; i < p.n;
         i += (int64_t)gridDim.x * UNIQUE_BLOCK)
        mark_start<K>(p, i);
}

template <class K>
__device__ __forceinline__ void pack_rows(const RowsParams& p) {
    for (int64_t i = (int64_t)blockIdx.x * UNIQUE_BLOCK + threadIdx.x; i < p.n;
         i += (int64_t)gridDim.x * UNIQUE_BLOCK)
        pack_row<K>(p, i);
}

// The least and the greatest key of each column. Each thread works on one column, each block on several.
template <class K>
__device__ __forceinline__ void bound_columns(const RowsParams& p) {
    constexpr int EACH = 8;
    __shared__ K lows[UNIQUE_BLOCK], highs[UNIQUE_BLOCK];
    // Adjacent threads take adjacent columns: all of them, or a strip of a block's width.
    const int across = p.columns < UNIQUE_BLOCK ? (int)p.columns : UNIQUE_BLOCK, down = UNIQUE_BLOCK / across;
    const int64_t strips = (p.columns + across - 1) / across, blocks = gridDim.x / strips;
    const int tx = threadIdx.x % across, ty = threadIdx.x / across;
    const int64_t column = blockIdx.x % strips * across + tx, part = blockIdx.x / strips;
    K low = ~(K)0, high = 0;
    if (ty < down && column < p.columns && part < blocks) {
        const char* x = p.data + column * p.item;
        const int64_t step = blocks * down;
        for (int64_t row = part * down + ty; row < p.n; row += EACH * step) {
            K key[EACH];
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                const int64_t at = row + k * step < p.n ? row + k * step : row;
                key[k] = load_key<K>(x + at * p.stride, p.dtype);
            }
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                low = key[k] < low ? key[k] : low;
                high = key[k] > high ? key[k] : high;
            }
        }
    }
    lows[threadIdx.x] = low;
    highs[threadIdx.x] = high;
    __syncthreads();
    if (ty > 0 || column >= p.columns || part >= blocks) return;
    for (int k = 1; k < down; k++) {
        const K other_low = lows[k * across + tx], other_high = highs[k * across + tx];
        low = other_low < low ? other_low : low;
        high = other_high > high ? other_high : high;
    }
    if (low > high) return;
    unsigned long long* least = reinterpret_cast<unsigned long long*>(p.bounds + column);
    unsigned long long* greatest = least + p.columns;
    if (low < __ldcg(least)) atomicMin(least, (unsigned long long)low);
    if (high > __ldcg(greatest)) atomicMax(greatest, (unsigned long long)high);
}

__device__ __forceinline__ void write_runs(const RunsParams& p) {
    for (int64_t i = (int64_t)blockIdx.x * UNIQUE_BLOCK + threadIdx.x; i < p.n;
         i += (int64_t)gridDim.x * UNIQUE_BLOCK)
        write_run(p, i);
}

#define GPUNP_UNIQUE_KERNEL(symbol, Params, function, block)                                       \
    extern "C" __global__ void __launch_bounds__(block) symbol(const __grid_constant__ Params p) { \
        function(p);                                                                               \
    }
#define GPUNP_BOUNDS(name, T) \
    GPUNP_UNIQUE_KERNEL(bounds_##name, ::gpunp::BitmapParams, ::gpunp::sets::find_bounds<T>, UNIQUE_BLOCK)
#define GPUNP_MARK(name, T) \
    GPUNP_UNIQUE_KERNEL(mark_##name, ::gpunp::BitmapParams, ::gpunp::sets::mark<T>, BITMAP_BLOCK)
#define GPUNP_ROWS(name, K)                                                                            \
    GPUNP_UNIQUE_KERNEL(merge_##name, ::gpunp::RowsParams, ::gpunp::sets::merge_rows<K>, UNIQUE_BLOCK) \
    GPUNP_UNIQUE_KERNEL(starts_##name, ::gpunp::RowsParams, ::gpunp::sets::mark_starts<K>, UNIQUE_BLOCK)
#define GPUNP_WORDS(name, K)                                                                               \
    GPUNP_UNIQUE_KERNEL(bounds_##name, ::gpunp::RowsParams, ::gpunp::sets::bound_columns<K>, UNIQUE_BLOCK) \
    GPUNP_UNIQUE_KERNEL(pack_##name, ::gpunp::RowsParams, ::gpunp::sets::pack_rows<K>, UNIQUE_BLOCK)
#define GPUNP_RUNS                                                                                 \
    GPUNP_UNIQUE_KERNEL(members, ::gpunp::BitmapParams, ::gpunp::sets::list_members, UNIQUE_BLOCK) \
    GPUNP_UNIQUE_KERNEL(look_up, ::gpunp::BitmapParams, ::gpunp::sets::look_up, UNIQUE_BLOCK)      \
    GPUNP_UNIQUE_KERNEL(runs, ::gpunp::RunsParams, ::gpunp::sets::write_runs, UNIQUE_BLOCK)

}  // namespace sets
}  // namespace gpunp
