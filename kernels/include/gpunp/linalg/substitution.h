// Triangular systems with one right side, by substitution.
//
// Each block of threads solves for a few unknowns, and adds up the products with those that other blocks have
// found, as they become known. Blocks take numbers in the order in which they start, so that they only wait
// for blocks that run or have ended. While they wait they invert their part of the diagonal, and multiply
// what lies beside it by the inverse: once the last unknowns are known, one product is left. A solution is
// passed on as a word that is not zero: it needs no flag, and no fence between it and the flag.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/warp.h"
#include "gpunp/kernel.h"
#include "gpunp/linalg/substitution_params.h"

namespace gpunp {
namespace substitution {

#if GPUNP_ON_DEVICE
constexpr int ROWS = SUBSTITUTION_ROWS, SHARE = 4, PARTS = ROWS / SHARE;

template <class T>
struct Words;
template <>
struct Words<float> {
    using type = unsigned int;
    static __device__ __forceinline__ float value(type word) { return __uint_as_float(word); }
    static __device__ __forceinline__ type word(float value) { return __float_as_uint(value); }
};
template <>
struct Words<double> {
    using type = unsigned long long;
    static __device__ __forceinline__ double value(type word) {
        return __longlong_as_double((long long)word);
    }
    static __device__ __forceinline__ type word(double value) { return (type)__double_as_longlong(value); }
};

// The inverse of a lower triangle in shared memory, in its place: four threads for each column. `reciprocal`
// is memory for the inverses of the diagonal.
template <class T>
__device__ __forceinline__ void invert(T (&inverse)[ROWS][ROWS + 1], T (&reciprocal)[ROWS]) {
    const int column = threadIdx.x / SHARE, mine = threadIdx.x % SHARE, lane = threadIdx.x & 31;
    if (threadIdx.x < ROWS) reciprocal[threadIdx.x] = 1 / inverse[threadIdx.x][threadIdx.x];
    __syncthreads();
    // Rows `mine`, `mine + SHARE`, ... of the column.
    T x[PARTS];
#pragma unroll
    for (int m = 0; m < PARTS; m++) x[m] = mine + SHARE * m == column ? T(1) : T(0);
#pragma unroll
    for (int m = 0; m < PARTS; m++)
#pragma unroll
        for (int s = 0; s < SHARE; s++) {
            const int k = SHARE * m + s;
            const T found = warp::shuffle_number(x[m] * reciprocal[k], (lane & ~(SHARE - 1)) + s);
            if (mine == s) x[m] = found;
            if (mine > s) x[m] -= inverse[SHARE * m + mine][k] * found;
#pragma unroll
            for (int after = m + 1; after < PARTS; after++)
                x[after] -= inverse[SHARE * after + mine][k] * found;
        }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < PARTS; m++) inverse[SHARE * m + mine][column] = x[m];
}

// Waits for the unknowns of a block, of which `count` exist. All threads of the block call it.
template <class T>
__device__ __forceinline__ void receive(const typename Words<T>::type* found, int64_t count, T (&now)[ROWS]) {
    if (threadIdx.x < ROWS) {
        typename Words<T>::type word = 1;
        if (threadIdx.x < count) {
            do {
                word = *static_cast<const volatile typename Words<T>::type*>(found + threadIdx.x);
            } while (word == 0);
        }
        now[threadIdx.x] = Words<T>::value(word - 1);
    }
    __syncthreads();
}

// Adds up what the threads of a row have. All threads of the block call it.
template <class T, bool TRANSPOSED>
__device__ __forceinline__ void gather(T (&sums)[SHARE], T (&parts)[PARTS][ROWS], T (&right)[ROWS]) {
    const int t = threadIdx.x, slow = t / PARTS, fast = t % PARTS * SHARE;
    if (TRANSPOSED) {
#pragma unroll
        for (int l = 0; l < SHARE; l++) parts[slow][fast + l] = sums[l];
        __syncthreads();
        if (t < ROWS) {
            T sum = 0;
#pragma unroll
            for (int i = 0; i < PARTS; i++) sum += parts[i][t];
            right[t] = sum;
        }
    } else {
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            const T sum = warp::sum<PARTS>(sums[i]);
            if (fast == 0) right[slow + PARTS * i] = sum;
        }
    }
    __syncthreads();
}

