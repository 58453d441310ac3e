// Solves systems with a small matrix in the registers of one warp, for few right-hand sides.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/common/warp.h"
#include "gpunp/linalg/keys.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// Each lane holds the rows lane, lane + 32, ... with their right-hand sides. After each column all rows shift
// one place to the left: the current column is always the first, so that register indices are constants. Rows
// stay in their lanes; pivot rows are copied to shared memory in pivot order, where they form the upper
// triangle.
template <class T, int N>
struct WarpSystem {
    static constexpr int ROWS = N / 32, SIDES = SMALL_WARP_SIDES, WIDTH = N + SIDES;
    static constexpr int VECTOR = 16 / sizeof(T);
    // An odd number of vectors per row, so that lanes reading their rows access different banks.
    static constexpr int STRIDE = WIDTH / VECTOR % 2 ? WIDTH : WIDTH + VECTOR;
    static_assert(WIDTH % VECTOR == 0, "whole vectors");

    int lane, n, sides;
    T* upper;
    T x[ROWS][WIDTH];
    bool done[ROWS], failed;

    __device__ WarpSystem(int n, int sides, T* upper)
        : lane(threadIdx.x % 32), n(n), sides(sides), upper(upper), failed(false) {}

    __device__ void load(const T* a, const T* b) {
        for (int t = lane; t < n * n; t += 32) upper[t / n * STRIDE + t % n] = a[t];
        for (int t = lane; t < n * sides; t += 32) upper[t / sides * STRIDE + n + t % sides] = b[t];
        __syncwarp();
        GPUNP_UNROLL
        for (int s = 0; s < ROWS; s++) {
            const int i = lane + 32 * s;
            done[s] = i >= n;
            GPUNP_UNROLL
            for (int j = 0; j < WIDTH; j += VECTOR) {
                const Vector<T> v = *reinterpret_cast<const Vector<T>*>(upper + i * STRIDE + j);
                GPUNP_UNROLL
                for (int e = 0; e < VECTOR; e++) x[s][j + e] = !done[s] && j + e < n + sides ? v.at[e] : T(0);
            }
        }
        __syncwarp();
    }

    // Eliminates column k; W elements of each row are in use.
    template <int W>
    __device__ void eliminate(int k) {
        key_t<T> best = 0;
        int which = 0;
        GPUNP_UNROLL
        for (int s = 0; s < ROWS; s++) {
            const key_t<T> key = done[s] ? 0 : key_of(x[s][0]);
            if (key > best) best = key, which = s;
        }
        const int winner = __ffs((int)warp::ballot(best == greatest(best))) - 1;
        T* row = upper + k * STRIDE;
        if (lane == winner) {
            GPUNP_UNROLL
            for (int s = 0; s < ROWS; s++) {
                if (which != s) continue;
                done[s] = true;
                GPUNP_UNROLL
                for (int j = 0; j < W; j += VECTOR) {
                    Vector<T> v;
                    GPUNP_UNROLL
                    for (int e = 0; e < VECTOR; e++) v.at[e] = x[s][j + e];
                    *reinterpret_cast<Vector<T>*>(row + j) = v;
                }
            }
        }
        __syncwarp();
        const T pivot = row[0];
        if (pivot == 0) failed = true;
        T factor[ROWS];
        GPUNP_UNROLL
        for (int s = 0; s < ROWS; s++) factor[s] = done[s] || pivot == 0 ? T(0) : -x[s][0] / pivot;
        GPUNP_UNROLL
        for (int j = 0; j < W; j += VECTOR) {
            const Vector<T> v = *reinterpret_cast<const Vector<T>*>(row + j);
            GPUNP_UNROLL
            for (int e = 0; e < VECTOR; e++) {
                if (j + e == 0) continue;
                GPUNP_UNROLL
                for (int s = 0; s < ROWS; s++) x[s][j + e - 1] = fused(factor[s], v.at[e], x[s][j + e]);
            }
        }
        GPUNP_UNROLL
        for (int s = 0; s < ROWS; s++) x[s][W - 1] = 0;
    }

    // Eliminates columns from k on while more than `until` are left; returns the next column.
    template <int W>
    __device__ int eliminate_until(int k, int until) {
        for (; n - k > until; k++) eliminate<W>(k);
        return k;
    }

    __device__ void solve(T* out) {
        int k = eliminate_until<WIDTH>(0, N / 4 * 3);
        k = eliminate_until<N / 4 * 3 + SIDES>(k, N / 2);
        k = eliminate_until<N / 2 + SIDES>(k, N / 4);
        eliminate_until<N / 4 + SIDES>(k, 0);
        __syncwarp();
        T y[ROWS][SIDES], pivot[ROWS], inverse[ROWS];
        GPUNP_UNROLL
        for (int s = 0; s < ROWS; s++) {
            const int i = lane + 32 * s;
            pivot[s] = i < n ? upper[i * STRIDE] : T(1);
            inverse[s] = 1 / pivot[s];
            GPUNP_UNROLL
            for (int c = 0; c < SIDES; c++)
                y[s][c] = i < n && c < sides ? upper[i * STRIDE + n - i + c] : T(0);
        }
        GPUNP_UNROLL
        for (int s = ROWS - 1; s >= 0; s--) {
            const int last = n - 32 * s < 32 ? n - 32 * s - 1 : 31;
            for (int at = last; at >= 0; at--) {
                T found[SIDES];
                GPUNP_UNROLL
                for (int c = 0; c < SIDES; c++) {
                    // Multiply by the inverse, then correct by the residual: as accurate as a division.
                    const T near = y[s][c] * inverse[s];
                    const T quotient = fused(fused(-near, pivot[s], y[s][c]), inverse[s], near);
                    found[c] = warp::shuffle(quotient, at);
                    if (lane == at) y[s][c] = found[c];
                }
                GPUNP_UNROLL
                for (int t = 0; t <= s; t++) {
                    const int i = lane + 32 * t, column = at + 32 * s;
                    if (i >= column) continue;
                    const T factor = -upper[i * STRIDE + column - i];
                    GPUNP_UNROLL
                    for (int c = 0; c < SIDES; c++) y[t][c] = fused(factor, found[c], y[t][c]);
                }
            }
        }
        GPUNP_UNROLL
        for (int s = 0; s < ROWS; s++) {
            const int i = lane + 32 * s;
            GPUNP_UNROLL
            for (int c = 0; c < SIDES; c++) {
                if (i < n && c < sides) out[i * sides + c] = y[s][c];
            }
        }
    }
};

// Block i solves the matrices i, i + gridDim.x, ...
template <class T, int N>
__device__ void solve_by_warps(const SmallMatrixParams& p) {
    extern __shared__ __align__(16) char memory[];
    for (int64_t i = blockIdx.x; i < p.batch; i += gridDim.x) {
        WarpSystem<T, N> system(p.n, p.sides, reinterpret_cast<T*>(memory));
        system.load(static_cast<const T*>(p.a) + i * p.n * p.n,
                    static_cast<const T*>(p.b) + i * p.n * p.sides);
        system.solve(static_cast<T*>(p.out) + i * p.n * p.sides);
        if (system.failed && threadIdx.x == 0) report<T>(p, GPUNP_STATUS_SINGULAR);
        __syncwarp();
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
