// Scatter to more targets than the L2 cache holds: positions are sorted into bins of targets, then one block
// per bin settles it in shared memory and writes its targets in order.
//
// The records of a bin are in any order: the last write to a target is that with the largest position.
#pragma once
#include "gpunp/common/block.h"
#include "gpunp/indexing/gather_flat.h"
#include "gpunp/indexing/scatter_bins_params.h"

#if GPUNP_ON_DEVICE

namespace gpunp {

constexpr int BIN_TILE = BIN_BLOCK * BIN_EACH;
constexpr uint32_t NO_TARGET = 0xffffffffu;

// What records carry besides the target.
enum BinRecord { BIN_TARGET_ONLY, BIN_POSITION, BIN_VALUE };

template <class I>
__device__ __forceinline__ void load_bin_targets(const ScatterBinsParams& b, int64_t start,
                                                 uint32_t (&target)[BIN_EACH]) {
    const GatherParams& p = b.move;
    constexpr int HALF = BIN_EACH / 2;  // as many loads in flight as registers allow
    const int64_t step = p.index_strides[0][0];
    const char* from = p.index[0] + (start + threadIdx.x) * step;
    const int valid = (int)min((int64_t)BIN_TILE, p.size - start) - (int)threadIdx.x;
    bool outside = false;
#pragma unroll
    for (int half = 0; half < BIN_EACH; half += HALF) {
        I raw[HALF];
#pragma unroll
        for (int j = 0; j < HALF; j++) {
            raw[j] = (half + j) * BIN_BLOCK < valid ? __ldcs((const I*)from) : (I)0;
            from += BIN_BLOCK * step;
        }
#pragma unroll
        for (int j = 0; j < HALF; j++) {
            const int64_t at = normal_index(raw[j], p.extent[0], INDEX_RAISE);
            target[half + j] = (half + j) * BIN_BLOCK < valid && at >= 0 ? (uint32_t)at : NO_TARGET;
            outside = outside || at < 0;
        }
    }
    if (outside) report_index(p);
}

__device__ __forceinline__ void load_bin_targets(const ScatterBinsParams& b, int64_t start,
                                                 uint32_t (&target)[BIN_EACH]) {
    if (b.move.index_bytes[0] == 8)
        load_bin_targets<long long>(b, start, target);
    else
        load_bin_targets<int32_t>(b, start, target);
}

// Counts the records of each bin.
__device__ __forceinline__ void count_bins(const ScatterBinsParams& b) {
    extern __shared__ uint32_t bin_shared[];
    if (*b.spread != PLACES_APART) return;
    for (int k = threadIdx.x; k < b.bins; k += BIN_BLOCK) bin_shared[k] = 0;
    __syncthreads();
    for (int64_t tile = blockIdx.x; tile < b.tiles; tile += gridDim.x) {
        uint32_t target[BIN_EACH];
        load_bin_targets(b, tile * BIN_TILE, target);
#pragma unroll
        for (int j = 0; j < BIN_EACH; j++)
            if (target[j] != NO_TARGET) atomicAdd(&bin_shared[target[j] / BIN_TARGETS], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < b.bins; k += BIN_BLOCK)
        if (bin_shared[k]) atomicAdd(&b.cursors[k], bin_shared[k]);
}

// One block computes the start of each bin's records.
__device__ __forceinline__ void start_bins(const ScatterBinsParams& b) {
    __shared__ uint32_t of_warps[BIN_BLOCK / 32];
    const int each = (b.bins + BIN_BLOCK - 1) / BIN_BLOCK;
    const int first = min((int)threadIdx.x * each, b.bins), end = min(first + each, b.bins);
    uint32_t count = 0;
    for (int k = first; k < end; k++) count += b.cursors[k];
    uint32_t start = block::exclusive_sum<BIN_BLOCK>(count, of_warps);
    for (int k = first; k < end; k++) {
        const uint32_t next = start + b.cursors[k];
        b.starts[k] = b.cursors[k] = start;
        start = next;
    }
    if (threadIdx.x == BIN_BLOCK - 1) b.starts[b.bins] = start;
}

// The bits of a value of up to 4 bytes.
__device__ __forceinline__ uint32_t load_bits(const char* at, int bytes) {
    return bytes == 4 ? *(const uint32_t*)at : bytes == 2 ? *(const uint16_t*)at : *(const uint8_t*)at;
}

// Sorts the positions of one tile by bin, and appends them to the bins in runs.
template <BinRecord RECORD>
__device__ __forceinline__ void fill_bins(const ScatterBinsParams& b) {
    extern __shared__ uint32_t bin_shared[];
    const GatherParams& p = b.move;
    uint32_t* offsets = bin_shared;         // counts, then the start of each bin's records in the tile
    uint32_t* moved = bin_shared + b.bins;  // distance from there to the records' place in the bin
    uint32_t* targets = moved + b.bins;
    uint32_t* values = targets + BIN_TILE;
    uint16_t* locals = (uint16_t*)(values + (RECORD == BIN_VALUE ? BIN_TILE : 0));
    __shared__ uint32_t total, of_warps[BIN_BLOCK / 32];
    if (*b.spread != PLACES_APART) return;
    for (int k = threadIdx.x; k < b.bins; k += BIN_BLOCK) offsets[k] = 0;
    const int64_t start = (int64_t)blockIdx.x * BIN_TILE;
    uint32_t target[BIN_EACH];
    uint16_t rank[BIN_EACH];
    load_bin_targets(b, start, target);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BIN_EACH; j++)
        if (target[j] != NO_TARGET) rank[j] = (uint16_t)atomicAdd(&offsets[target[j] / BIN_TARGETS], 1u);
    __syncthreads();
    const int each = (b.bins + BIN_BLOCK - 1) / BIN_BLOCK;
    const int first = min((int)threadIdx.x * each, b.bins), end = min(first + each, b.bins);
    uint32_t count = 0;
    for (int k = first; k < end; k++) count += offsets[k];
    uint32_t offset = block::exclusive_sum<BIN_BLOCK>(count, of_warps);
    if (threadIdx.x == BIN_BLOCK - 1) total = offset + count;
    for (int k = first; k < end; k++) {
        const uint32_t of_bin = offsets[k];
        offsets[k] = offset;
        if (of_bin) moved[k] = atomicAdd(&b.cursors[k], of_bin) - offset;
        offset += of_bin;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BIN_EACH; j++) {
        if (target[j] == NO_TARGET) continue;
        const int local = j * BIN_BLOCK + threadIdx.x;
        const uint32_t at = offsets[target[j] / BIN_TARGETS] + rank[j];
        targets[at] = target[j];
        if (RECORD != BIN_TARGET_ONLY) locals[at] = (uint16_t)local;
        if (RECORD == BIN_VALUE)
            values[at] = load_bits(p.dense + (start + local) * p.dense_strides[0], b.item_bytes);
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < total; k += BIN_BLOCK) {
        const uint32_t bin = targets[k] / BIN_TARGETS;
        const uint32_t at = moved[bin] + k;
        b.targets[at] = (uint16_t)(targets[k] - bin * BIN_TARGETS);
        if (RECORD == BIN_TARGET_ONLY) continue;
        const uint32_t position = (uint32_t)start + locals[k] + 1;
        if (RECORD == BIN_VALUE)
            ((uint64_t*)b.keys)[at] = (uint64_t)position << 32 | values[k];
        else
            ((uint32_t*)b.keys)[at] = position;
    }
}

__device__ __forceinline__ void keep_largest(uint32_t* slot, uint32_t key) {
    if (*(volatile uint32_t*)slot < key) atomicMax(slot, key);
}
__device__ __forceinline__ void keep_largest(unsigned long long* slot, unsigned long long key) {
    unsigned long long found = *(volatile unsigned long long*)slot;
    while (found < key) {
        const unsigned long long before = atomicCAS(slot, found, key);
        if (before == found) return;
        found = before;
    }
}

// Finds the largest key of each target of the bin, 0 if it has none. Returns whether the bin has records.
template <class Key>
__device__ __forceinline__ bool settle_bin(const ScatterBinsParams& b, Key* slots) {
    constexpr int EACH = 8;
    const uint32_t start = b.starts[blockIdx.x], end = b.starts[blockIdx.x + 1];
    if (start == end || *b.spread != PLACES_APART) return false;
    for (int k = threadIdx.x; k < BIN_TARGETS; k += BIN_SETTLE_BLOCK) slots[k] = 0;
    __syncthreads();
    const Key* keys = (const Key*)b.keys;
    // From the end, so that most superseded records cost a read instead of an atomic.
    for (int64_t last = (int64_t)end - 1 - threadIdx.x; last >= start; last -= EACH * BIN_SETTLE_BLOCK) {
        uint16_t target[EACH];
        Key key[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int64_t i = last - j * BIN_SETTLE_BLOCK;
            target[j] = i >= start ? __ldcs(b.targets + i) : 0;
            key[j] = i >= start ? __ldcs(keys + i) : 0;
        }
#pragma unroll
        for (int j = 0; j < EACH; j++) keep_largest(slots + target[j], key[j]);
    }
    __syncthreads();
    return true;
}

__device__ __forceinline__ int64_t bin_end(const ScatterBinsParams& b) {
    const int64_t left = b.move.extent[0] - (int64_t)blockIdx.x * BIN_TARGETS;
    return left < BIN_TARGETS ? left : BIN_TARGETS;
}

// Settles a bin whose keys hold the values in their low half.
template <class U>
__device__ __forceinline__ void settle_values(const ScatterBinsParams& b) {
    extern __shared__ unsigned long long bin_keys[];
    if (!settle_bin(b, bin_keys)) return;
    const int64_t step = b.move.multiplier[0];
    char* out = b.move.indexed + (int64_t)blockIdx.x * BIN_TARGETS * step;
    const int end = (int)bin_end(b);
#pragma unroll 4
    for (int k = threadIdx.x; k < end; k += BIN_SETTLE_BLOCK)
        if (bin_keys[k]) *(U*)(out + k * step) = (U)bin_keys[k];
}

// Settles a bin whose keys are positions: reads the value at the last position for each target.
template <class U>
__device__ __forceinline__ void settle_positions(const ScatterBinsParams& b) {
    constexpr int EACH = 4;
    extern __shared__ uint32_t bin_shared[];
    if (!settle_bin(b, bin_shared)) return;
    const GatherParams& p = b.move;
    const int64_t step = p.multiplier[0];
    char* out = p.indexed + (int64_t)blockIdx.x * BIN_TARGETS * step;
    const int end = (int)bin_end(b);
    for (int first = threadIdx.x; first < end; first += EACH * BIN_SETTLE_BLOCK) {
        U value[EACH];
        bool named[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int k = first + j * BIN_SETTLE_BLOCK;
            const uint32_t key = k < end ? bin_shared[k] : 0;
            named[j] = key != 0;
            if (key) value[j] = *(const U*)(p.dense + (int64_t)(key - 1) * p.dense_strides[0]);
        }
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (named[j]) *(U*)(out + (first + j * BIN_SETTLE_BLOCK) * step) = value[j];
    }
}

// Writes one value to all targets that have a record.
template <class U>
__device__ __forceinline__ void settle_scalar(const ScatterBinsParams& b) {
    constexpr int EACH = 8;
    __shared__ uint32_t named[BIN_TARGETS / 4];
    const uint32_t start = b.starts[blockIdx.x], end = b.starts[blockIdx.x + 1];
    if (start == end || *b.spread != PLACES_APART) return;
    for (int k = threadIdx.x; k < BIN_TARGETS / 4; k += BIN_SETTLE_BLOCK) named[k] = 0;
    __syncthreads();
    uint8_t* marks = (uint8_t*)named;
    for (int64_t first = (int64_t)start + threadIdx.x; first < end; first += EACH * BIN_SETTLE_BLOCK) {
        uint16_t target[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int64_t i = first + j * BIN_SETTLE_BLOCK;
            target[j] = __ldcs(b.targets + (i < end ? i : start));
        }
#pragma unroll
        for (int j = 0; j < EACH; j++) marks[target[j]] = 1;
    }
    __syncthreads();
    const int64_t step = b.move.multiplier[0];
    char* out = b.move.indexed + (int64_t)blockIdx.x * BIN_TARGETS * step;
    const U value = *(const U*)b.move.scalar;
    const int last = (int)bin_end(b);
#pragma unroll 4
    for (int k = threadIdx.x; k < last; k += BIN_SETTLE_BLOCK)
        if (marks[k]) *(U*)(out + k * step) = value;
}

__device__ __forceinline__ void probe_bins(const ScatterBinsParams& b) {
    uint32_t spread = probe_places(b.move);
    if (spread == PLACES_FEW && !b.takes_few) spread = PLACES_APART;
    if (threadIdx.x == 0) *b.spread = spread;
}

// Does the work without bins, by few blocks, so that it costs little if bins are used instead.
template <class Work>
__device__ __forceinline__ void each_tile(const ScatterBinsParams& b, int64_t count, Work work) {
    constexpr int TILE = GATHER_BLOCK * GATHER_EACH;
    if (*b.spread != PLACES_FEW) return;
    for (int64_t block = blockIdx.x; block < (count + TILE - 1) / TILE; block += gridDim.x) work(block);
}

__device__ __forceinline__ void clear_claims(const ScatterBinsParams& b) {
    if (*b.spread != PLACES_FEW) return;
    const int64_t vectors = (b.move.extent[0] + 3) / 4, threads = (int64_t)gridDim.x * GATHER_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GATHER_BLOCK + threadIdx.x; i < vectors; i += threads)
        reinterpret_cast<uint4*>(b.move.claims)[i] = uint4{0, 0, 0, 0};
}
__device__ __forceinline__ void claim_few(const ScatterBinsParams& b) {
    const int64_t blocks = (b.move.size + GATHER_BLOCK * GATHER_EACH - 1) / (GATHER_BLOCK * GATHER_EACH);
    each_tile(b, b.move.size, [&](int64_t block) { claim_flat(b.move, blocks - 1 - block); });
}
// Writes the values that hold a claim, or one value to all targets.
template <class U>
__device__ __forceinline__ void settle_few(const ScatterBinsParams& b) {
    if (b.move.dense)
        each_tile(b, b.move.extent[0], [&](int64_t block) { settle_claims<U>(b.move, block); });
    else
        each_tile(b, b.move.size, [&](int64_t block) { scatter_flat<U>(b.move, block); });
}

