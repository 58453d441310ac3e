// Arithmetic on real and complex numbers under common names, and the threads that share a matrix.
#pragma once
#include "gpunp/common/limits.h"
#include "gpunp/common/warp.h"
#include "gpunp/linalg/params.h"
#include "gpunp/math/complex_arithmetic.h"
#include "gpunp/types.h"

namespace gpunp {
namespace linalg {

template <class T>
struct real_of {
    using type = T;
};
template <class T>
struct real_of<complex<T>> {
    using type = T;
};
template <class T>
using real_t = typename real_of<T>::type;

// Squares of magnitudes between these neither overflow nor underflow, with room for products of some.
template <class R>
struct safe_sizes;
template <>
struct safe_sizes<float> {
    static constexpr float low = 1e-4f, high = 1e4f;
};
template <>
struct safe_sizes<double> {
    static constexpr double low = 1e-120, high = 1e120;
};

GPUNP_HD float fused(float a, float b, float c) {
    return fmaf(a, b, c);
}
GPUNP_HD double fused(double a, double b, double c) {
    return fma(a, b, c);
}
template <class R>
GPUNP_HD complex<R> fused(complex<R> a, complex<R> b, complex<R> c) {
    return {fused(a.re, b.re, fused(-a.im, b.im, c.re)), fused(a.re, b.im, fused(a.im, b.re, c.im))};
}
GPUNP_HD float root(float x) {
    return sqrtf(x);
}
GPUNP_HD double root(double x) {
    return sqrt(x);
}
GPUNP_HD float logarithm(float x) {
    return logf(x);
}
GPUNP_HD double logarithm(double x) {
    return log(x);
}

template <class R>
GPUNP_HD R magnitude(R x) {
    return x < 0 ? -x : x;
}
template <class R>
GPUNP_HD R magnitude(complex<R> x) {
    R a = magnitude(x.re), b = magnitude(x.im), large = a < b ? b : a, small = a < b ? a : b;
    if (large == 0) return a + b;
    R ratio = small / large;
    return large * root(fused(ratio, ratio, R(1)));
}
// LAPACK's |re| + |im|, by which it compares pivots.
template <class R>
GPUNP_HD R size_of(R x) {
    return magnitude(x);
}
template <class R>
GPUNP_HD R size_of(complex<R> x) {
    return magnitude(x.re) + magnitude(x.im);
}
template <class R>
GPUNP_HD R square_of(R x, R sum) {
    return fused(x, x, sum);
}
template <class R>
GPUNP_HD R square_of(complex<R> x, R sum) {
    return fused(x.re, x.re, fused(x.im, x.im, sum));
}
template <class R>
GPUNP_HD R conj(R x) {
    return x;
}
template <class R>
GPUNP_HD complex<R> conj(complex<R> x) {
    return {x.re, -x.im};
}
template <class R>
GPUNP_HD R negate(R x) {
    return -x;
}
template <class R>
GPUNP_HD complex<R> negate(complex<R> x) {
    return {-x.re, -x.im};
}
template <class R>
GPUNP_HD R real_part(R x) {
    return x;
}
template <class R>
GPUNP_HD R real_part(complex<R> x) {
    return x.re;
}
template <class T>
struct make {
    static GPUNP_HD T real(T x) { return x; }
};
template <class R>
struct make<complex<R>> {
    static GPUNP_HD complex<R> real(R x) { return {x, R(0)}; }
};
template <class R>
GPUNP_HD R scaled(R x, R factor) {
    return x * factor;
}
template <class R>
GPUNP_HD complex<R> scaled(complex<R> x, R factor) {
    return {x.re * factor, x.im * factor};
}
template <class T>
GPUNP_HD T product(T a, T b) {
    return fused(a, b, make<T>::real(0));
}
GPUNP_HD float quotient(float a, float b) {
    return a / b;
}
GPUNP_HD double quotient(double a, double b) {
    return a / b;
}
template <class R>
GPUNP_HD complex<R> quotient(complex<R> a, complex<R> b) {
    return math::divide(a, b);
}

// The threads of a block that work on one matrix; a single thread on the host.
struct Team {
    int rank, size;
    GPUNP_HD void sync() const {
#if defined(__CUDA_ARCH__)
        __syncthreads();
#endif
    }
};

// Neighboring lanes of a warp that share a column or a pair of columns.
struct Lanes {
    int rank, size, group, groups;

