// What merges of two arrays of compressed rows do with the values of a place.
#pragma once
#include "gpunp/sparse/entries.h"
#include "gpunp/sparse/merges_params.h"
#include "gpunp/sparse/rows.h"
#include "gpunp/sparse/spgemm.h"

namespace gpunp {
namespace sparse {

// The order of numbers in SciPy's merges. NaN is neither less nor greater; complex numbers compare by parts.
template <class T>
GPUNP_HD bool is_less(T a, T b) {
    return a < b;
}
template <class T>
GPUNP_HD bool is_less(complex<T> a, complex<T> b) {
    return a.re == b.re ? a.im < b.im : a.re < b.re;
}

// Whether a value times nothing is not 0.
template <class T>
GPUNP_HD bool is_special(T x) {
    return !(x - x == T{});
}
template <class T>
GPUNP_HD bool is_special(complex<T> x) {
    return is_special(x.re) || is_special(x.im);
}
GPUNP_HD bool is_special(bool) {
    return false;
}

struct Plus {
    template <class T>
    GPUNP_HD static T of(T a, T b) {
        return plus(a, b);
    }
};
struct Minus {
    template <class T>
    GPUNP_HD static T of(T a, T b) {
        return a - b;
    }
    template <class T>
    GPUNP_HD static complex<T> of(complex<T> a, complex<T> b) {
        return {a.re - b.re, a.im - b.im};
    }
};
struct Times {
    template <class T>
    GPUNP_HD static T of(T a, T b) {
        return plus_product(T{}, a, b);
    }
};
struct Maximum {
    template <class T>
    GPUNP_HD static T of(T a, T b) {
        return is_less(a, b) ? b : a;
    }
};
struct Minimum {
    template <class T>
    GPUNP_HD static T of(T a, T b) {
        return is_less(b, a) ? b : a;
    }
};
struct Unequal {
    template <class T>
    GPUNP_HD static bool of(T a, T b) {
        return a != b;
    }
    template <class T>
    GPUNP_HD static bool of(complex<T> a, complex<T> b) {
        return a.re != b.re || a.im != b.im;
    }
};
struct Less {
    template <class T>
    GPUNP_HD static bool of(T a, T b) {
        return is_less(a, b);
    }
};
struct Greater {
    template <class T>
    GPUNP_HD static bool of(T a, T b) {
        return is_less(b, a);
    }
};

// Writes both values.
struct Both {
    static constexpr bool PRUNES = false, CHECKS = false;
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, T a, T b) {
        ((T*)p.first)[at] = a;
        ((T*)p.second)[at] = b;
    }
};
// Writes a result where it is not 0: for functions that give many zeros, as the values are read twice.
template <class Function>
struct Pruned {
    static constexpr bool PRUNES = true, CHECKS = false;
    template <class T>
    GPUNP_HD static bool keeps(T a, T b) {
        return !is_zero(Function::of(a, b));
    }
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, T a, T b) {
        ((decltype(Function::of(a, b))*)p.first)[at] = Function::of(a, b);
    }
};
// Writes all results, and whether there was a 0. Intersections also find out whether a value is not finite.
template <class Function>
struct Whole {
    static constexpr bool PRUNES = false, CHECKS = true;
    template <class T>
    GPUNP_HD static void store(const MergeParams& p, int64_t at, T a, T b) {
        const T result = Function::of(a, b);
        ((T*)p.first)[at] = result;
        if (is_zero(result)) p.found[1] = 1;
    }
};

}  // namespace sparse
}  // namespace gpunp