// What a thread has of the product of the inverse and a tile: `tile(k, l)` is row k of its column l.
template <class T, bool TRANSPOSED, class Tile>
__device__ __forceinline__ void multiply(const T (&inverse)[ROWS][ROWS + 1], T (&product)[SHARE][SHARE],
                                         const Tile& tile) {
    const int slow = threadIdx.x / PARTS, fast = threadIdx.x % PARTS * SHARE;
#pragma unroll 4
    for (int k = 0; k < ROWS; k++) {
        T row[SHARE];
#pragma unroll
        for (int l = 0; l < SHARE; l++) row[l] = tile(k, l);
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            const T factor = inverse[TRANSPOSED ? fast + i : slow + PARTS * i][k];
#pragma unroll
            for (int l = 0; l < SHARE; l++) product[i][l] += factor * row[l];
        }
    }
}

// TRANSPOSED: of a matrix's transpose; BACKWARD: the last unknown is found first. In both directions the rows
// of a block are counted in the order in which they are found, which makes its triangle a lower one.
template <class T, bool TRANSPOSED, bool BACKWARD>
__device__ __forceinline__ void solve(const SubstitutionParams& p) {
    __shared__ T inverse[ROWS][ROWS + 1], known[2][ROWS], right[ROWS], parts[PARTS][ROWS];
    __shared__ int number;
    const int t = threadIdx.x, slow = t / PARTS, fast = t % PARTS * SHARE;
    const int64_t n = p.n, count = gridDim.x;
    const T* a = static_cast<const T*>(p.a) + blockIdx.y * n * n;
    const T* b = static_cast<const T*>(p.b) + blockIdx.y * n;
    T* x = static_cast<T*>(p.x) + blockIdx.y * n;
    using Word = typename Words<T>::type;
    Word* found = static_cast<Word*>(p.found) + blockIdx.y * (n + 1);
    if (t == 0) number = (int)atomicAdd(found, (Word)1);
    __syncthreads();
    const int before = number;
    const int64_t first = (BACKWARD ? count - 1 - before : before) * ROWS;
    const auto place = [&](int row) { return BACKWARD ? first + ROWS - 1 - row : first + row; };
    const auto element = [&](int64_t row, int64_t column) {
        if (row >= n || column >= n) return T(0);
        return TRANSPOSED ? a[column * n + row] : a[row * n + column];
    };
    for (int i = t; i < ROWS * ROWS; i += SUBSTITUTION_BLOCK) {
        const int row = TRANSPOSED ? i % ROWS : i / ROWS, column = TRANSPOSED ? i / ROWS : i % ROWS;
        const bool outside = place(row) >= n || place(column) >= n;
        const bool one = row == column && (p.unit || outside);
        inverse[row][column] = one ? T(1) : column <= row ? element(place(row), place(column)) : T(0);
    }
    const T mine_of_b = t < ROWS && place(t) < n ? b[place(t)] : T(0);
    __syncthreads();
    // `right` is not needed yet.
    invert(inverse, right);
    __syncthreads();
    // The inverse times the tile of the block before, whose unknowns come last.
    const auto start = [&](int other) { return (BACKWARD ? count - 1 - other : other) * ROWS; };
    T last[SHARE][SHARE] = {};
    if (before > 0) {
        const int64_t from = start(before - 1);
        const int mine = TRANSPOSED ? slow : fast, step = TRANSPOSED ? PARTS : 1;
        multiply<T, TRANSPOSED>(inverse, last,
                                [&](int k, int l) { return element(place(k), from + mine + step * l); });
    }
    T sums[SHARE] = {};
    for (int other = 0; other + 1 < before; other++) {
        const int64_t from = start(other);
        // Read ahead of the wait.
        T v[SHARE][SHARE];
#pragma unroll
        for (int i = 0; i < SHARE; i++)
#pragma unroll
            for (int l = 0; l < SHARE; l++)
                v[i][l] = TRANSPOSED ? element(place(fast + l), from + slow + PARTS * i)
                                     : element(place(slow + PARTS * i), from + fast + l);
        T(&now)[ROWS] = known[other % 2];
        receive<T>(found + 1 + from, n - from, now);
#pragma unroll
        for (int i = 0; i < SHARE; i++)
#pragma unroll
            for (int l = 0; l < SHARE; l++)
                sums[TRANSPOSED ? l : i] += v[i][l] * now[TRANSPOSED ? slow + PARTS * i : fast + l];
    }
    gather<T, TRANSPOSED>(sums, parts, right);
    if (t < ROWS) right[t] = mine_of_b - right[t];
    __syncthreads();
    T sum = 0;
    {
        const int row = t / SHARE, mine = t % SHARE;
#pragma unroll
        for (int m = 0; m < PARTS; m++) sum += inverse[row][SHARE * m + mine] * right[SHARE * m + mine];
        sum = warp::sum<SHARE>(sum);
        __syncthreads();
        if (mine == 0) known[before % 2][row] = sum;
    }
    if (before > 0) {
        T(&now)[ROWS] = known[(before - 1) % 2];
        receive<T>(found + 1 + start(before - 1), n - start(before - 1), now);
#pragma unroll
        for (int i = 0; i < SHARE; i++) {
            sums[i] = 0;
#pragma unroll
            for (int l = 0; l < SHARE; l++)
                sums[i] += last[i][l] * now[TRANSPOSED ? slow + PARTS * l : fast + l];
        }
        gather<T, TRANSPOSED>(sums, parts, right);
    } else {
        __syncthreads();
    }
    if (t < ROWS && place(t) < n) {
        sum = known[before % 2][t];
        if (before > 0) sum -= right[t];
        // One NaN for all: the word of another one might become zero.
        if (sum != sum) sum = (T)nan("");
        *static_cast<volatile Word*>(found + 1 + place(t)) = Words<T>::word(sum) + 1;
        x[place(t)] = sum;
    }
}

