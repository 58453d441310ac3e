// Incomplete factors without entries where the matrix has none, and solutions of triangular systems. On a
// GPU, a warp takes the next row in order and waits until the rows that it needs are finished: the rows
// before it are finished, or some warp has them. Nothing has to be known of the matrix, as levels would need:
// W. Liu, A. Li, J. Hogg, I. Duff and B. Vinter, "A synchronization-free algorithm for parallel sparse
// triangular solves", Euro-Par 2016.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/factors_params.h"
#include "gpunp/sparse/values.h"
#include "gpunp/types.h"
#if GPUNP_ON_DEVICE
#include "gpunp/common/warp.h"
#endif

namespace gpunp {
namespace sparse {

#if GPUNP_ON_DEVICE
// What another warp may have written since this kernel started.
template <class T>
__device__ __forceinline__ T fresh(const T* from) {
    uint32_t words[sizeof(T) / 4];
#pragma unroll
    for (int i = 0; i < (int)(sizeof(T) / 4); i++) words[i] = ((const volatile uint32_t*)from)[i];
    T value;
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}
#else
template <class T>
T fresh(const T* from) {
    return *from;
}
#endif

// The threads that share a row: the lanes of a warp, or the only thread of the CPU device.
#if GPUNP_ON_DEVICE
struct Team {
    static constexpr int SIZE = 32;
    const int lane = threadIdx.x & 31;
    __device__ __forceinline__ bool leads() const { return lane == 0; }
    __device__ __forceinline__ void meet() const { __syncwarp(); }
    template <class T>
    __device__ __forceinline__ T total(T value) const {
        return warp::fold(value, [](T a, T b) { return Values<T>::plus(a, b); });
    }
    __device__ __forceinline__ void wait(const uint32_t* ready, int64_t row) const {
        while (((const volatile uint32_t*)ready)[row] == 0) {
        }
        __threadfence();
    }
    // After the stores of a row. All lanes wait for the one that writes: others would look for what it has
    // not written yet, and nothing makes the scheduler turn to it soon.
    __device__ __forceinline__ void finish(uint32_t* ready, int64_t row) const {
        __threadfence();
        __syncwarp();
        if (lane == 0) ((volatile uint32_t*)ready)[row] = 1;
        __syncwarp();
    }
    __device__ __forceinline__ static void least(int64_t* to, int64_t value) {
        atomicMin((long long*)to, (long long)value);
    }
};
#define GPUNP_TEAM __device__ __forceinline__
#else
struct Team {
    static constexpr int SIZE = 1;
    static constexpr int lane = 0;
    static bool leads() { return true; }
    static void meet() {}
    template <class T>
    static T total(T value) {
        return value;
    }
    static void wait(const uint32_t*, int64_t) {}
    static void finish(uint32_t*, int64_t) {}
    static void least(int64_t* to, int64_t value) {
        if (value < *to) *to = value;
    }
};
#define GPUNP_TEAM inline
#endif

template <class T, class I>
struct Factors {
    const FactorsParams& p;
    const Team team;
    const I *indptr = (const I*)p.indptr, *indices = (const I*)p.indices;
    T* data = (T*)p.data;

    // Where a row has a column between two places, or -1.
    GPUNP_TEAM int64_t find(int64_t low, int64_t high, I column) const {
        const int64_t end = high;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (indices[middle] < column)
                low = middle + 1;
            else
                high = middle;
        }
        return low < end && indices[low] == column ? low : -1;
    }

    // ILU(0), by the order of rows: L without its diagonal of ones, and U.
    GPUNP_TEAM void lu(int64_t row) const {
        const int64_t diagonal = p.diagonal[row], end = (int64_t)indptr[row + 1];
        for (int64_t k = (int64_t)indptr[row]; k < diagonal; k++) {
            const int64_t other = (int64_t)indices[k], pivot = p.diagonal[other];
            team.wait(p.ready, other);
            const T factor = Values<T>::quotient(fresh(data + k), fresh(data + pivot));
            team.meet();
            if (team.leads()) data[k] = factor;
            for (int64_t m = pivot + 1 + team.lane; m < (int64_t)indptr[other + 1]; m += Team::SIZE) {
                const int64_t at = find(k + 1, end, indices[m]);
                if (at >= 0)
                    data[at] =
                        Values<T>::minus(fresh(data + at), Values<T>::product(factor, fresh(data + m)));
            }
            team.meet();
        }
        if (team.leads() && Values<T>::is_zero(fresh(data + diagonal))) team.least(p.bad, row);
    }

