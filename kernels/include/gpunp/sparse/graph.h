// Searches of graphs. Every kernel has one thread for each edge, so that nodes with many edges delay nothing.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/graph_params.h"
#if GPUNP_ON_DEVICE
#include "gpunp/ndimage/label_device.h"
#else
#include "gpunp/ndimage/label_host.h"
#endif

namespace gpunp {
namespace graph {

#if GPUNP_ON_DEVICE
#define GPUNP_EDGE __device__ __forceinline__

// Lowers a value in memory that other threads may lower, too.
GPUNP_EDGE void lower(int32_t* at, int32_t value) {
    atomicMin(at, value);
}
GPUNP_EDGE void lower(int64_t* at, int64_t value) {
    atomicMin(reinterpret_cast<long long*>(at), (long long)value);
}
GPUNP_EDGE void lower(uint64_t* at, uint64_t value) {
    atomicMin(reinterpret_cast<unsigned long long*>(at), (unsigned long long)value);
}
// Bits of positive numbers are ordered as the numbers are, those of negative ones the other way.
GPUNP_EDGE void lower(double* at, double value) {
    if (value >= 0)
        atomicMin(reinterpret_cast<long long*>(at), __double_as_longlong(value));
    else
        atomicMax(reinterpret_cast<unsigned long long*>(at), (unsigned long long)__double_as_longlong(value));
}
GPUNP_EDGE int32_t root(const int32_t* parents, int32_t x) {
    return label::root_of(parents, x);
}
#else
#define GPUNP_EDGE inline
template <class T>
void lower(T* at, T value) {
    if (value < *at) *at = value;
}
inline int32_t root(int32_t* parents, int32_t x) {
    return label::find_root(parents, x);
}
#endif

constexpr int32_t NO_NODE = 0x7fffffff;
constexpr int64_t NO_EDGE = 0x7fffffffffffffffll;

GPUNP_EDGE void unite_edge(const UniteParams& p, int64_t i) {
    const int32_t u = p.source[i], v = p.target[i];
    if (u != v) label::unite(p.parents, u, v);
}
GPUNP_EDGE void flatten_node(const UniteParams& p, int64_t i) {
    const int32_t parent = p.parents[i], top = root(p.parents, parent);
    if (top != parent) p.parents[i] = top;
}

// The search and the edge of a thread.
struct Pair {
    int64_t row, edge;
    GPUNP_EDGE Pair(int64_t i, int64_t edges, int64_t nodes, int64_t searches) {
        const int64_t search = searches > 1 ? i / edges : 0;
        row = search * nodes;
        edge = i - search * edges;
    }
};

GPUNP_EDGE void relax_edge(const RelaxParams& p, int64_t i) {
    const Pair at(i, p.edges, p.nodes, p.searches);
    const int64_t u = at.row + p.source[at.edge];
    if (!p.now[u]) return;
    // The sum with 0 turns -0 into 0.
    const double length = p.distance[u] + (p.weight ? p.weight[at.edge] : 1.0) + 0.0;
    const int64_t v = at.row + p.target[at.edge];
    if (!(length < p.distance[v]) || length > p.limit) return;
    lower(p.distance + v, length);
    p.next[v] = 1;
    *p.changed = 1;
}

GPUNP_EDGE void tight_edge(const TightParams& p, int64_t i) {
    const Pair at(i, p.edges, p.nodes, p.searches);
    const int32_t node = p.source[at.edge];
    const int64_t u = at.row + node, v = at.row + p.target[at.edge];
    const double before = p.distance[u], after = p.distance[v];
    if (!(after < INFINITY) || before + (p.weight ? p.weight[at.edge] : 1.0) != after) return;
    if (p.round == 0) {
        if (!(before < after) || p.depth[v] < 0) return;
        p.depth[v] = 0;
    } else {
        if (p.depth[u] >= p.round || p.depth[v] < p.round) return;
        p.depth[v] = p.round;
        *p.changed = 1;
    }
    lower(p.previous + v, node);
}

GPUNP_EDGE void level_edge(const LevelParams& p, int64_t i) {
    const int32_t u = p.source[i], at = p.place[u];
    if (at < p.first || at >= p.last) return;
    const int64_t key = (int64_t)at << 32 | (i - p.begin[u]);
    int64_t* of_target = p.key + p.target[i];
    if (key < *of_target) lower(of_target, key);
}

// Bits that are ordered as weights are; NaN comes last.
GPUNP_EDGE uint64_t ordered(double weight) {
    if (weight != weight) return ~0ull - 1;
    weight += 0.0;
    uint64_t bits;
    __builtin_memcpy(&bits, &weight, sizeof(bits));
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}
GPUNP_EDGE void lightest_edge(const BoruvkaParams& p, int64_t i) {
    const int32_t a = p.parents[p.source[i]], b = p.parents[p.target[i]];
    if (a == b) return;
    const uint64_t key = ordered(p.weight[i]);
    if (key < p.lightest[a]) lower(p.lightest + a, key);
    if (key < p.lightest[b]) lower(p.lightest + b, key);
}
GPUNP_EDGE void first_edge(const BoruvkaParams& p, int64_t i) {
    const int32_t a = p.parents[p.source[i]], b = p.parents[p.target[i]];
    if (a == b) return;
    const uint64_t key = ordered(p.weight[i]);
    if (key == p.lightest[a] && i < p.first[a]) lower(p.first + a, i);
    if (key == p.lightest[b] && i < p.first[b]) lower(p.first + b, i);
}
// Two components with the same edge would point to each other: the one with the lower number stays a root.
GPUNP_EDGE void join_node(const BoruvkaParams& p, int64_t i) {
    const int32_t node = (int32_t)i;
    int32_t to = p.parents[i];
    const int64_t edge = to == node ? p.first[i] : NO_EDGE;
    if (edge != NO_EDGE) {
        const int32_t a = p.parents[p.source[edge]], b = p.parents[p.target[edge]];
        const int32_t other = a == node ? b : a;
        p.chosen[edge] = 1;
        if (p.first[other] != edge || other < node) to = other;
        *p.changed = 1;
    }
    p.joined[i] = to;
}

GPUNP_EDGE void color_edge(const SpreadParams& p, int64_t i) {
    const int32_t u = p.source[i], v = p.target[i], group = p.group[u];
    if (group < 0 || group != p.group[v]) return;
    const int32_t color = p.color[u];
    if (!(color < p.color[v])) return;
    lower(p.color + v, color);
    *p.changed = 1;
}
GPUNP_EDGE void mark_edge(const SpreadParams& p, int64_t i) {
    const int32_t u = p.source[i], v = p.target[i], group = p.group[u];
    if (group < 0 || group != p.group[v] || p.color[u] != p.color[v]) return;
    if (p.mark[u] || !p.mark[v]) return;
    p.mark[u] = 1;
    *p.changed = 1;
}

#if GPUNP_ON_DEVICE
#define GPUNP_GRAPH(name, Params, count)                                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::GRAPH_BLOCK)                                 \
        graph_##name(const __grid_constant__::gpunp::Params p) {                                       \
        const int64_t all = count, step = (int64_t)gridDim.x * ::gpunp::GRAPH_BLOCK;                   \
        for (int64_t i = (int64_t)blockIdx.x * ::gpunp::GRAPH_BLOCK + threadIdx.x; i < all; i += step) \
            ::gpunp::graph::name(p, i);                                                                \
    }
#else
#define GPUNP_GRAPH(name, Params, count)                                         \
    static void graph_all_##name(const void* params) {                           \
        const ::gpunp::Params& p = *static_cast<const ::gpunp::Params*>(params); \
        const int64_t all = count;                                               \
        for (int64_t i = 0; i < all; i++) ::gpunp::graph::name(p, i);            \
    }                                                                            \
    GPUNP_HOST_KERNEL(graph_##name, graph_all_##name);
#endif

}  // namespace graph
}  // namespace gpunp
