// Gather from an array of a few MiB. The L2 cache serves a limited rate of requests, whatever their size, so
// a cluster of blocks holds a part of the array in shared memory and serves that part.
#pragma once
#include "gpunp/indexing/gather.h"
#include "gpunp/indexing/gather_cluster_params.h"

#if GPUNP_ON_DEVICE
#include "gpunp/common/cluster.h"

namespace gpunp {

// Loads one element: from the shared memory of a block of the cluster if `held`, else from the array.
// Predicated, because branches would separate the loads of a thread.
template <class U>
__device__ __forceinline__ U load_held(unsigned base, bool held, uint32_t at, int blocks, const U* array) {
    U value{};
#if __CUDA_ARCH__ >= 900
    const uint32_t run = at >> GATHER_CLUSTER_RUN, block = run & ((1u << blocks) - 1);
    const uint32_t place = (run >> blocks << GATHER_CLUSTER_RUN) + (at & ((1u << GATHER_CLUSTER_RUN) - 1));
    const unsigned here = base + place * (unsigned)sizeof(U);
    if constexpr (sizeof(U) == 4)
        asm volatile(
            "{\n.reg .pred p;\n.reg .u32 there;\nsetp.ne.u32 p, %1, 0;\n"
            "mapa.shared::cluster.u32 there, %2, %3;\n"
            "@p ld.shared::cluster.u32 %0, [there];\n@!p ld.global.u32 %0, [%4];\n}"
            : "+r"(value)
            : "r"((unsigned)held), "r"(here), "r"(block), "l"(array + at));
    else
        asm volatile(
            "{\n.reg .pred p;\n.reg .u32 there;\nsetp.ne.u32 p, %1, 0;\n"
            "mapa.shared::cluster.u32 there, %2, %3;\n"
            "@p ld.shared::cluster.u64 %0, [there];\n@!p ld.global.u64 %0, [%4];\n}"
            : "+l"(value)
            : "r"((unsigned)held), "r"(here), "r"(block), "l"(array + at));
#endif
    return value;
}

// Loads this thread's indices of one tile; `valid` are left, counted from the thread's first one.
template <class I>
__device__ __forceinline__ void load_tile(I (&raw)[GATHER_CLUSTER_EACH], const I* index, int valid) {
#pragma unroll
    for (int j = 0; j < GATHER_CLUSTER_EACH; j++)
        raw[j] = j * GATHER_CLUSTER_BLOCK < valid ? __ldcs(index + j * GATHER_CLUSTER_BLOCK) : (I)0;
}

// All arrays are contiguous, and the indexed array has fewer than 2^32 elements.
template <class U, class I>
__device__ __forceinline__ void gather_held(const GatherClusterParams& c, unsigned base) {
    constexpr int EACH = GATHER_CLUSTER_EACH, BLOCK = GATHER_CLUSTER_BLOCK, TILE = BLOCK * EACH;
    const GatherParams& p = c.move;
    const U* array = reinterpret_cast<const U*>(p.indexed);
    const uint64_t extent = p.extent[0];
    const int64_t step = (int64_t)gridDim.x * TILE;
    int64_t first = (int64_t)blockIdx.x * TILE + threadIdx.x;
    const I* index = reinterpret_cast<const I*>(p.index[0]);
    U* out = reinterpret_cast<U*>(p.dense);
    bool outside = false;
    I raw[EACH];
    int valid = (int)min((int64_t)TILE, p.size - first);
    if (valid > 0) load_tile(raw, index + first, valid);
    for (; valid > 0; first += step) {
        uint32_t at[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            uint64_t normal = (uint64_t)((int64_t)raw[j] + (raw[j] < 0 ? (int64_t)extent : 0));
            if (p.mode != INDEX_RAISE)
                normal = (uint64_t)normal_index((int64_t)raw[j], (int64_t)extent, p.mode);
            outside = outside || normal >= extent;
            at[j] = normal >= extent ? 0 : (uint32_t)normal;
        }
        // The next tile's indices are loaded while this tile's elements are in flight.
        const int held = valid;
        valid = (int)min((int64_t)TILE, p.size - first - step);
        if (valid > 0) load_tile(raw, index + first + step, valid);
        U value[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) value[j] = load_held(base, at[j] < c.held, at[j], c.blocks, array);
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (j * BLOCK < held) __stcs(out + first + j * BLOCK, value[j]);
    }
    if (outside) report_index(p);
}

template <class U>
__device__ __forceinline__ void gather_cluster(const GatherClusterParams& c) {
    extern __shared__ __align__(16) unsigned char held_bytes[];
    constexpr uint32_t ELEMENTS = GATHER_CLUSTER_BYTES / sizeof(U), RUN = 1u << GATHER_CLUSTER_RUN;
    const GatherParams& p = c.move;
    U* held = reinterpret_cast<U*>(held_bytes);
    for (uint32_t i = threadIdx.x; i < ELEMENTS; i += GATHER_CLUSTER_BLOCK) {
        const uint32_t at = ((i / RUN << c.blocks) + cluster::rank()) * RUN + i % RUN;
        if (at < c.held) held[i] = reinterpret_cast<const U*>(p.indexed)[at];
    }
    cluster::sync();
    const unsigned base = (unsigned)__cvta_generic_to_shared(held);
    p.index_bytes[0] == 8 ? gather_held<U, long long>(c, base) : gather_held<U, int32_t>(c, base);
    // No block may exit while another may still read its shared memory.
    cluster::sync();
}

}  // namespace gpunp

#define GPUNP_GATHER_CLUSTER(bytes, U)                                                  \
    extern "C" __global__ void __launch_bounds__(::gpunp::GATHER_CLUSTER_BLOCK, 1)      \
        gather_cluster_##bytes(const __grid_constant__::gpunp::GatherClusterParams p) { \
        ::gpunp::gather_cluster<U>(p);                                                  \
    }
#else
#define GPUNP_GATHER_CLUSTER(bytes, U)
#endif
