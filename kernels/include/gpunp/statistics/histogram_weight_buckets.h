// Sums of weights in many bins, without one atomic operation in global memory per weight: values and weights
// are scattered to buckets of neighboring bins, and each bucket is summed in shared memory, as integers.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/statistics/histogram_buckets.h"
#include "gpunp/statistics/histogram_weights.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace histogram {

// Loads this thread's values of a tile.
template <class T>
__device__ __forceinline__ void load_tile(const void* values, int64_t first, int held,
                                          uint32_t (&own)[BUCKET_ITEMS]) {
    const T* source = static_cast<const T*>(values) + first;
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++) {
        const int at = threadIdx.x + BUCKET_BLOCK * i;
        own[i] = at < held ? (uint32_t)__ldcs(source + at) : 0;
    }
}

template <class W>
__device__ __forceinline__ W load_weight(const WeightParams& p, int64_t i) {
    const char* at = p.weights + i * p.weight_stride;
    if constexpr (sizeof(W) == 4)
        return __ldcs((const float*)at);
    else
        return load_as<double>(at, p.weight_dtype);
}

// As bucket_split, for values of a dtype known only at run time; weights move along as W.
template <class W>
__device__ __forceinline__ void weight_split(const WeightBucketParams& w) {
    constexpr int TILE = BUCKET_BLOCK * BUCKET_ITEMS, BITS = BUCKET_BITS;
    extern __shared__ __align__(16) unsigned char tile_bytes[];
    W* weights = reinterpret_cast<W*>(tile_bytes);
    uint32_t* stage = reinterpret_cast<uint32_t*>(weights + TILE);
    __shared__ uint32_t starts[BUCKET_COUNT];
    __shared__ int64_t targets[BUCKET_COUNT];
    const BucketParams& p = w.bucket;
    const int tid = threadIdx.x;
    if (tid < BUCKET_COUNT) starts[tid] = 0;
    const int64_t first = (int64_t)blockIdx.x * TILE;
    const int held = (int)min((int64_t)TILE, p.extent.size - first);
    uint32_t values[BUCKET_ITEMS];
    uint16_t ranks[BUCKET_ITEMS];
    if (w.sums.index_dtype >= I8)
        load_tile<long long>(p.extent.values, first, held, values);
    else if (w.sums.index_dtype >= I4)
        load_tile<uint32_t>(p.extent.values, first, held, values);
    else
        load_tile<uint16_t>(p.extent.values, first, held, values);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++)
        if (tid + BUCKET_BLOCK * i < held) ranks[i] = (uint16_t)atomicAdd(&starts[values[i] >> BITS], 1u);
    __syncthreads();
    place_buckets(p, starts, targets);
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++) {
        const int at = tid + BUCKET_BLOCK * i;
        if (at >= held) continue;
        const uint32_t to = starts[values[i] >> BITS] + ranks[i];
        stage[to] = values[i];
        weights[to] = load_weight<W>(w.sums, first + at);
    }
    __syncthreads();
    W* carried = static_cast<W*>(w.carried);
#pragma unroll
    for (int i = 0; i < BUCKET_ITEMS; i++) {
        const int at = tid + BUCKET_BLOCK * i;
        if (at >= held) break;
        const uint32_t value = stage[at];
        const int64_t to = targets[value >> BITS] + at;
        p.places[to] = (uint16_t)(value & ((1u << BITS) - 1));
        carried[to] = weights[at];
    }
}

// Calls `begin` and `end` with the first bin of each bucket of which this block has a part, and in between
// `use` with the bins and weights of its part. Blocks take equal parts, which may end within a bucket.
template <class W, class Begin, class Use, class End>
__device__ __forceinline__ void each_bucket(const WeightBucketParams& w, Begin begin, Use use, End end) {
    constexpr int STEP = 1 << (BUCKET_BITS - BUCKET_SLOT_BITS), EACH = 8;
    using Places = Vector<uint16_t, EACH>;
    using Weights = Vector<W, EACH>;
    const BucketParams& p = w.bucket;
    const int64_t last = p.extent.size * (blockIdx.x + 1) / gridDim.x;
    int64_t from = p.extent.size * blockIdx.x / gridDim.x;
    if (from >= last) return;
    const W* carried = static_cast<const W*>(w.carried);
    int low = 0, high = BUCKET_COUNT;  // starts[low] <= from < starts[high]
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if ((int64_t)p.starts[middle * STEP] <= from)
            low = middle;
        else
            high = middle;
    }
    for (int bucket = low; from < last; bucket++) {
        const int64_t bucket_end = (int64_t)p.starts[(bucket + 1) * STEP];
        const int64_t to = bucket_end < last ? bucket_end : last;
        if (to <= from) continue;
        const int64_t base = (int64_t)bucket << BUCKET_BITS;
        begin(base);
        __syncthreads();
        const int64_t vectors = (from + EACH - 1) / EACH, vectors_end = to / EACH;
#pragma unroll 2
        for (int64_t i = vectors + threadIdx.x; i < vectors_end; i += blockDim.x) {
            const Places places = reinterpret_cast<const Places*>(p.places)[i];
            const Weights weights = reinterpret_cast<const Weights*>(carried)[i];
#pragma unroll
            for (int k = 0; k < EACH; k++) use(base, places.at[k], (double)weights.at[k]);
        }
        const int64_t head = vectors * EACH < to ? vectors * EACH : to;
        if (from + threadIdx.x < head)
            use(base, p.places[from + threadIdx.x], (double)carried[from + threadIdx.x]);
        const int64_t tail = vectors_end * EACH > head ? vectors_end * EACH : head;
        if (tail + threadIdx.x < to)
            use(base, p.places[tail + threadIdx.x], (double)carried[tail + threadIdx.x]);
        __syncthreads();
        end(base);
        __syncthreads();
        from = to;
    }
}