// Without bins: of equal indices, which are adjacent in sorted order, the last one writes. If an index turns
// out to be less than the one before it, bins write everything again.
template <class U>
__device__ __forceinline__ void move_ordered(const ScatterBinsParams& b) {
    if (*b.spread != PLACES_NEAR) return;
    const GatherParams& p = b.move;
    const int64_t first = first_place(blockIdx.x);
    int64_t at[GATHER_EACH], next[GATHER_EACH];
    load_places(p, first, at);
    load_places(p, first + 1, next);
    U value[GATHER_EACH];
    bool fell = false;
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++) {
        fell = fell || (next[j] >= 0 && next[j] < at[j]);
        if (at[j] == next[j]) at[j] = -1;
        const char* from = p.dense + (first + j * GATHER_BLOCK) * p.dense_strides[0];
        value[j] = !p.dense ? scalar_of<U>(p) : at[j] < 0 ? U{} : *(const U*)from;
    }
#pragma unroll
    for (int j = 0; j < GATHER_EACH; j++)
        if (at[j] >= 0) *(U*)(p.indexed + at[j] * p.multiplier[0]) = value[j];
    if (fell) *b.spread = PLACES_APART;
}

}  // namespace gpunp

// Two blocks of the sorting kernels per multiprocessor, if shared memory allows: one loads while the other
// writes. 0 leaves the choice to the compiler.
#define GPUNP_BINS_KERNEL(symbol, threads, blocks, call)                   \
    extern "C" __global__ void __launch_bounds__(::gpunp::threads, blocks) \
        symbol(const __grid_constant__::gpunp::ScatterBinsParams p) {      \
        call;                                                              \
    }
