// Searches in trees of points: a thread has a query, and neighbouring threads have queries that are near.
#pragma once
#include "gpunp/spatial/tree.h"

namespace gpunp {
namespace spatial {

// The nearest points so far, ascending, in registers: K places of which the last k count.
template <int K>
struct Nearest {
    double distance[K];
    int64_t place[K];

    GPUNP_HD Nearest(const NeighborsParams& p, int64_t) {
        GPUNP_UNROLL
        for (int j = 0; j < K; j++) {
            // Nothing comes before the places that do not count.
            distance[j] = j < K - p.k ? -HUGE_VAL : p.bound;
            place[j] = p.tree.n;
        }
    }
    GPUNP_HD double worst() const { return distance[K - 1]; }
    GPUNP_HD void take(double d, int64_t at) {
        if (!(d < distance[K - 1])) return;
        distance[K - 1] = d;
        place[K - 1] = at;
        GPUNP_UNROLL
        for (int j = K - 1; j > 0; j--) {
            if (distance[j] < distance[j - 1]) {
                const double nearer = distance[j];
                const int64_t its = place[j];
                distance[j] = distance[j - 1];
                place[j] = place[j - 1];
                distance[j - 1] = nearer;
                place[j - 1] = its;
            }
        }
    }
    template <class Norm>
    GPUNP_HD void write(const NeighborsParams& p, int64_t query) const {
        GPUNP_UNROLL
        for (int j = 0; j < K; j++) {
            const int64_t to = query * p.k + j - (K - p.k);
            if (j < K - p.k) continue;
            const bool found = place[j] < p.tree.n;
            p.distance[to] = found ? Norm::length(p.tree, distance[j]) : HUGE_VAL;
            p.place[to] = found ? p.tree.order[place[j]] : p.tree.n;
        }
    }
};

// Any number of them: a heap in the rows of the result, with the farthest first.
template <>
struct Nearest<0> {
    double* distance;
    int64_t* place;
    int64_t k;

    GPUNP_HD Nearest(const NeighborsParams& p, int64_t query)
        : distance(p.distance + query * p.k), place(p.place + query * p.k), k(p.k) {
        for (int64_t j = 0; j < k; j++) {
            distance[j] = p.bound;
            place[j] = p.tree.n;
        }
    }
    GPUNP_HD double worst() const { return distance[0]; }
    // Puts a value at the top of a heap of `size` places.
    GPUNP_HD void sink(int64_t size, double d, int64_t at) {
        int64_t j = 0;
        while (2 * j + 1 < size) {
            int64_t child = 2 * j + 1;
            if (child + 1 < size && distance[child + 1] > distance[child]) child++;
            if (!(distance[child] > d)) break;
            distance[j] = distance[child];
            place[j] = place[child];
            j = child;
        }
        distance[j] = d;
        place[j] = at;
    }
    GPUNP_HD void take(double d, int64_t at) {
        if (d < distance[0]) sink(k, d, at);
    }
    template <class Norm>
    GPUNP_HD void write(const NeighborsParams& p, int64_t) {
        for (int64_t size = k - 1; size > 0; size--) {
            const double d = distance[size];
            const int64_t at = place[size];
            distance[size] = distance[0];
            place[size] = place[0];
            sink(size, d, at);
        }
        for (int64_t j = 0; j < k; j++) {
            const bool found = place[j] < p.tree.n;
            distance[j] = found ? Norm::length(p.tree, distance[j]) : HUGE_VAL;
            place[j] = found ? p.tree.order[place[j]] : p.tree.n;
        }
    }
};

// The K nearest points of query i (K = 0: p.k) in D dimensions (D = 0: any number).
template <int D, int K, class Norm>
GPUNP_HD void neighbors(const NeighborsParams& p, int64_t i) {
    const Tree& t = p.tree;
    const int64_t query = p.order[i];
    const Query<D, Norm> x(t, p.x + query * t.dimensions);
    Nearest<K> nearest(p, query);
    OrderedStack later;
    int64_t box = 1;
    double distance = x.from_box(t, 1);
    while (true) {
        if (distance * p.factor < nearest.worst()) {
            if (box < t.leaves) {
                // The nearer half first.
                const double left = x.from_box(t, 2 * box), right = x.from_box(t, 2 * box + 1);
                const bool swap = right < left;
                later.push(2 * box + !swap, swap ? left : right);
                box = 2 * box + swap;
                distance = swap ? right : left;
                continue;
            }
            const int64_t end = leaf_end(t, box);
            for (int64_t j = leaf_begin(t, box); j < end; j++) nearest.take(x.from_point(t, j), j);
        }
        if (later.size == 0) break;
        box = later.pop();
        distance = later.popped();
    }
    nearest.template write<Norm>(p, query);
}

template <int D, class Norm>
GPUNP_HD void balls(const BallsParams& p, int64_t i) {
    const Tree& t = p.tree;
    const int64_t query = p.order[i], own = p.own ? p.own[query] : -1;
    const Query<D, Norm> x(t, p.x + query * t.dimensions);
    const double radius = p.radius[query];
    int64_t count = 0, to = p.place ? p.begin[query] : 0;
    Stack later;
    later.push(1);
    while (later.size > 0) {
        const int64_t box = later.pop();
        if (!(x.from_box(t, box) <= radius)) continue;
        if (box < t.leaves) {
            later.push(2 * box + 1);
            later.push(2 * box);
            continue;
        }
        const int64_t end = leaf_end(t, box);
        for (int64_t j = leaf_begin(t, box); j < end; j++) {
            const double d = x.from_point(t, j);
            if (!(d <= radius) || t.order[j] <= own) continue;
            if (p.place) {
                p.place[to] = t.order[j];
                if (p.distance) p.distance[to] = Norm::length(t, d);
                to++;
            }
            count++;
        }
    }
    if (!p.place) p.count[query] = count;
}

template <int D, class Norm>
GPUNP_HD void weights(const WeightsParams& p, int64_t i) {
    const Tree& t = p.tree;
    const int64_t row = i / p.m, query = p.order[i - row * p.m];
    const Query<D, Norm> x(t, p.x + query * t.dimensions);
    const double radius = p.radius[row];
    double sum = 0;
    Stack later;
    later.push(1);
    while (later.size > 0) {
        const int64_t box = later.pop();
        if (!(x.from_box(t, box) <= radius)) continue;
        // All of them at once. Rounding may put a point at the edge on either side of it, as in SciPy.
        if (x.to_box(t, box) <= radius) {
            sum += p.sums[box];
        } else if (box < t.leaves) {
            later.push(2 * box + 1);
            later.push(2 * box);
        } else {
            const int64_t end = leaf_end(t, box);
            for (int64_t j = leaf_begin(t, box); j < end; j++)
                if (x.from_point(t, j) <= radius) sum += p.weights[j];
        }
    }
    p.out[row * p.m + query] = sum;
}

#define GPUNP_WITHIN(name, D, Norm)                                                     \
    GPUNP_TREE_KERNEL(balls_##name, BallsParams, p.m, balls<D, ::gpunp::spatial::Norm>) \
    GPUNP_TREE_KERNEL(weights_##name, WeightsParams, p.m* p.radii, weights<D, ::gpunp::spatial::Norm>)
#define GPUNP_NEIGHBORS(name, D, K, Norm) \
    GPUNP_TREE_KERNEL(neighbors_##name, NeighborsParams, p.m, neighbors<D, K, ::gpunp::spatial::Norm>)

}  // namespace spatial
}  // namespace gpunp