#define GPUNP_SUBSTITUTION(name, T, TRANSPOSED, BACKWARD)                           \
    extern "C" __global__ void __launch_bounds__(::gpunp::SUBSTITUTION_BLOCK)       \
        substitution_##name(const __grid_constant__::gpunp::SubstitutionParams p) { \
        ::gpunp::substitution::solve<T, TRANSPOSED, BACKWARD>(p);                   \
    }
#else
template <class T, bool TRANSPOSED, bool BACKWARD>
void solve(const void* params) {
    const SubstitutionParams& p = *static_cast<const SubstitutionParams*>(params);
    const int64_t n = p.n;
    parallel_for(p.batch, grain_of(n * n), [&](int64_t begin, int64_t end) {
        for (int64_t system = begin; system < end; system++) {
            const T* a = static_cast<const T*>(p.a) + system * n * n;
            const T* b = static_cast<const T*>(p.b) + system * n;
            T* x = static_cast<T*>(p.x) + system * n;
            for (int64_t step = 0; step < n; step++) {
                const int64_t row = BACKWARD ? n - 1 - step : step;
                T sum = b[row];
                for (int64_t other = 0; other < step; other++) {
                    const int64_t column = BACKWARD ? n - 1 - other : other;
                    sum -= (TRANSPOSED ? a[column * n + row] : a[row * n + column]) * x[column];
                }
                x[row] = p.unit ? sum : sum / a[row * n + row];
            }
        }
    });
}

#define GPUNP_SUBSTITUTION(name, T, TRANSPOSED, BACKWARD) \
    GPUNP_HOST_KERNEL(substitution_##name, (::gpunp::substitution::solve<T, TRANSPOSED, BACKWARD>));
#endif

}  // namespace substitution
}  // namespace gpunp