    // IC(0) of the lower triangle: L with L * L^H.
    GPUNP_TEAM void cholesky(int64_t row) const {
        const int64_t begin = (int64_t)indptr[row], diagonal = p.diagonal[row];
        for (int64_t k = begin; k <= diagonal; k++) {
            const int64_t other = (int64_t)indices[k], last = p.diagonal[other];
            if (k < diagonal) team.wait(p.ready, other);
            T sum = {};
            for (int64_t m = (int64_t)indptr[other] + team.lane; m < last; m += Team::SIZE) {
                const int64_t at = find(begin, k, indices[m]);
                if (at >= 0)
                    sum = Values<T>::plus(
                        sum, Values<T>::product(fresh(data + at), Values<T>::conjugate(fresh(data + m))));
            }
            const T rest = Values<T>::minus(fresh(data + k), team.total(sum));
            team.meet();
            if (team.leads()) {
                if (k < diagonal) {
                    data[k] = Values<T>::quotient(rest, fresh(data + last));
                } else {
                    const auto square = Values<T>::real(rest);
                    if (!(square > 0)) team.least(p.bad, row);
                    data[k] = Values<T>::from(sqrt(square), 0);
                }
            }
            team.meet();
        }
    }

    // An element of the solution of a triangular system.
    GPUNP_TEAM void solve(int64_t row) const {
        const int64_t diagonal = p.diagonal[row];
        const int64_t begin = p.upper ? diagonal + 1 : (int64_t)indptr[row];
        const int64_t end = p.upper ? (int64_t)indptr[row + 1] : diagonal;
        T* x = (T*)p.x;
        T sum = {};
        for (int64_t k = begin + team.lane; k < end; k += Team::SIZE) {
            team.wait(p.ready, (int64_t)indices[k]);
            sum = Values<T>::plus(sum, Values<T>::product(data[k], fresh(x + (int64_t)indices[k])));
        }
        team.meet();
        sum = team.total(sum);
        if (!team.leads()) return;
        const T rest = Values<T>::minus(((const T*)p.b)[row], sum);
        x[row] = p.unit ? rest : Values<T>::quotient(rest, data[diagonal]);
    }
};

#if GPUNP_ON_DEVICE

// Rows are taken in order, so that the one with which others wait is never one that nobody has. A warp takes
// one row at a time: the first of several often needs the last of those before, and the others would wait
// with it.
template <class Each>
__device__ __forceinline__ void each_row(const FactorsParams& p, const Team& team, Each each) {
    unsigned long long* taken = (unsigned long long*)(p.ready + (p.n + 1) / 2 * 2);
    for (;;) {
        unsigned long long next = 0;
        if (team.leads()) next = atomicAdd(taken, 1ULL);
        next = warp::shuffle(next, 0);
        if (next >= (unsigned long long)p.n) return;
        const int64_t row = p.upper ? p.n - 1 - (int64_t)next : (int64_t)next;
        each(row);
        team.finish(p.ready, row);
    }
}

#define GPUNP_FACTORS(name, work, ...)                                                       \
    extern "C" __global__ void __launch_bounds__(::gpunp::FACTORS_BLOCK)                     \
        sparse_##work##_##name(const __grid_constant__::gpunp::FactorsParams p) {            \
        const ::gpunp::sparse::Factors<__VA_ARGS__> factors{p, {}};                          \
        ::gpunp::sparse::each_row(p, factors.team, [&](int64_t row) { factors.work(row); }); \
    }

#else

#define GPUNP_FACTORS(name, work, ...)                                                         \
    static void run_##work##_##name(const void* params) {                                      \
        const ::gpunp::FactorsParams& p = *static_cast<const ::gpunp::FactorsParams*>(params); \
        const ::gpunp::sparse::Factors<__VA_ARGS__> factors{p, {}};                            \
        for (int64_t i = 0; i < p.n; i++) factors.work(p.upper ? p.n - 1 - i : i);             \
    }                                                                                          \
    GPUNP_HOST_KERNEL(sparse_##work##_##name, run_##work##_##name);

#endif

}  // namespace sparse
}  // namespace gpunp