#define GPUNP_BINS                                                                                         \
    GPUNP_BINS_KERNEL(bins_probe, PROBE_BLOCK, 0, ::gpunp::probe_bins(p))                                  \
    GPUNP_BINS_KERNEL(bins_clear_claims, GATHER_BLOCK, 0, ::gpunp::clear_claims(p))                        \
    GPUNP_BINS_KERNEL(bins_claim_few, GATHER_BLOCK, 0, ::gpunp::claim_few(p))                              \
    GPUNP_BINS_KERNEL(bins_count, BIN_BLOCK, 2, ::gpunp::count_bins(p))                                    \
    GPUNP_BINS_KERNEL(bins_start, BIN_BLOCK, 2, ::gpunp::start_bins(p))                                    \
    GPUNP_BINS_KERNEL(bins_fill_scalar, BIN_BLOCK, 2, ::gpunp::fill_bins<::gpunp::BIN_TARGET_ONLY>(p))     \
    GPUNP_BINS_KERNEL(bins_fill_position, BIN_BLOCK, 2, ::gpunp::fill_bins<::gpunp::BIN_POSITION>(p))      \
    GPUNP_BINS_KERNEL(bins_fill_value, BIN_BLOCK, 2, ::gpunp::fill_bins<::gpunp::BIN_VALUE>(p))            \
    GPUNP_BINS_KERNEL(bins_settle_value_1, BIN_SETTLE_BLOCK, 0, ::gpunp::settle_values<uint8_t>(p))        \
    GPUNP_BINS_KERNEL(bins_settle_value_2, BIN_SETTLE_BLOCK, 0, ::gpunp::settle_values<uint16_t>(p))       \
    GPUNP_BINS_KERNEL(bins_settle_value_4, BIN_SETTLE_BLOCK, 0, ::gpunp::settle_values<uint32_t>(p))       \
    GPUNP_BINS_KERNEL(bins_settle_position_8, BIN_SETTLE_BLOCK, 0, ::gpunp::settle_positions<uint64_t>(p)) \
    GPUNP_BINS_KERNEL(bins_settle_position_16, BIN_SETTLE_BLOCK, 0,                                        \
                      ::gpunp::settle_positions<::gpunp::Bytes16>(p))
#define GPUNP_BINS_OF(bytes, U)                                                                      \
    GPUNP_BINS_KERNEL(bins_settle_scalar_##bytes, BIN_SETTLE_BLOCK, 0, ::gpunp::settle_scalar<U>(p)) \
    GPUNP_BINS_KERNEL(bins_ordered_##bytes, GATHER_BLOCK, 0, ::gpunp::move_ordered<U>(p))            \
    GPUNP_BINS_KERNEL(bins_settle_few_##bytes, GATHER_BLOCK, 0, ::gpunp::settle_few<U>(p))
#else
// The host moves one element after another.
#define GPUNP_BINS
#define GPUNP_BINS_OF(bytes, U)
#endif
