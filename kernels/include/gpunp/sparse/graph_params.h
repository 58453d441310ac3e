// Parameters of the kernels of graphs, shared with Cython. An edge has a source, a target and a weight; the
// arrays of edges are ordered by source. Nodes are int32, as in SciPy.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    GRAPH_BLOCK = 256,  // threads
    FLOYD_SIDE = 32,    // of the square tiles of a matrix of distances
};

// Trees of nodes that point to a node of the same component with a lower number, or to themselves.
struct UniteParams {
    const int32_t* source;
    const int32_t* target;
    int32_t* parents;
    int64_t edges, nodes;
};

// Shortest paths: a row of `nodes` distances for each search.
struct RelaxParams {
    const int32_t* source;
    const int32_t* target;
    const double* weight;  // or null: all are 1
    double* distance;
    const uint8_t* now;  // nodes whose distance fell in the last sweep
    uint8_t* next;       // those of this sweep
    int32_t* changed;    // set if there is one
    int64_t edges, nodes, searches;
    double limit;  // longer paths are left out
};

// Predecessors by the edges that shortest paths use. In round 0 these make the path longer; in round r, they
// come from nodes that have a depth below r.
struct TightParams {
    const int32_t* source;
    const int32_t* target;
    const double* weight;
    const double* distance;
    int32_t* previous;  // initially the largest int32
    int32_t* depth;     // -1 where a search starts, initially the largest int32 elsewhere
    int32_t* changed;
    int64_t edges, nodes, searches;
    int32_t round;
};

// One level of a breadth-first search: the key of a node is the place of its parent in the order of the
// search, and the number of the edge among those of the parent. The least key wins, as in a queue.
struct LevelParams {
    const int32_t* source;
    const int32_t* target;
    const int64_t* begin;  // where the edges of each node start
    const int32_t* place;  // of nodes in the order; the largest int32 for those that were not reached
    int64_t* key;          // the largest int64 for those
    int64_t edges;
    int32_t first, last;  // places of the level
};

// A round of Boruvka's algorithm: the lightest edge of each component to another one, of equal edges the
// first.
struct BoruvkaParams {
    const int32_t* source;
    const int32_t* target;
    const double* weight;
    const int32_t* parents;  // the component of each node: its root
    int32_t* joined;         // what the components of the next round are made of
    uint64_t* lightest;      // by component: initially the largest uint64
    int64_t* first;          // by component: initially the largest int64
    uint8_t* chosen;         // by edge
    int32_t* changed;
    int64_t edges, nodes;
};

// Strong components: colors spread along the edges within groups, and marks against them within colors.
struct SpreadParams {
    const int32_t* source;
    const int32_t* target;
    const int32_t* group;  // negative: the component is known
    int32_t* color;
    uint8_t* mark;
    int32_t* changed;
    int64_t edges;
};

// A step of the algorithm of Floyd and Warshall: paths through the nodes of one tile.
struct FloydParams {
    double* distance;   // n x n
    int32_t* previous;  // the same, or null
    int64_t n, tile;
};

}  // namespace gpunp
