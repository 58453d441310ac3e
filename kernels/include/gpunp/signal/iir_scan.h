// Recursive filters in parallel over time.
//
// Each thread runs its samples from zero states. The states that all threads before it leave behind follow by
// a prefix sum whose operator multiplies by powers of the system's matrix; from there the thread runs its
// samples again. The arithmetic is in float64 for float32 samples too.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/signal/iir_systems.h"

namespace gpunp {
namespace iir {

#if GPUNP_ON_DEVICE

constexpr int WARPS = IIR_BLOCK / 32;

template <int N>
struct Scratch {
    double table[N * N * 32];  // the powers by lanes: [i][j][lane]
    double state[WARPS][N];    // before the first thread of each warp
    double total[WARPS][N];    // that each warp leaves behind
    double carry[N];           // before the block's first thread, then after its last
};

template <int N>
__device__ __forceinline__ void load_table(const double* from, Scratch<N>& s) {
    for (int q = threadIdx.x; q < N * N * 32; q += IIR_BLOCK) s.table[q] = from[q / 32 * IIR_POWERS + q % 32];
}

// Replaces what a thread leaves behind, from zeros, by the states before it. `warp_row` is row `lane` of the
// matrix of a warp's samples. Moves s.carry on; all threads must have passed a barrier since they used `s`.
template <class System>
__device__ __forceinline__ void states_before(const double* levels, const double (&warp_row)[System::STATES],
                                              Scratch<System::STATES>& s, double (&z)[System::STATES]) {
    constexpr int N = System::STATES;
    const int lane = threadIdx.x & 31, own = threadIdx.x >> 5;
    GPUNP_UNROLL
    for (int level = 0; level < IIR_LEVELS; level++) {
        double before[N];
        GPUNP_UNROLL
        for (int i = 0; i < N; i++) {
            before[i] = warp::shuffle_up(z[i], 1 << level);
            if (lane < 1 << level) before[i] = 0;
        }
        GPUNP_UNROLL
        for (int i = 0; i < N; i++) GPUNP_UNROLL
        for (int j = 0; j < N; j++)
            if (System::couples(i, j))
                z[i] = fused(levels[(level * IIR_STATES + i) * IIR_STATES + j], before[j], z[i]);
    }
    if (lane == 31) GPUNP_UNROLL
    for (int i = 0; i < N; i++) s.total[own][i] = z[i];
    __syncthreads();
    if (own == 0) {
        double state = lane < N ? s.carry[lane] : 0;
        GPUNP_UNROLL
        for (int w = 0; w < WARPS; w++) {
            if (lane < N) s.state[w][lane] = state;
            double next = lane < N ? s.total[w][lane] : 0;
            GPUNP_UNROLL
            for (int j = 0; j < N; j++) next = fused(warp_row[j], warp::shuffle_number(state, j), next);
            state = next;
        }
        if (lane < N) s.carry[lane] = state;
    }
    __syncthreads();
    GPUNP_UNROLL
    for (int i = 0; i < N; i++) {
        z[i] = warp::shuffle_up(z[i], 1);
        if (lane == 0) z[i] = 0;
    }
    GPUNP_UNROLL
    for (int j = 0; j < N; j++) {
        const double state = s.state[own][j];
        GPUNP_UNROLL
        for (int i = 0; i < N; i++)
            if (System::couples(i, j)) z[i] = fused(s.table[(i * N + j) * 32 + lane], state, z[i]);
    }
}

template <int N>
__device__ __forceinline__ void load_warp_row(const double* table, double (&row)[N]) {
    const int lane = threadIdx.x & 31;
    GPUNP_UNROLL
    for (int j = 0; j < N; j++) row[j] = lane < N ? table[(lane * N + j) * IIR_POWERS + 32] : 0;
}

// One padding element after the samples of each thread avoids bank conflicts.
__device__ __forceinline__ int padded(int i) {
    return i + i / IIR_EACH;
}

// A block per span of a row.
template <class System>
__device__ __forceinline__ void filter_rows(const IirParams& p) {
    constexpr int N = System::STATES, L = IIR_EACH;
    __shared__ double stage[IIR_TILE + IIR_BLOCK];
    __shared__ Scratch<N> s;
    const int t = threadIdx.x;
    const int64_t row = blockIdx.x / p.spans, span = blockIdx.x % p.spans;
    const bool last = span + 1 == p.spans;
    if (last && !p.y) return;
    const int64_t end = last ? p.length : (span + 1) * p.span;
    const int64_t from = x_offset(p, row), to = y_offset(p, row);
    load_table<N>(p.table, s);
    double warp_row[N];
    load_warp_row<N>(p.table, warp_row);
    if (t < N) s.carry[t] = p.initial ? p.initial[blockIdx.x * (int64_t)N + t] : 0;
    for (int64_t tile = span * p.span; tile < end; tile += IIR_TILE) {
#pragma unroll 8
        for (int q = 0; q < L; q++) {
            const int i = q * IIR_BLOCK + t;
            stage[padded(i)] = tile + i < end ? load_sample(p.x, from + (tile + i) * p.x_item, p.single) : 0;
        }
        __syncthreads();
        double x[L], z[N] = {};
        GPUNP_UNROLL
        for (int u = 0; u < L; u++) x[u] = stage[t * (L + 1) + u];
        GPUNP_UNROLL
        for (int u = 0; u < L; u++) System::step(p.coefficients, x[u], z);
        states_before<System>(p.levels, warp_row, s, z);
        if (!p.y) continue;
        const int64_t left = end - tile - t * L;
        GPUNP_UNROLL
        for (int u = 0; u < L; u++) {
            stage[t * (L + 1) + u] = System::step(p.coefficients, x[u], z);
            if (u + 1 == left && last && p.last) GPUNP_UNROLL
            for (int i = 0; i < N; i++) p.last[row * N + i] = z[i];
        }
        __syncthreads();
#pragma unroll 8
        for (int q = 0; q < L; q++) {
            const int i = q * IIR_BLOCK + t;
            if (tile + i < end) store_sample(p.y, to + (tile + i) * p.y_item, p.single, stage[padded(i)]);
        }
        __syncthreads();
    }
    if (!p.y && t < N) p.last[blockIdx.x * (int64_t)N + t] = s.carry[t];
}

// A block per row.
template <class System>
__device__ __forceinline__ void carry_states(const IirCarryParams& p) {
    constexpr int N = System::STATES;
    __shared__ Scratch<N> s;
    const int t = threadIdx.x;
    const int64_t row = blockIdx.x;
    load_table<N>(p.table, s);
    double warp_row[N];
    load_warp_row<N>(p.table, warp_row);
    if (t < N) s.carry[t] = p.initial ? p.initial[row * N + t] : 0;
    __syncthreads();
    for (int64_t first = 0; first < p.spans; first += IIR_BLOCK) {
        const int64_t span = first + t;
        double* place = p.states + (row * p.spans + span) * N;
        double z[N];
        GPUNP_UNROLL
        for (int i = 0; i < N; i++) z[i] = span + 1 < p.spans ? place[i] : 0;
        states_before<System>(p.levels, warp_row, s, z);
        if (span < p.spans) GPUNP_UNROLL
        for (int i = 0; i < N; i++) place[i] = z[i];
        __syncthreads();
    }
}

#define GPUNP_IIR_ROWS(name, ...)                                            \
    extern "C" __global__ void __launch_bounds__(::gpunp::IIR_BLOCK, 4)      \
        iir_rows_##name(const __grid_constant__::gpunp::IirParams p) {       \
        ::gpunp::iir::filter_rows<::gpunp::iir::__VA_ARGS__>(p);             \
    }                                                                        \
    extern "C" __global__ void __launch_bounds__(::gpunp::IIR_BLOCK, 4)      \
        iir_carry_##name(const __grid_constant__::gpunp::IirCarryParams p) { \
        ::gpunp::iir::carry_states<::gpunp::iir::__VA_ARGS__>(p);            \
    }

