// Steps of iterative solvers: what is done with vectors between two products goes through them once. Sums are
// added up in double precision and in a fixed order; the last block computes the solver's numbers of them.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/sparse/steps_params.h"
#include "gpunp/sparse/values.h"
#include "gpunp/types.h"
#if GPUNP_ON_DEVICE
#include "gpunp/common/last_block.h"
#include "gpunp/common/warp.h"
#endif

namespace gpunp {
namespace sparse {

using Number = complex<double>;
GPUNP_HD Number number(const double* parts) {
    return {parts[0], parts[1]};
}
GPUNP_HD void keep(double* parts, Number value) {
    parts[0] = value.re;
    parts[1] = value.im;
}
// Of real numbers, whose imaginary part is 0, it is the usual one also if they are divided by 0.
GPUNP_HD Number over(Number a, Number b) {
    if (b.im == 0) return {a.re / b.re, a.im == 0 ? 0.0 : a.im / b.re};
    return math::divide(a, b);
}

struct Sums {
    double re = 0, im = 0, square = 0;
};

// The solver's numbers, from the sums over all elements. A state that is not 1 makes later steps change
// nothing.
GPUNP_HD_CALLED void finish(const StepsParams& p, const Sums& sums) {
    StepsState& now = *p.numbers;
    const Number sum = {sums.re, sums.im}, none = {0, 0};
    const auto stop = [&now](bool condition, double state) {
        if (now.state == 1 && condition) now.state = state;
    };
    const auto measure = [&](bool decides) {
        now.norm = sqrt(sums.square);
        if (decides) stop(now.norm < p.atol, 0);
    };
    const bool plain = p.finish == CG_PLAIN;
    switch (p.finish) {
        case CG_START:
            measure(true);
            keep(now.rho, sum);
            break;
        case CG_LENGTH:
            keep(now.alpha, now.state == 1 ? over(number(now.rho), sum) : none);
            break;
        case CG_NORM:
            measure(p.decide);
            break;
        case CG_PLAIN:
        case CG_RHO: {
            const Number rho = plain ? Number{sums.square, 0} : sum;
            if (plain) measure(p.decide);
            keep(now.beta, now.state == 1 ? over(rho, number(now.rho)) : none);
            keep(now.rho, rho);
            break;
        }
        case BICG_ALPHA:
            stop(sum.re == 0 && sum.im == 0, -11);
            keep(now.alpha, now.state == 1 ? over(number(now.rho), sum) : none);
            break;
        case BICG_HALF:
            measure(true);
            break;
        case BICG_OMEGA:
            keep(now.omega, now.state == 1 ? over(sum, Number{sums.square, 0}) : none);
            break;
        case BICG_RHO: {
            // The first one has no other before it.
            const Number before = number(now.rho);
            stop(math::absolute(sum) < p.least, -10);
            const bool follows = now.state == 1 && !(before.re == 0 && before.im == 0);
            keep(now.beta, follows ? over(sum, before) : none);
            keep(now.rho, sum);
            break;
        }
        case CGS_END:
        case BICG_START:
        case BICG_END: {
            const bool starts = p.finish == BICG_START;
            measure(starts || p.decide);
            if (starts || p.decide) stop(math::absolute(sum) < p.least, -10);
            if (p.finish == CGS_END) keep(now.beta, now.state == 1 ? over(sum, number(now.rho)) : none);
            if (p.finish == BICG_END && p.decide) stop(math::absolute(number(now.omega)) < p.least, -11);
            if (p.finish == BICG_END)
                keep(now.beta, now.state == 1 ? math::multiply(over(sum, number(now.rho)),
                                                               over(number(now.alpha), number(now.omega)))
                                              : none);
            keep(now.rho, sum);
            break;
        }
    }
}

// A number of the solver as the vectors have it.
template <class T>
GPUNP_HD T value_of(const double* parts) {
    using R = typename Values<T>::R;
    return Values<T>::from((R)parts[0], (R)parts[1]);
}
template <class T>
GPUNP_HD T plus_product(T sum, T a, T b) {
    return Values<T>::plus(sum, Values<T>::product(a, b));
}
template <class T>
GPUNP_HD T minus_product(T sum, T a, T b) {
    return Values<T>::minus(sum, Values<T>::product(a, b));
}
// Adds conj(a) * b.
template <class T>
GPUNP_HD void add_product(Sums& sums, T a, T b) {
    sums.re += (double)a * (double)b;
}
template <class R>
GPUNP_HD void add_product(Sums& sums, complex<R> a, complex<R> b) {
    sums.re += (double)a.re * b.re + (double)a.im * b.im;
    sums.im += (double)a.re * b.im - (double)a.im * b.re;
}
template <class T>
GPUNP_HD void add_square(Sums& sums, T a) {
    sums.square += (double)a * (double)a;
}
template <class R>
GPUNP_HD void add_square(Sums& sums, complex<R> a) {
    sums.square += (double)a.re * a.re + (double)a.im * a.im;
}

// Each kernel loads an element of all its vectors, and then uses them: vectors may be the same.

// The sums (q, z) and (q, q).
template <class T>
struct Dot {
    struct Loaded {
        T q, z;
    };
    static constexpr bool SUMS = true;
    const T *q, *z;
    GPUNP_HD explicit Dot(const StepsParams& p) : q((const T*)p.q), z((const T*)p.z) {}
    GPUNP_HD Loaded load(int64_t k) const { return {q[k], z[k]}; }
    GPUNP_HD void use(int64_t, const Loaded& at, Sums& sums) const {
        add_product(sums, at.q, at.z);
        add_square(sums, at.q);
    }
};
// r -= alpha * q, and the sum (r, r).
template <class T>
struct Residual {
    struct Loaded {
        T r, q;
    };
    static constexpr bool SUMS = true;
    T* r;
    const T* q;
    const T alpha;
    GPUNP_HD explicit Residual(const StepsParams& p)
        : r((T*)p.r), q((const T*)p.q), alpha(value_of<T>(p.numbers->alpha)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {r[k], q[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums& sums) const {
        const T value = minus_product(at.r, alpha, at.q);
        r[k] = value;
        add_square(sums, value);
    }
};
// x += alpha * p; p = z + beta * p.
template <class T>
struct Direction {
    struct Loaded {
        T x, p, z;
    };
    static constexpr bool SUMS = false;
    T *x, *p;
    const T* z;
    const T alpha, beta;
    GPUNP_HD explicit Direction(const StepsParams& params)
        : x((T*)params.x),
          p((T*)params.p),
          z((const T*)params.z),
          alpha(value_of<T>(params.numbers->alpha)),
          beta(value_of<T>(params.numbers->beta)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {x[k], p[k], z[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums&) const {
        x[k] = plus_product(at.x, alpha, at.p);
        p[k] = plus_product(at.z, beta, at.p);
    }
};
// p = r + beta * (p - omega * q).
template <class T>
struct Stable {
    struct Loaded {
        T p, r, q;
    };
    static constexpr bool SUMS = false;
    T* p;
    const T *r, *q;
    const T beta, omega;
    GPUNP_HD explicit Stable(const StepsParams& params)
        : p((T*)params.p),
          r((const T*)params.r),
          q((const T*)params.q),
          beta(value_of<T>(params.numbers->beta)),
          omega(value_of<T>(params.numbers->omega)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {p[k], r[k], q[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums&) const {
        p[k] = plus_product(at.r, beta, minus_product(at.p, omega, at.q));
    }
};
// x += alpha * ahead + omega * z; r -= omega * q; and the sums (first, r) and (r, r).
template <class T>
struct Solution {
    struct Loaded {
        T x, r, ahead, z, q, first;
    };
    static constexpr bool SUMS = true;
    T *x, *r;
    const T *ahead, *z, *q, *first;
    const T alpha, omega;
    GPUNP_HD explicit Solution(const StepsParams& p)
        : x((T*)p.x),
          r((T*)p.r),
          ahead((const T*)p.ahead),
          z((const T*)p.z),
          q((const T*)p.q),
          first((const T*)p.first),
          alpha(value_of<T>(p.numbers->alpha)),
          omega(value_of<T>(p.numbers->omega)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {x[k], r[k], ahead[k], z[k], q[k], first[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums& sums) const {
        x[k] = plus_product(plus_product(at.x, alpha, at.ahead), omega, at.z);
        const T value = minus_product(at.r, omega, at.q);
        r[k] = value;
        add_product(sums, at.first, value);
        add_square(sums, value);
    }
};

#if GPUNP_ON_DEVICE

// The sums over the threads of a block, in its first thread.
__device__ __forceinline__ Sums block_sums(Sums sums) {
    __shared__ double of_warps[3][STEPS_BLOCK / 32];
    const int lane = threadIdx.x & 31, of_warp = threadIdx.x >> 5;
    sums.re = warp::sum(sums.re);
    sums.im = warp::sum(sums.im);
    sums.square = warp::sum(sums.square);
    __syncthreads();
    if (lane == 0) {
        of_warps[0][of_warp] = sums.re;
        of_warps[1][of_warp] = sums.im;
        of_warps[2][of_warp] = sums.square;
    }
    __syncthreads();
    Sums total;
    if (threadIdx.x == 0)
        for (int w = 0; w < STEPS_BLOCK / 32; w++) {
            total.re += of_warps[0][w];
            total.im += of_warps[1][w];
            total.square += of_warps[2][w];
        }
    return total;
}

template <class Work>
__device__ __forceinline__ void step(const StepsParams& p) {
    const Work work(p);
    Sums sums;
    const int64_t stride = (int64_t)gridDim.x * STEPS_BLOCK * STEPS_EACH;
    for (int64_t first = (int64_t)blockIdx.x * STEPS_BLOCK * STEPS_EACH + threadIdx.x; first < p.n;
         first += stride) {
        typename Work::Loaded at[STEPS_EACH];
#pragma unroll
        for (int i = 0; i < STEPS_EACH; i++)
            if (first + i * STEPS_BLOCK < p.n) at[i] = work.load(first + i * STEPS_BLOCK);
#pragma unroll
        for (int i = 0; i < STEPS_EACH; i++)
            if (first + i * STEPS_BLOCK < p.n) work.use(first + i * STEPS_BLOCK, at[i], sums);
    }
    if constexpr (Work::SUMS) {
        const Sums part = block_sums(sums);
        if (threadIdx.x == 0) {
            double* to = p.sums + 3 * (int64_t)blockIdx.x;
            to[0] = part.re;
            to[1] = part.im;
            to[2] = part.square;
        }
        if (!is_last_block(p.counter, p.parts)) return;
        Sums all;
        for (unsigned k = threadIdx.x; k < p.parts; k += STEPS_BLOCK) {
            const volatile double* from = p.sums + 3 * (int64_t)k;
            all.re += from[0];
            all.im += from[1];
            all.square += from[2];
        }
        all = block_sums(all);
        if (threadIdx.x == 0) finish(p, all);
    }
}

#define GPUNP_STEP(name, ...)                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::STEPS_BLOCK)      \
        sparse_step_##name(const __grid_constant__::gpunp::StepsParams p) { \
        ::gpunp::sparse::step<::gpunp::sparse::__VA_ARGS__>(p);             \
    }

#else

template <class Work>
void step(const void* params) {
    const StepsParams& p = *static_cast<const StepsParams*>(params);
    const Work work(p);
    // Parts do not depend on the number of threads, and are added up in order.
    const int64_t parts = p.parts;
    parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; part++) {
            Sums sums;
            const int64_t stop = p.n / parts * (part + 1) + (part + 1 < parts ? 0 : p.n % parts);
            for (int64_t k = p.n / parts * part; k < stop; k++) work.use(k, work.load(k), sums);
            if (Work::SUMS) {
                p.sums[3 * part] = sums.re;
                p.sums[3 * part + 1] = sums.im;
                p.sums[3 * part + 2] = sums.square;
            }
        }
    });
    if (!Work::SUMS) return;
    Sums all;
    for (int64_t part = 0; part < parts; part++) {
        all.re += p.sums[3 * part];
        all.im += p.sums[3 * part + 1];
        all.square += p.sums[3 * part + 2];
    }
    finish(p, all);
}

#define GPUNP_STEP(name, ...) \
    GPUNP_HOST_KERNEL(sparse_step_##name, (::gpunp::sparse::step<::gpunp::sparse::__VA_ARGS__>));

#endif

}  // namespace sparse
}  // namespace gpunp
