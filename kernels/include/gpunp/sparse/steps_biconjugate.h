// Steps of biconjugate gradients, whose shadow belongs to the adjoint matrix, and of the squared method.
#pragma once
#include "gpunp/sparse/steps.h"

namespace gpunp {
namespace sparse {

template <class T>
GPUNP_HD T conjugate_of(const double* parts) {
    return Values<T>::conjugate(value_of<T>(parts));
}

// p = z + beta * p, and of the shadow x = q + conj(beta) * x.
template <class T>
struct Directions {
    struct Loaded {
        T p, z, shadow, q;
    };
    static constexpr bool SUMS = false;
    T *p, *shadow;
    const T *z, *q;
    const T beta, adjoint;
    GPUNP_HD explicit Directions(const StepsParams& params)
        : p((T*)params.p),
          shadow((T*)params.x),
          z((const T*)params.z),
          q((const T*)params.q),
          beta(value_of<T>(params.numbers->beta)),
          adjoint(conjugate_of<T>(params.numbers->beta)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {p[k], z[k], shadow[k], q[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums&) const {
        p[k] = plus_product(at.z, beta, at.p);
        shadow[k] = plus_product(at.q, adjoint, at.shadow);
    }
};
// x += alpha * ahead; r -= alpha * q; of the shadow p -= conj(alpha) * z; and the sum (r, r).
template <class T>
struct End {
    struct Loaded {
        T x, ahead, r, q, shadow, z;
    };
    static constexpr bool SUMS = true;
    T *x, *r, *shadow;
    const T *ahead, *q, *z;
    const T alpha, adjoint;
    GPUNP_HD explicit End(const StepsParams& p)
        : x((T*)p.x),
          r((T*)p.r),
          shadow((T*)p.p),
          ahead((const T*)p.ahead),
          q((const T*)p.q),
          z((const T*)p.z),
          alpha(value_of<T>(p.numbers->alpha)),
          adjoint(conjugate_of<T>(p.numbers->alpha)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {x[k], ahead[k], r[k], q[k], shadow[k], z[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums& sums) const {
        x[k] = plus_product(at.x, alpha, at.ahead);
        shadow[k] = minus_product(at.shadow, adjoint, at.z);
        const T value = minus_product(at.r, alpha, at.q);
        r[k] = value;
        add_square(sums, value);
    }
};

// x = z + beta * q; p = x + beta * (q + beta * p).
template <class T>
struct Squared {
    struct Loaded {
        T p, z, q;
    };
    static constexpr bool SUMS = false;
    T *x, *p;
    const T *z, *q;
    const T beta;
    GPUNP_HD explicit Squared(const StepsParams& params)
        : x((T*)params.x),
          p((T*)params.p),
          z((const T*)params.z),
          q((const T*)params.q),
          beta(value_of<T>(params.numbers->beta)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {p[k], z[k], q[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums&) const {
        const T value = plus_product(at.z, beta, at.q);
        x[k] = value;
        p[k] = plus_product(value, beta, plus_product(at.q, beta, at.p));
    }
};
// r = z - alpha * q; x = z + r.
template <class T>
struct Half {
    struct Loaded {
        T z, q;
    };
    static constexpr bool SUMS = false;
    T *x, *r;
    const T *z, *q;
    const T alpha;
    GPUNP_HD explicit Half(const StepsParams& p)
        : x((T*)p.x), r((T*)p.r), z((const T*)p.z), q((const T*)p.q), alpha(value_of<T>(p.numbers->alpha)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {z[k], q[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums&) const {
        const T value = minus_product(at.z, alpha, at.q);
        r[k] = value;
        x[k] = Values<T>::plus(at.z, value);
    }
};
// x += alpha * q.
template <class T>
struct Advance {
    struct Loaded {
        T x, q;
    };
    static constexpr bool SUMS = false;
    T* x;
    const T* q;
    const T alpha;
    GPUNP_HD explicit Advance(const StepsParams& p)
        : x((T*)p.x), q((const T*)p.q), alpha(value_of<T>(p.numbers->alpha)) {}
    GPUNP_HD Loaded load(int64_t k) const { return {x[k], q[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums&) const { x[k] = plus_product(at.x, alpha, at.q); }
};
// r = z - q, and the sums (first, r) and (r, r).
template <class T>
struct Rest {
    struct Loaded {
        T z, q, first;
    };
    static constexpr bool SUMS = true;
    T* r;
    const T *z, *q, *first;
    GPUNP_HD explicit Rest(const StepsParams& p)
        : r((T*)p.r), z((const T*)p.z), q((const T*)p.q), first((const T*)p.first) {}
    GPUNP_HD Loaded load(int64_t k) const { return {z[k], q[k], first[k]}; }
    GPUNP_HD void use(int64_t k, const Loaded& at, Sums& sums) const {
        const T value = Values<T>::minus(at.z, at.q);
        r[k] = value;
        add_product(sums, at.first, value);
        add_square(sums, value);
    }
};

}  // namespace sparse
}  // namespace gpunp