// The greatest exponent key of each bin.
template <class W>
__device__ __forceinline__ void weight_bucket_keys(const WeightBucketParams& w) {
    constexpr int SIZE = 1 << BUCKET_BITS;
    extern __shared__ __align__(16) unsigned char bucket_bytes[];
    uint32_t* local = reinterpret_cast<uint32_t*>(bucket_bytes);
    volatile uint32_t* seen = local;
    each_bucket<W>(
        w,
        [&](int64_t) {
            for (int i = threadIdx.x; i < SIZE; i += blockDim.x) local[i] = 0;
        },
        [&](int64_t, int place, double weight) {
            const uint32_t key = exponent_key(weight);
            // Keys only grow, so reading a stale one costs no more than an unnecessary atomic.
            if (key > seen[place]) atomicMax(&local[place], key);
        },
        [&](int64_t base) {
            for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
                if (local[i]) atomicMax(&w.sums.exponents[base + i], local[i]);
        });
}

// Adds the limbs of the weights. Few have a low limb or are special: those use atomics in global memory.
template <class W>
__device__ __forceinline__ void weight_bucket_limbs(const WeightBucketParams& w) {
    constexpr int SIZE = 1 << BUCKET_BITS;
    extern __shared__ __align__(16) unsigned char bucket_bytes[];
    uint32_t* local = reinterpret_cast<uint32_t*>(bucket_bytes);
    uint16_t* keys = reinterpret_cast<uint16_t*>(local + 2 * SIZE);
    const WeightParams& p = w.sums;
    each_bucket<W>(
        w,
        [&](int64_t base) {
            for (int i = threadIdx.x; i < SIZE; i += blockDim.x) {
                local[i] = local[SIZE + i] = 0;
                keys[i] = base + i < p.bins ? (uint16_t)p.exponents[base + i] : 0;
            }
        },
        [&](int64_t base, int place, double weight) {
            const uint32_t key = keys[place];
            if (weight == 0) return;
            if (key == SPECIAL) {
                const uint64_t bit = special_bit(weight);
                if (bit)
                    atomicOr(reinterpret_cast<unsigned long long*>(p.low + base + place),
                             (unsigned long long)bit);
                return;
            }
            const Limbs limbs = split(weight, key, p.bits);
            const uint32_t low = (uint32_t)limbs.high;
            if (low) {
                const uint32_t before = atomicAdd(&local[place], low);
                const uint32_t high = (uint32_t)((uint64_t)limbs.high >> 32) + (before + low < before);
                if (high) atomicAdd(&local[SIZE + place], high);
            } else if (limbs.high) {
                atomicAdd(&local[SIZE + place], (uint32_t)((uint64_t)limbs.high >> 32));
            }
            add_global(p.low + base + place, (uint64_t)limbs.low);
        },
        [&](int64_t base) {
            for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
                add_global(p.high + base + i, (uint64_t)local[SIZE + i] << 32 | local[i]);
        });
}

}  // namespace histogram
}  // namespace gpunp

#define GPUNP_WEIGHT_BUCKETS_KERNEL(symbol, threads, call)                      \
    extern "C" __global__ void __launch_bounds__(::gpunp::threads)              \
        weight_##symbol(const __grid_constant__::gpunp::WeightBucketParams p) { \
        ::gpunp::histogram::weight_##call(p);                                   \
    }
#define GPUNP_WEIGHT_BUCKETS(name, W)                                                   \
    GPUNP_WEIGHT_BUCKETS_KERNEL(split_##name, BUCKET_BLOCK, split<W>)                   \
    GPUNP_WEIGHT_BUCKETS_KERNEL(bucket_keys_##name, BUCKET_COUNT_BLOCK, bucket_keys<W>) \
    GPUNP_WEIGHT_BUCKETS_KERNEL(bucket_limbs_##name, BUCKET_COUNT_BLOCK, bucket_limbs<W>)
#else
// The host sums weights in two passes in any case.
#define GPUNP_WEIGHT_BUCKETS(name, W)
#endif
