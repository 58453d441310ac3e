// Device scans. A counter hands out tiles in order, and each tile publishes its aggregate.
#pragma once
#include "gpunp/reduction/scan_lookback.h"

namespace gpunp {

constexpr int STAGED_ROUNDS = 2;  // rounds that go through shared memory at a time when types are converted

template <class A>
__device__ __noinline__ A scan_load_any(const char* p, int dtype) {
    return load_as<A>(p, dtype);
}
template <class A>
__device__ __noinline__ void scan_store_any(char* p, int dtype, A value) {
    store_as<A>(p, dtype, value);
}

template <class F>
struct ScanTile {
    using A = typename F::A;
    using Vector = ::gpunp::Vector<A>;
    using Access = VectorAccess<A>;
    using Wide = typename Access::type;
    static constexpr int V = Vector::WIDTH;
    static constexpr int64_t PACKED_STEP = 32 * sizeof(Vector);
    using Stage = Vector[STAGED_ROUNDS][SCAN_BLOCK];

    Vector x[SCAN_ROUNDS];

    // `q`: this lane's first element; `step`: bytes from round to round; `item`: bytes from element to
    // element; `count(j)`: the number of elements in round j. `packed`: rounds of aligned vectors follow one
    // another without a gap, so that their offsets are constants.
    template <bool packed, class Count>
    __device__ __forceinline__ void load(const ScanParams& p, const char* q, int64_t step, int64_t item,
                                         Count count, Stage& stage) {
        if (p.in_access != SCAN_CONVERT) {
            const bool whole_vectors = p.in_access == SCAN_VECTOR;
#pragma unroll
            for (int j = 0; j < SCAN_ROUNDS; j++) {
                const int n = count(j);
                if (whole_vectors && n == V) {
                    Access::unpack(__ldcs((const Wide*)(q + j * (packed ? PACKED_STEP : step))), x[j]);
                } else {
#pragma unroll
                    for (int v = 0; v < V; v++)
                        x[j].at[v] = v < n ? *(const A*)(q + j * step + v * item) : A{};
                }
            }
        } else {
#pragma unroll
            for (int first = 0; first < SCAN_ROUNDS; first += STAGED_ROUNDS) {
#pragma unroll 1
                for (int k = 0; k < STAGED_ROUNDS; k++) {
                    const char* r = q + (first + k) * step;
                    const int n = count(first + k);
#pragma unroll 1
                    for (int v = 0; v < V; v++, r += item)
                        stage[k][threadIdx.x].at[v] = v < n ? scan_load_any<A>(r, p.in_dtype) : A{};
                }
#pragma unroll
                for (int k = 0; k < STAGED_ROUNDS; k++) x[first + k] = stage[k][threadIdx.x];
            }
        }
        if (p.skip_nan) {
#pragma unroll
            for (int j = 0; j < SCAN_ROUNDS; j++)
#pragma unroll
                for (int v = 0; v < V; v++) x[j].at[v] = keep_or_skip(x[j].at[v], F::skipped());
        }
    }

    template <bool packed, class Count>
    __device__ __forceinline__ void store(const ScanParams& p, char* q, int64_t step, int64_t item,
                                          Count count, Stage& stage) const {
        if (p.out_access != SCAN_CONVERT) {
            const bool whole_vectors = p.out_access == SCAN_VECTOR;
#pragma unroll
            for (int j = 0; j < SCAN_ROUNDS; j++) {
                const int n = count(j);
                if (whole_vectors && n == V) {
                    Wide w;
                    Access::pack(x[j], w);
                    __stcs((Wide*)(q + j * (packed ? PACKED_STEP : step)), w);
                } else {
#pragma unroll
                    for (int v = 0; v < V; v++)
                        if (v < n) *(A*)(q + j * step + v * item) = x[j].at[v];
                }
            }
        } else {
#pragma unroll
            for (int first = 0; first < SCAN_ROUNDS; first += STAGED_ROUNDS) {
#pragma unroll
                for (int k = 0; k < STAGED_ROUNDS; k++) stage[k][threadIdx.x] = x[first + k];
#pragma unroll 1
                for (int k = 0; k < STAGED_ROUNDS; k++) {
                    char* r = q + (first + k) * step;
                    const int n = count(first + k);
#pragma unroll 1
                    for (int v = 0; v < n; v++, r += item)
                        scan_store_any<A>(r, p.out_dtype, stage[k][threadIdx.x].at[v]);
                }
            }
        }
    }

