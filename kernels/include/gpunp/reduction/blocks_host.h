// Folds of blocks of contiguous elements on the host, written so that compilers vectorize them. They have the
// bits of the general fold in reduce_host.h.
#pragma once
#include <type_traits>

#include "gpunp/common/host_words.h"
#include "gpunp/reduction/reduce_streams.h"

// Vectors here are never arguments of functions that are not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gpunp {
namespace reduction {

constexpr int HOST_BLOCK = 512;    // elements folded before accumulators are combined pairwise
constexpr int HOST_LANES = 16;     // independent accumulators in a block, so that the compiler vectorizes
constexpr int EXACT_BLOCK = 8192;  // the same if the order of the elements does not matter

// The operations with folds of their own, by the name of the kernel.
enum FoldKind { FOLD_OTHER, FOLD_SUM, FOLD_GREATEST, FOLD_LEAST, FOLD_ALL, FOLD_ANY, FOLD_COUNT, FOLD_PLACE };

constexpr bool begins_with(const char* name, const char* start) {
    return *start == 0 || (*name == *start && begins_with(name + 1, start + 1));
}
constexpr FoldKind kind_of(const char* name) {
    return begins_with(name, "add_")             ? FOLD_SUM
           : begins_with(name, "maximum_")       ? FOLD_GREATEST
           : begins_with(name, "minimum_")       ? FOLD_LEAST
           : begins_with(name, "logical_and_")   ? FOLD_ALL
           : begins_with(name, "logical_or_")    ? FOLD_ANY
           : begins_with(name, "count_nonzero_") ? FOLD_COUNT
           : begins_with(name, "argmax_")        ? FOLD_PLACE
           : begins_with(name, "argmin_")        ? FOLD_PLACE
                                                 : FOLD_OTHER;
}

template <class T, int N>
struct vector_of {
    typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using vector_t = typename vector_of<T, N>::type;

// Numbers in a register.
#if defined(__AVX512F__)
template <class T>
constexpr int NATIVE = 64 / sizeof(T);
#elif defined(__AVX2__)
template <class T>
constexpr int NATIVE = 32 / sizeof(T);
#else
template <class T>
constexpr int NATIVE = 16 / sizeof(T);
#endif

// For loops over a few vectors: arrays of them are not kept in registers otherwise.
#define GPUNP_UNROLL_PARTS _Pragma("GCC unroll 16")

template <class V, class T>
inline V load_vector(const T* x) {
    V v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

// Whether the result does not depend on the order of the elements, not even its rounding.
template <class Op, FoldKind KIND>
constexpr bool is_exact() {
    return KIND != FOLD_OTHER && (KIND != FOLD_SUM || math::is_integer<typename Op::Acc>);
}

// Signed integers and bool: their sums are those of the unsigned ones.
template <class Acc, class In>
inline Acc sum_integers(const In* x, int n) {
    if constexpr (sizeof(In) <= 2) {
        int32_t sum = 0;  // of at most EXACT_BLOCK terms
        for (int i = 0; i < n; i++) sum += x[i];
        return (Acc)sum;
    } else {
        uint64_t sum = 0;
        for (int i = 0; i < n; i++) sum += (uint64_t)(int64_t)x[i];
        return (Acc)sum;
    }
}

// WIDTH numbers make an element: 2 for complex ones.
template <class Op, int WIDTH, class A, class In>
inline typename Op::Acc sum_floats(const In* x, int n, bool skip_nan) {
    constexpr int LANES = HOST_LANES * WIDTH, N = NATIVE<A>, PARTS = LANES / N;
    using V = vector_t<A, N>;
    const auto load = [&](int64_t i) __attribute__((always_inline)) {
        V v;
        if constexpr (std::is_same_v<A, In>) {
            v = load_vector<V>(x + i);
        } else {
            for (int k = 0; k < N; k++) v[k] = (A)x[i + k];
        }
        return skip_nan ? (v == v ? v : V{}) : v;
    };
    V sums[PARTS];
    GPUNP_UNROLL_PARTS
    for (int k = 0; k < PARTS; k++) sums[k] = load(k * N);
    int i = HOST_LANES;
    for (; i + HOST_LANES <= n; i += HOST_LANES) {
        GPUNP_UNROLL_PARTS
        for (int k = 0; k < PARTS; k++) sums[k] += load((int64_t)i * WIDTH + k * N);
    }
    A lanes[LANES];
    __builtin_memcpy(lanes, sums, sizeof lanes);
    for (; i < n; i++)
        for (int k = 0; k < WIDTH; k++) {
            const A v = (A)x[(int64_t)i * WIDTH + k];
            lanes[i % HOST_LANES * WIDTH + k] += skip_nan && v != v ? 0 : v;
        }
    return fold_tree<Op, HOST_LANES>(reinterpret_cast<const typename Op::Acc*>(lanes));
}

template <bool GREATEST, class T>
inline T extreme_integer(const T* x, int n) {
    T top = x[0];
    for (int i = 1; i < n; i++) top = GREATEST ? (top > x[i] ? top : x[i]) : (top < x[i] ? top : x[i]);
    return top;
}

// Independent extremes of a block of floats: two vectors of 64 bytes at every level, so that each element
// meets the same others.
template <class T>
constexpr int EXTREME_LANES = 128 / sizeof(T);

// The greatest or least of n >= HOST_LANES numbers, or their first NaN.
template <class Better, bool GREATEST, class T>
inline T extreme_float(const T* x, int n, const Better& better) {
    constexpr int LANES = EXTREME_LANES<T>, N = NATIVE<T>, PARTS = LANES / N;
    using V = vector_t<T, N>;
    if (n < LANES) {
        T top = x[0];
        for (int i = 1; i < n; i++) top = better(top, x[i]);
        return top;
    }
    V top[PARTS], sums[PARTS];  // a NaN makes its lane's sum NaN; so may two infinities
    GPUNP_UNROLL_PARTS
    for (int k = 0; k < PARTS; k++) {
        top[k] = load_vector<V>(x + k * N);
        sums[k] = top[k] + load_vector<V>(x + n - LANES + k * N);
    }
    for (int i = LANES; i + LANES <= n; i += LANES) {
        GPUNP_UNROLL_PARTS
        for (int k = 0; k < PARTS; k++) {
            const V v = load_vector<V>(x + i + k * N);
            sums[k] += v;
            top[k] = GREATEST ? (top[k] > v ? top[k] : v) : (top[k] < v ? top[k] : v);
        }
    }
    auto bad = sums[0] != sums[0];
    GPUNP_UNROLL_PARTS
    for (int k = 1; k < PARTS; k++) bad |= sums[k] != sums[k];
    bool nan = false;
    for (int k = 0; k < N; k++) nan |= bad[k] != 0;
    if (nan)
        for (int i = 0; i < n; i++)
            if (x[i] != x[i]) return x[i];
    T lanes[LANES];
    __builtin_memcpy(lanes, top, sizeof lanes);
    for (int i = n - n % LANES; i < n; i++) lanes[i % LANES] = better(lanes[i % LANES], x[i]);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) lanes[k] = better(lanes[2 * k], lanes[2 * k + 1]);
    return lanes[0];
}

// combine() of neighboring accumulators, by vectors of floats
template <FoldKind KIND, class V>
inline __attribute__((always_inline)) V combine_vectors(V a, V b) {
    if constexpr (KIND == FOLD_GREATEST) return ((a > b) | (a != a)) ? a : b;
    if constexpr (KIND == FOLD_LEAST) return ((a < b) | (a != a)) ? a : b;
    return a + b;
}

// Whether any (NONZERO) or not all (!NONZERO) elements are nonzero.
template <bool NONZERO, class T>
inline bool find_truth(const T* x, int n) {
    using W = typename host_word<sizeof(T)>::type;
    int i = 0;
    uint64_t found = 0;
    if constexpr (std::is_integral_v<T>) {
        constexpr int N = NATIVE<W>, PARTS = 4;
        using V = vector_t<W, N>;
        V parts[PARTS] = {};
        for (; i + PARTS * N <= n; i += PARTS * N) {
            GPUNP_UNROLL_PARTS
            for (int k = 0; k < PARTS; k++) {
                const V v = load_vector<V>(reinterpret_cast<const W*>(x) + i + k * N);
                parts[k] |= NONZERO ? v : (V)(v == 0);
            }
        }
        uint64_t words[sizeof parts / 8];
        __builtin_memcpy(words, parts, sizeof words);
        for (uint64_t word : words) found |= word;
    }
    for (; i < n; i++) found |= convert<bool>(x[i]) == NONZERO;
    return found != 0;
}

// The number of bytes that are not zero, of at most EXACT_BLOCK.
inline int count_bytes(const uint8_t* x, int n) {
    constexpr int N = NATIVE<uint8_t>, PARTS = 64 / N;
    static_assert(EXACT_BLOCK / 64 <= 255, "a byte counts them");
    using V = vector_t<uint8_t, N>;
    V parts[PARTS] = {};
    int i = 0;
    for (; i + 64 <= n; i += 64) {
        GPUNP_UNROLL_PARTS
        for (int k = 0; k < PARTS; k++) parts[k] -= (V)(load_vector<V>(x + i + k * N) != 0);
    }
    uint64_t words[8], fields = 0;
    __builtin_memcpy(words, parts, sizeof words);
    for (uint64_t word : words)
        fields += (word & 0x00ff00ff00ff00ffull) + (word >> 8 & 0x00ff00ff00ff00ffull);
    // The sum of four fields of 16 bits, which have room for all.
    int count = (int)(fields * 0x0001000100010001ull >> 48);
    for (; i < n; i++) count += x[i] != 0;
    return count;
}

template <class T>
inline int64_t count_truth(const T* x, int n) {
    using W = typename host_word<sizeof(T)>::type;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
        return count_bytes(reinterpret_cast<const uint8_t*>(x), n);
    int64_t total = 0;
    for (int start = 0; start < n; start += 128) {
        const int end = n - start < 128 ? n : start + 128;
        W count = 0;  // 128 fits every word
        for (int i = start; i < end; i++) {
            // The high bit of x | -x: not every level has comparisons of 64-bit integers.
            if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
                count += ((W)x[i] | ((W)0 - (W)x[i])) >> 63;
            else
                count += (W)convert<bool>(x[i]);
        }
        total += count;
    }
    return total;
}

// A multiple of the vectors' length up to which no element equals `wanted`, or, if that is NaN, none is NaN.
template <class S>
inline int skip_others(const S* x, int n, S wanted) {
    constexpr int N = NATIVE<S>, PARTS = 8;
    using V = vector_t<S, N>;
    const bool nan = wanted != wanted;
    int i = 0;
    for (; i + PARTS * N <= n; i += PARTS * N) {
        V v = load_vector<V>(x + i);
        auto hit = nan ? v != v : v == wanted;
        GPUNP_UNROLL_PARTS
        for (int k = 1; k < PARTS; k++) {
            v = load_vector<V>(x + i + k * N);
            hit |= nan ? v != v : v == wanted;
        }
        uint64_t words[sizeof hit / 8], found = 0;
        __builtin_memcpy(words, &hit, sizeof words);
        for (uint64_t word : words) found |= word;
        if (found) break;
    }
    return i;
}

// Puts the best element of a block into `best`, if it is better than those of smaller indices in there.
template <class Op, class S>
inline void find_place(Best<typename Op::C>& best, const S* x, int n, int64_t index) {
    using C = typename Op::C;
    constexpr bool greatest = std::is_same_v<typename Op::Order, Greatest>;
    if constexpr (std::is_arithmetic_v<S>) {
        C top;
        if constexpr (std::is_integral_v<S>) {
            top = (C)extreme_integer<greatest>(x, n);
        } else if (n >= HOST_LANES) {
            top = extreme_float<decltype(&Op::Order::template best_of<C>), greatest>(
                x, n, &Op::Order::template best_of<C>);
        } else {
            top = x[0];
            for (int i = 1; i < n; i++) top = Op::Order::best_of(top, (C)x[i]);
        }
        if (!(best.index & BEST_OF_NOTHING) && !Op::Order::better(top, best.value)) return;
        // The first one, or the first NaN.
        int i = 0;
        if constexpr (!std::is_same_v<S, bool>) i = skip_others(x, n, (S)top);
        while (x[i] != (S)top && x[i] == x[i]) i++;
        best = {top, index + i};
    } else {
        C top = convert<C>(x[0]);
        int place = 0;
        for (int i = 1; i < n; i++) {
            const C y = convert<C>(x[i]);
            if (Op::Order::better(y, top)) top = y, place = i;
        }
        if (best.index & BEST_OF_NOTHING || Op::Order::better(top, best.value)) best = {top, index + place};
    }
}

// Whether an element type has a fold of the kind.
template <class Op, FoldKind KIND, class S>
constexpr bool has_fold() {
    using Acc = typename Op::Acc;
    constexpr bool number = std::is_arithmetic_v<S>;
    if (KIND == FOLD_SUM)
        return math::is_integer<Acc> ? std::is_integral_v<S>
                                     : (number && std::is_floating_point_v<Acc>) ||
                                           (std::is_same_v<S, Acc> && !std::is_same_v<S, half> && !number);
    if (KIND == FOLD_GREATEST || KIND == FOLD_LEAST) return number;
    if (KIND == FOLD_ALL || KIND == FOLD_ANY || KIND == FOLD_COUNT)
        return sizeof(S) <= 8 && (number || sizeof(S) == 2);
    return false;
}

// Folds n > 0 elements.
template <class Op, FoldKind KIND, class S>
inline typename Op::Acc fold_kind(const S* x, int n, const ReduceParams& p) {
    using Acc = typename Op::Acc;
    if constexpr (KIND == FOLD_SUM) {
        const bool skip_nan = p.flags & REDUCE_SKIP_NAN;
        if constexpr (std::is_integral_v<Acc>) {
            return sum_integers<Acc>(x, n);
        } else {
            if (n >= HOST_LANES) {
                if constexpr (std::is_arithmetic_v<S>) return sum_floats<Op, 1, Acc>(x, n, skip_nan);
                // A complex number is skipped if either part is NaN.
                if constexpr (!std::is_arithmetic_v<S>)
                    if (!skip_nan)
                        return sum_floats<Op, 2, typename S::value_type>(
                            reinterpret_cast<const typename S::value_type*>(x), n, false);
            }
            if (n < HOST_LANES) {
                Acc a = Op::identity();
                for (int k = 0; k < n; k++) a = Op::combine(a, Op::map(convert<typename Op::C>(x[k]), p));
                return a;
            }
            Acc lanes[HOST_LANES];
            for (int k = 0; k < HOST_LANES; k++) lanes[k] = Op::map(convert<typename Op::C>(x[k]), p);
            for (int i = HOST_LANES; i < n; i++)
                lanes[i % HOST_LANES] =
                    Op::combine(lanes[i % HOST_LANES], Op::map(convert<typename Op::C>(x[i]), p));
            return fold_tree<Op, HOST_LANES>(lanes);
        }
    } else if constexpr (KIND == FOLD_GREATEST || KIND == FOLD_LEAST) {
        if constexpr (std::is_integral_v<S>) {
            return (Acc)extreme_integer<KIND == FOLD_GREATEST>(x, n);
        } else {
            if (n >= HOST_LANES)
                return extreme_float<decltype(&Op::combine), KIND == FOLD_GREATEST>(x, n, &Op::combine);
            Acc a = x[0];
            for (int i = 1; i < n; i++) a = Op::combine(a, x[i]);
            return a;
        }
    } else if constexpr (KIND == FOLD_ANY) {
        return find_truth<true>(x, n);
    } else if constexpr (KIND == FOLD_ALL) {
        return !find_truth<false>(x, n);
    } else {
        return (Acc)count_truth(x, n);
    }
}

}  // namespace reduction
}  // namespace gpunp
