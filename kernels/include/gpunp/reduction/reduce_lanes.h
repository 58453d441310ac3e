// Shared by the device variants of a reduction: folds over the threads of a warp and of a block, and stores.
#pragma once
#include "gpunp/common/last_block.h"
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"
#include "gpunp/reduction/reduce_streams.h"

namespace gpunp {
namespace reduction {

constexpr unsigned WARP = 32;

// Moments take registers that loads need: fewer columns and longer batches per thread, and three blocks per
// multiprocessor, took np.var(A, axis=0) from 421 to 382 us and np.var(A) from 391 to 365 us (in one run).
template <class Acc>
constexpr bool is_moments = false;
template <>
constexpr bool is_moments<Moments> = true;
template <class Op>
constexpr bool has_moments = is_moments<typename Op::Acc>;

// The search for the best of elements of 4 and 8 bytes needs more loads in flight, too: eight vectors per
// thread instead of four, and three blocks per multiprocessor. np.argmax(A, axis=1) of 16384 x 16384 float32
// on an H200 takes 251 us instead of 264, axis=0 253 instead of 268.
template <class Acc>
constexpr bool is_best = false;
template <class T>
constexpr bool is_best<Best<T>> = math::is_real<T>;
template <class Op>
constexpr bool has_long_batches =
    has_moments<Op> || (is_best<typename Op::Acc> && sizeof(typename Op::In) >= 4);

// Loads 16 bytes of neighboring elements, which are aligned.
template <class Op>
__device__ __forceinline__ Vector<typename Op::In> load_elements(const typename Op::In* at,
                                                                 const ReduceParams& p) {
    if constexpr (Elements<Op>::in_memory) {
        return load_vector(at);
    } else {
        Vector<typename Op::In> v;
        Elements<Op>::neighbors(v.at, at, p);
        return v;
    }
}

// Loads another block's accumulator, bypassing this multiprocessor's L1 cache.
template <class T>
__device__ __forceinline__ T load_partial(const T* q) {
    static_assert(sizeof(T) <= REDUCE_ACCUMULATOR_BYTES, "the workspace is sized by the largest accumulator");
    uint32_t words[sizeof(T) / 4];
#pragma unroll
    for (int i = 0; i < (int)(sizeof(T) / 4); i++) words[i] = __ldcg((const uint32_t*)q + i);
    T x;
    __builtin_memcpy(&x, words, sizeof(T));
    return x;
}

// Combines accumulators of two threads. Those of moments mostly have equal counts, whose quotient is known.
template <class Op>
__device__ __forceinline__ typename Op::Acc combine_lanes(typename Op::Acc a, typename Op::Acc b) {
    if constexpr (has_moments<Op>) {
        if (a.count == b.count && a.count > 0) {
            const double delta = b.mean - a.mean;
            return {a.count + b.count, a.mean + delta * 0.5,
                    a.deviations + b.deviations + delta * delta * (a.count * 0.5)};
        }
    }
    return Op::combine(a, b);
}

template <class Op>
__device__ __forceinline__ typename Op::Acc fold_lanes(typename Op::Acc a, int width) {
    for (int distance = width / 2; distance > 0; distance /= 2)
        a = combine_lanes<Op>(a, warp::shuffle_down(a, distance, width));
    return a;
}

// Folds groups of `lanes` neighboring threads (a power of two); the first thread of a group has the result.
template <class Op>
__device__ __noinline__ typename Op::Acc fold_group(typename Op::Acc a, int lanes) {
    using Acc = typename Op::Acc;
    a = fold_lanes<Op>(a, lanes < (int)WARP ? lanes : (int)WARP);
    if (lanes > (int)WARP) {
        __shared__ alignas(16) unsigned char room[(REDUCE_BLOCK / WARP) * sizeof(Acc)];
        Acc* warps = reinterpret_cast<Acc*>(room);
        const int warp = threadIdx.x / WARP, lane = threadIdx.x & (lanes - 1);
        __syncthreads();
        if (threadIdx.x % WARP == 0) warps[warp] = a;
        __syncthreads();
        if (lane < (int)WARP) {
            const int count = lanes / WARP;
            a = lane < count ? warps[warp + lane] : Op::identity();
            a = fold_lanes<Op>(a, REDUCE_BLOCK / WARP);
        }
    }
    return a;
}

// Folds threads `across` apart through shared memory; the first `across` threads have the results.
template <class Op>
__device__ __noinline__ typename Op::Acc fold_strided(typename Op::Acc a, int lane, int across, int lanes) {
    using Acc = typename Op::Acc;
    __shared__ alignas(16) unsigned char room[REDUCE_BLOCK * sizeof(Acc)];
    Acc* threads = reinterpret_cast<Acc*>(room);
    if (lanes == 1) return a;
    __syncthreads();
    threads[threadIdx.x] = a;
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (lane < distance) {
            a = combine_lanes<Op>(a, threads[threadIdx.x + distance * across]);
            threads[threadIdx.x] = a;
        }
    }
    return a;
}

// True in the block that finishes last of those that share a tile: its threads see all partials.
static __device__ __noinline__ bool is_last_block(const ReduceParams& p, unsigned tile) {
    return ::gpunp::is_last_block(p.counters, p.splits, tile);
}

template <class Op>
__device__ __forceinline__ typename Op::Acc with_initial(typename Op::Acc a, const ReduceParams& p) {
    if constexpr (Op::has_initial) {
        if (p.flags & REDUCE_INITIAL) a = Op::combine(initial_value<typename Op::Acc>(p), a);
    }
    return a;
}

template <class Op>
__device__ __noinline__ void store(typename Op::Acc a, const ReduceParams& p, int64_t out_offset) {
    store_result(p.out + out_offset, with_initial<Op>(a, p), p);
}

__device__ __forceinline__ bool narrow_kept(const ReduceParams& p) {
    return p.outputs <= 0x7fffffff;
}
__device__ __forceinline__ bool narrow_reduced(const ReduceParams& p) {
    return p.reduced <= 0x7fffffff;
}

}  // namespace reduction
}  // namespace gpunp