    GPUNP_HD Lanes(const Team& team, int wanted) {
        size = 32;
        while (size > 1 && (size > team.size || team.size / size < wanted)) size /= 2;
        rank = team.rank % size;
        group = team.rank / size;
        groups = team.size / size;
    }
    template <class R>
    GPUNP_HD R sum(R x) const {
#if defined(__CUDA_ARCH__)
        const unsigned lane = threadIdx.x % 32;
        const unsigned mask = size == 32 ? ~0u : ((1u << size) - 1u) << (lane / size * size);
        for (int offset = size / 2; offset; offset /= 2) x += warp::shuffle_xor(x, offset, mask);
#endif
        return x;
    }
    template <class R>
    GPUNP_HD complex<R> sum(complex<R> x) const {
        return {sum(x.re), sum(x.im)};
    }
};

// State shared by the threads of a team.
struct Shared {
    int order[SMALL_MATRIX];
    int swaps, failed, rotated, found;
    double scale, norm;
    double cosine[SMALL_MATRIX / 2], sine[SMALL_MATRIX / 2], phase[SMALL_MATRIX];
};

static_assert(sizeof(Shared) <= SMALL_HEAD && SMALL_HEAD % 16 == 0, "the matrix follows");

template <class T>
GPUNP_HD T* matrix_memory(char* memory) {
    return reinterpret_cast<T*>(memory + SMALL_HEAD);
}

template <class T>
GPUNP_HD void report(const SmallMatrixParams& p, uint32_t bit) {
    if (!p.status) return;
#if defined(__CUDA_ARCH__)
    atomicOr(p.status, bit);
#else
    *p.status |= bit;
#endif
}

// Finds the power of two that scales the largest element to about one if squares could overflow or underflow,
// and 1 otherwise. Returns false if the matrix has NaN or infinities.
template <class T>
GPUNP_HD bool find_scale(const Team& team, const T* a, int count, Shared& shared) {
    using R = real_t<T>;
    if (team.rank < 32) {
        R largest = 0;
        int finite = 1;
        for (int i = team.rank; i < count; i += team.size < 32 ? team.size : 32) {
            R x = size_of(a[i]);
            if (!(x - x == 0)) finite = 0;
            if (x > largest) largest = x;
        }
#if defined(__CUDA_ARCH__)
        // One loop for both: with two, the compiler spills registers in the double-precision kernels.
        for (int offset = 16; offset; offset /= 2) {
            R other = warp::shuffle_xor(largest, offset);
            largest = other > largest ? other : largest;
            finite &= warp::shuffle_xor(finite, offset);
        }
#endif
        if (team.rank == 0) {
            double scale = 1;
            if (finite && largest > 0 && (largest < safe_sizes<R>::low || largest > safe_sizes<R>::high)) {
                double x = (double)largest;
                while (x > 2) x *= 0.5, scale *= 0.5;
                while (x < 1 && scale < 1e300) x *= 2, scale *= 2;
            }
            shared.scale = scale;
            shared.found = finite;
        }
    }
    team.sync();
    return shared.found;
}

// Pairs of a round-robin tournament: any two of `players` (even) meet once in players - 1 rounds.
GPUNP_HD void pair_of(int round, int k, int players, int* p, int* q) {
    int x = players - 1, y = round;
    if (k) {
        x = (round + k) % (players - 1);
        y = (round - k + players - 1) % (players - 1);
    }
    *p = x < y ? x : y;
    *q = x < y ? y : x;
}

// Cosine and sine of the rotation that diagonalizes [[alpha, size], [size, beta]].
template <class R>
GPUNP_HD void rotation(R alpha, R beta, R size, R* cosine, R* sine) {
    R ratio = (beta - alpha) / (2 * size), wide = magnitude(ratio), tangent;
    // Beyond this the square could overflow, and the one is negligible.
    if (wide > safe_sizes<R>::high)
        tangent = 1 / (2 * wide);
    else
        tangent = 1 / (wide + root(fused(wide, wide, R(1))));
    if (ratio < 0) tangent = -tangent;
    *cosine = 1 / root(fused(tangent, tangent, R(1)));
    *sine = tangent * *cosine;
}

}  // namespace linalg
}  // namespace gpunp
