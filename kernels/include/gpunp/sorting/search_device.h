// The searches on the GPU; included by search.h.
#pragma once
#include "gpunp/sorting/search.h"

namespace gpunp {
namespace searching {

// The sorted position of tree node k (k >= 1), counted from 1 in units of 2 ** step_levels elements.
__device__ __forceinline__ int64_t tree_place(int k, int levels) {
    const int level = 31 - __clz(k);
    return (int64_t)(2 * (k - (1 << level)) + 1) << (levels - 1 - level);
}

// Moves all queries of the thread down one level at a time, so that their loads overlap.
template <class K, class Before>
__device__ __forceinline__ void descend(const K* tree, int levels, const K (&x)[SEARCH_EACH],
                                        int (&node)[SEARCH_EACH], Before before) {
#pragma unroll
    for (int i = 0; i < SEARCH_EACH; i++) node[i] = 1;
    for (int level = 0; level < levels; level++) {
#pragma unroll
        for (int i = 0; i < SEARCH_EACH; i++) node[i] = 2 * node[i] + (before(tree[node[i]], x[i]) ? 1 : 0);
    }
#pragma unroll
    for (int i = 0; i < SEARCH_EACH; i++) node[i] -= 1 << levels;
}

template <class K, int DTYPE>
__device__ __forceinline__ void search(const SearchParams& p) {
    extern __shared__ __align__(16) unsigned char shared[];
    K* tree = reinterpret_cast<K*>(shared);
    const Sorted<K, DTYPE> sorted(p);
    using Index = typename Sorted<K, DTYPE>::Index;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    if (DTYPE < 0 && p.mode == SEARCH_BINS)
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i + 1 < p.n; i += threads)
            sorted.check(i);
    for (int k = 1 + threadIdx.x; k < 1 << p.tree_levels; k += blockDim.x)
        tree[k] = sorted.at_or_end((Index)((tree_place(k, p.tree_levels) << p.step_levels) - 1));
    __syncthreads();
    for (int64_t base = (int64_t)blockIdx.x * blockDim.x * SEARCH_EACH; base < p.count;
         base += threads * SEARCH_EACH) {
        K x[SEARCH_EACH];
        int node[SEARCH_EACH];
#pragma unroll
        for (int i = 0; i < SEARCH_EACH; i++) {
            // Past the end, the last query is loaded again: unconditional loads can be in flight together.
            const int64_t at = base + i * (int)blockDim.x + threadIdx.x;
            x[i] = sorted.query(at < p.count ? at : p.count - 1);
        }
        descend(tree, p.tree_levels, x, node,
                [&](const K& element, const K& value) { return sorted.before(element, value); });
        Index low[SEARCH_EACH];
#pragma unroll
        for (int i = 0; i < SEARCH_EACH; i++) low[i] = (Index)node[i] << p.step_levels;
        for (Index half = ((Index)1 << p.step_levels) >> 1; half > 0; half >>= 1) {
            K element[SEARCH_EACH];
#pragma unroll
            for (int i = 0; i < SEARCH_EACH; i++) element[i] = sorted.at_or_end(low[i] + half - 1);
#pragma unroll
            for (int i = 0; i < SEARCH_EACH; i++) low[i] += sorted.before(element[i], x[i]) ? half : 0;
        }
#pragma unroll
        for (int i = 0; i < SEARCH_EACH; i++) {
            const int64_t at = base + i * (int)blockDim.x + threadIdx.x;
            if (at < p.count) sorted.write(at, sorted.finish(low[i], x[i]), x[i]);
        }
    }
}

template <int PARTS>
__device__ __forceinline__ void interpolate_all(const InterpParams& p) {
    extern __shared__ __align__(16) unsigned char shared[];
    double* tree = reinterpret_cast<double*>(shared);
    double* staged = tree + (1 << p.tree_levels);
    for (int k = 1 + threadIdx.x; k < 1 << p.tree_levels; k += blockDim.x) {
        const int64_t at = (tree_place(k, p.tree_levels) << p.step_levels) - 1;
        tree[k] = at < p.n ? p.xp[at] : __longlong_as_double(0x7ff0000000000000ll);
    }
    if (p.staged) {
        for (int j = threadIdx.x; j < p.n; j += blockDim.x) {
            staged[j * (1 + PARTS)] = p.xp[j];
            for (int k = 0; k < PARTS; k++) staged[j * (1 + PARTS) + 1 + k] = p.fp[(int64_t)j * PARTS + k];
        }
    }
    __syncthreads();
    const Points<PARTS> points{p, p.staged ? staged : nullptr};
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t base = (int64_t)blockIdx.x * blockDim.x * SEARCH_EACH; base < p.count;
         base += threads * SEARCH_EACH) {
        double x[SEARCH_EACH];
        int node[SEARCH_EACH];
#pragma unroll
        for (int i = 0; i < SEARCH_EACH; i++) {
            const int64_t at = base + i * (int)blockDim.x + threadIdx.x;
            x[i] = load_as<double>(p.x + (at < p.count ? at : p.count - 1) * p.x_item, p.x_dtype);
        }
        descend(tree, p.tree_levels, x, node, [](double element, double value) { return element <= value; });
#pragma unroll
        for (int i = 0; i < SEARCH_EACH; i++) {
            const int64_t at = base + i * (int)blockDim.x + threadIdx.x;
            int64_t low = (int64_t)node[i] << p.step_levels;
            for (int64_t half = ((int64_t)1 << p.step_levels) >> 1; half > 0; half >>= 1) {
                const int64_t next = low + half - 1;
                low += next < p.n && p.xp[next] <= x[i] ? half : 0;
            }
            if (at < p.count) points.write(at, finish_points(p, low, x[i]), x[i]);
        }
    }
}

#define GPUNP_SEARCH_KERNEL(symbol, K, DTYPE)                        \
    extern "C" __global__ void __launch_bounds__(SEARCH_BLOCK_LARGE) \
        symbol(const __grid_constant__::gpunp::SearchParams p) {     \
        ::gpunp::searching::search<K, DTYPE>(p);                     \
    }
#define GPUNP_SEARCH(symbol, K) GPUNP_SEARCH_KERNEL(symbol, K, -1)
#define GPUNP_SEARCH_PLAIN(symbol, K, DTYPE) GPUNP_SEARCH_KERNEL(symbol, K, DTYPE)
#define GPUNP_INTERP(symbol, PARTS)                                  \
    extern "C" __global__ void __launch_bounds__(SEARCH_BLOCK_LARGE) \
        symbol(const __grid_constant__::gpunp::InterpParams p) {     \
        ::gpunp::searching::interpolate_all<PARTS>(p);               \
    }

}  // namespace searching
}  // namespace gpunp
