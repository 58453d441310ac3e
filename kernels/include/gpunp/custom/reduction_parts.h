// Partial results of a user's reduction: an accumulator that may be of any type, and whether it has a value
// yet.
#pragma once
#include "gpunp/custom/reduction_elements.h"

namespace gpunp {
namespace custom {

// Without an identity a part starts empty. Parts are copied as bytes, so that accumulators may have
// constructors.
template <class Op, bool HAS_IDENTITY = Op::HAS_IDENTITY>
struct Part {
    using Acc = typename Op::Acc;
    union {
        Acc value;
        char nothing;
    };

    GPUNP_USER Part() {}
    GPUNP_USER Part(const Part& other) { __builtin_memcpy((void*)this, (const void*)&other, sizeof(Part)); }
    GPUNP_USER Part& operator=(const Part& other) {
        __builtin_memcpy((void*)this, (const void*)&other, sizeof(Part));
        return *this;
    }
    GPUNP_USER void start() { put(Op::identity()); }
    GPUNP_USER void put(const Acc& a) { __builtin_memcpy((void*)&value, (const void*)&a, sizeof(Acc)); }
    // Folds a value in that comes after those folded before.
    GPUNP_USER void add(const Acc& a) { put(Op::combine(value, a)); }
    GPUNP_USER void add(const Part& later) { add(later.value); }
};
template <class Op>
struct Part<Op, false> {
    using Acc = typename Op::Acc;
    union {
        Acc value;
        char nothing;
    };
    bool any;

    GPUNP_USER Part() {}
    GPUNP_USER Part(const Part& other) { __builtin_memcpy((void*)this, (const void*)&other, sizeof(Part)); }
    GPUNP_USER Part& operator=(const Part& other) {
        __builtin_memcpy((void*)this, (const void*)&other, sizeof(Part));
        return *this;
    }
    GPUNP_USER void start() { any = false; }
    GPUNP_USER void put(const Acc& a) {
        __builtin_memcpy((void*)&value, (const void*)&a, sizeof(Acc));
        any = true;
    }
    GPUNP_USER void add(const Acc& a) {
        if (any)
            put(Op::combine(value, a));
        else
            put(a);
    }
    GPUNP_USER void add(const Part& later) {
        if (later.any) add(later.value);
    }
};

// Combines N values in a balanced tree: short chains of roundings, and independent instructions.
template <class Op, int N, class Values>
GPUNP_USER typename Op::Acc fold_tree(const Values& value, int first = 0) {
    if constexpr (N == 1) {
        return value(first);
    } else {
        return Op::combine(fold_tree<Op, N / 2>(value, first),
                           fold_tree<Op, N - N / 2>(value, first + N / 2));
    }
}

}  // namespace custom
}  // namespace gpunp