#else

template <class System>
void filter_rows(const void* params) {
    const IirParams& p = *static_cast<const IirParams*>(params);
    // The spans of a row are independent.
    const int64_t cost = 16 * (p.span < p.length ? p.span : p.length);
    parallel_for(p.rows * p.spans, grain_of(cost), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) filter_span<System>(p, i / p.spans, i % p.spans);
    });
}

// With the matrix of one span, which is power 1 of the table.
template <class System>
void carry_states(const void* params) {
    constexpr int N = System::STATES;
    const IirCarryParams& p = *static_cast<const IirCarryParams*>(params);
    for (int64_t row = 0; row < p.rows; row++) {
        double z[N];
        for (int i = 0; i < N; i++) z[i] = p.initial ? p.initial[row * N + i] : 0;
        for (int64_t span = 0; span < p.spans; span++) {
            double* place = p.states + (row * p.spans + span) * N;
            double next[N];
            for (int i = 0; i < N; i++) {
                next[i] = place[i];
                for (int j = 0; j < N; j++) next[i] += p.table[(i * N + j) * IIR_POWERS + 1] * z[j];
            }
            for (int i = 0; i < N; i++) {
                place[i] = z[i];
                z[i] = next[i];
            }
        }
    }
}

#define GPUNP_IIR_ROWS(name, ...)                                                             \
    GPUNP_HOST_KERNEL(iir_rows_##name, ::gpunp::iir::filter_rows<::gpunp::iir::__VA_ARGS__>); \
    GPUNP_HOST_KERNEL(iir_carry_##name, ::gpunp::iir::carry_states<::gpunp::iir::__VA_ARGS__>);

#endif

}  // namespace iir
}  // namespace gpunp