    __device__ __forceinline__ void prepend(A prefix, int op) {
#pragma unroll
        for (int j = 0; j < SCAN_ROUNDS; j++)
#pragma unroll
            for (int v = 0; v < V; v++) x[j].at[v] = F::apply(prefix, x[j].at[v], op);
    }

    // Scans a warp's elements in memory order, lane by lane within a round and round after round; returns
    // their total. `elements`: how many the warp has; rounds beyond them are left unchanged.
    __device__ __forceinline__ A scan_warp(int lane, int elements, int op) {
        A carry{};
#pragma unroll
        for (int j = 0; j < SCAN_ROUNDS; j++) {
            if (j * (32 * V) >= elements) continue;
#pragma unroll
            for (int v = 1; v < V; v++) x[j].at[v] = F::apply(x[j].at[v - 1], x[j].at[v], op);
            A total = x[j].at[V - 1];
            total =
                warp::inclusive_scan(total, lane, [&](A before, A own) { return F::apply(before, own, op); });
            A prefix = warp::shuffle_up(total, 1);
            total = warp::shuffle(total, 31);
            if (j > 0) prefix = lane > 0 ? F::apply(carry, prefix, op) : carry;
            if (j > 0 || lane > 0) {
#pragma unroll
                for (int v = 0; v < V; v++) x[j].at[v] = F::apply(prefix, x[j].at[v], op);
            }
            carry = j > 0 ? F::apply(carry, total, op) : total;
        }
        return carry;
    }
};

// Prefetches a later tile of a row while this block waits: one line of 128 bytes per thread.
template <class A>
__device__ __forceinline__ void prefetch_tile(const ScanParams& p, int64_t row, int64_t k) {
    constexpr int64_t LINE = SCAN_ROUNDS * 16;
    const int64_t at = (k * SCAN_BLOCK + threadIdx.x) * LINE;
    if (at < p.length * (int64_t)sizeof(A))
        asm volatile("prefetch.global.L2 [%0];" ::"l"(p.input + scan_offset(p, p.in_strides, row) + at));
}

// Along rows: `warps_per_row` warps share a row that fits their tile; longer rows are chains of tiles.
template <class F>
__device__ __forceinline__ void scan_rows(const ScanParams& p) {
    using A = typename F::A;
    using Tile = ScanTile<F>;
    constexpr int V = Tile::V;
    constexpr int WARP_ELEMENTS = SCAN_ROUNDS * 32 * V;
    __shared__ typename Tile::Stage stage;
    __shared__ Vector<A> totals[SCAN_WARPS], shared_prefix;
    __shared__ uint32_t ticket;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int team = warp / p.warps_per_row, member = warp % p.warps_per_row;
    int64_t row, k = 0;
    if (p.tiles > 1) {
        if (threadIdx.x == 0) ticket = atomicAdd(p.counter, 1u);
        __syncthreads();
        row = ticket / p.tiles;
        k = ticket % p.tiles;
    } else {
        row = (int64_t)blockIdx.x * (SCAN_WARPS / p.warps_per_row) + team;
    }
    const int64_t first_element = (k * p.warps_per_row + member) * WARP_ELEMENTS;
    const int64_t beyond = row < p.rows ? p.length - first_element : 0;
    const int elements = beyond < WARP_ELEMENTS ? (beyond > 0 ? (int)beyond : 0) : WARP_ELEMENTS;
    const int64_t start = first_element + lane * V;
    const int left = elements - lane * V;
    auto count = [=](int j) {
        int n = left - j * (32 * V);
        return n >= V ? V : n > 0 ? n : 0;
    };
    Tile tile;
    const char* from = p.input + (left > 0 ? scan_offset(p, p.in_strides, row) + start * p.in_stride : 0);
    tile.template load<true>(p, from, 32 * V * p.in_stride, p.in_stride, count, stage);
    A total = tile.scan_warp(lane, elements, p.op);
    if (p.tiles > 1 && p.in_access == SCAN_VECTOR) prefetch_tile<A>(p, row, k + p.ahead);
    bool has_prefix = member > 0;
    A prefix{};
    if (p.warps_per_row > 1) {
        if (lane == 0) totals[warp].at[0] = total;
        __syncthreads();
        const int first = team * p.warps_per_row;
        for (int i = 0; i < member; i++) {
            A next = totals[first + i].at[0];
            prefix = i == 0 ? next : F::apply(prefix, next, p.op);
        }
    }
    if (p.tiles > 1) {
        if (warp == 0) {
            A aggregate = total;
            for (int i = 1; i < SCAN_WARPS; i++) aggregate = F::apply(aggregate, totals[i].at[0], p.op);
            A before = look_back_rows<F>(p, row, k, aggregate, lane);
            if (lane == 0) shared_prefix.at[0] = before;
        }
        __syncthreads();
        if (k > 0) {
            A before = shared_prefix.at[0];
            prefix = has_prefix ? F::apply(before, prefix, p.op) : before;
            has_prefix = true;
        }
    }
    if (has_prefix) tile.prepend(prefix, p.op);
    if (left > 0) {
        char* to = p.output + scan_offset(p, p.out_strides, row) + start * p.out_stride;
        tile.template store<true>(p, to, 32 * V * p.out_stride, p.out_stride, count, stage);
    }
}

// Across rows of memory: each lane owns a vector of columns, each block 128 rows of 32 such vectors.
template <class F>
__device__ __forceinline__ void scan_columns(const ScanParams& p) {
    using A = typename F::A;
    using Tile = ScanTile<F>;
    using Vector = ::gpunp::Vector<A>;
    constexpr int V = Tile::V;
    constexpr int TILE_ROWS = SCAN_WARPS * SCAN_ROUNDS;
    __shared__ typename Tile::Stage stage;
    __shared__ Vector totals[SCAN_WARPS][32], earlier[SCAN_GROUP_COLUMNS][32];
    __shared__ uint32_t ticket;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t blocks_across = (p.columns + 32 * V - 1) / (32 * V);
    const int64_t chains = p.rows * blocks_across;
    if (threadIdx.x == 0) ticket = p.tiles > 1 ? atomicAdd(p.counter, 1u) : blockIdx.x;
    __syncthreads();
    // All chains advance together: a tile's predecessor was started `chains` tiles before.
    const int64_t k = ticket / chains, chain = ticket % chains;
    const int64_t batch = chain / blocks_across;
    const int64_t column = (chain % blocks_across) * (32 * V) + lane * V;
    const int64_t first_row = k * TILE_ROWS + warp * SCAN_ROUNDS;
    const int64_t across = p.columns - column;
    const int columns = across >= V ? V : across > 0 ? (int)across : 0;
    const int64_t beyond = p.length - first_row;
    const int rows_left = beyond < SCAN_ROUNDS ? (beyond > 0 ? (int)beyond : 0) : SCAN_ROUNDS;
    auto count = [=](int j) { return j < rows_left ? columns : 0; };
    Tile tile;
    const char* from = p.input;
    if (columns > 0 && rows_left > 0)
        from += scan_offset(p, p.in_strides, batch) + first_row * p.in_stride + column * p.in_item;
    tile.template load<false>(p, from, p.in_stride, p.in_item, count, stage);
    auto& x = tile.x;
    auto combine = [&](const Vector& a, const Vector& b) {
        Vector r;
#pragma unroll
        for (int v = 0; v < V; v++) r.at[v] = F::apply(a.at[v], b.at[v], p.op);
        return r;
    };
#pragma unroll
    for (int j = 1; j < SCAN_ROUNDS; j++) x[j] = combine(x[j - 1], x[j]);
    totals[warp][lane] = x[SCAN_ROUNDS - 1];
    __syncthreads();
    Vector prefix{};
    for (int i = 0; i < warp; i++) {
        Vector next = totals[i][lane];
        prefix = i == 0 ? next : combine(prefix, next);
    }
    bool has_prefix = warp > 0;
    if (p.tiles > 1) {
        const int64_t group = k / SCAN_GROUP_COLUMNS;
        const int place = (int)(k % SCAN_GROUP_COLUMNS);
        const bool last = k + 1 == p.tiles;
        Vector* aggregates = (Vector*)p.aggregates + lane;
        Vector* groups = (Vector*)p.groups + lane;
        Vector aggregate{};
        if (warp == SCAN_WARPS - 1 && !last) {
            aggregate = combine(prefix, totals[warp][lane]);
            aggregates[(k * chains + chain) * 32] = aggregate;
            __threadfence();
            __syncwarp();
            if (lane == 0) raise_flag(&p.flags[k * chains + chain]);
        }
        // Each warp fetches one earlier aggregate of the group, the last warp the group's prefix.
        const int64_t tile_before = (group * SCAN_GROUP_COLUMNS + warp) * chains + chain;
        const bool fetch_group = warp == SCAN_WARPS - 1 && group > 0;
        if (warp < place || fetch_group) {
            const uint32_t* flag =
                fetch_group ? &p.group_flags[group * chains + chain] : &p.flags[tile_before];
            while (!flag_raised(flag)) {
            }
            __threadfence();
            earlier[warp][lane] = load_published(fetch_group ? &groups[(group * chains + chain) * 32]
                                                             : &aggregates[tile_before * 32]);
        }
        __syncthreads();
        if (k > 0) {
            Vector before = earlier[group > 0 ? SCAN_WARPS - 1 : 0][lane];
            for (int i = group > 0 ? 0 : 1; i < place; i++) before = combine(before, earlier[i][lane]);
            if (warp == SCAN_WARPS - 1 && place == SCAN_GROUP_COLUMNS - 1 && !last) {
                groups[((group + 1) * chains + chain) * 32] = combine(before, aggregate);
                __threadfence();
                __syncwarp();
                if (lane == 0) raise_flag(&p.group_flags[(group + 1) * chains + chain]);
            }
            prefix = has_prefix ? combine(before, prefix) : before;
            has_prefix = true;
        }
    }
    if (has_prefix) {
#pragma unroll
        for (int j = 0; j < SCAN_ROUNDS; j++) x[j] = combine(prefix, x[j]);
    }
    if (columns > 0 && rows_left > 0) {
        char* to =
            p.output + scan_offset(p, p.out_strides, batch) + first_row * p.out_stride + column * p.out_item;
        tile.template store<false>(p, to, p.out_stride, p.out_item, count, stage);
    }
}
static_assert(SCAN_GROUP_COLUMNS <= SCAN_WARPS, "each warp fetches one aggregate");

}  // namespace gpunp

#define GPUNP_SCAN(symbol, F)                                                 \
    extern "C" __global__ void __launch_bounds__(::gpunp::SCAN_BLOCK, 2)      \
        scan_rows_##symbol(const __grid_constant__::gpunp::ScanParams p) {    \
        ::gpunp::scan_rows<F>(p);                                             \
    }                                                                         \
    extern "C" __global__ void __launch_bounds__(::gpunp::SCAN_BLOCK, 2)      \
        scan_columns_##symbol(const __grid_constant__::gpunp::ScanParams p) { \
        ::gpunp::scan_columns<F>(p);                                          \
    }
