// The loop of elementwise kernels that are compiled at run time: the operation, a lambda, over any operands.
//
// A source has the operands' types and roles, the number of axes and the widths as template arguments;
// shapes, strides and addresses are parameters:
//   Loop<RANK, V, U, WIDE, APART, Operand<0, float, ELEMENTWISE_ALIGNED, INPUT>,
//        Operand<1, float, ELEMENTWISE_ALIGNED, OUTPUT>>::run(
//       p, [&](const ptrdiff_t i, const float& x, float& z) { z = x * x; });
// RANK axes in C order; vectors of V elements, of which a thread loads U before it computes; WIDE if 32 bits
// cannot count the vectors; APART if no element reads what the operation writes for another one.
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/config.h"
#include "gpunp/custom/elementwise_params.h"

namespace gpunp {
namespace custom {

// Words of 8 bytes, in the order of `ElementwiseWord`: the launch; the shape; address and strides of each
// operand; then scalars and raw arrays.
template <int RANK, int OPERANDS, int MORE>
struct ElementwiseParams {
    int64_t words[ELEMENTWISE_SHAPE + RANK + OPERANDS * (1 + RANK) + MORE];

    GPUNP_HD ptrdiff_t size() const { return words[ELEMENTWISE_SIZE]; }
    GPUNP_HD int64_t chunks() const { return words[ELEMENTWISE_CHUNKS]; }
    GPUNP_HD int64_t extent(int d) const { return words[ELEMENTWISE_SHAPE + d]; }
    GPUNP_HD char* data(int k) const { return (char*)words[ELEMENTWISE_SHAPE + RANK + k * (1 + RANK)]; }
    GPUNP_HD int64_t stride(int k, int d) const {
        return words[ELEMENTWISE_SHAPE + RANK + k * (1 + RANK) + 1 + d];
    }
    // The words after the operands, from `word` on.
    GPUNP_HD const int64_t* more(int word) const {
        return words + ELEMENTWISE_SHAPE + RANK + OPERANDS * (1 + RANK) + word;
    }
    template <class T>
    GPUNP_HD const T& as(int word) const {
        return *reinterpret_cast<const T*>(more(word));
    }
    template <class T>
    GPUNP_HD T scalar(int word) const {
        T value;
        __builtin_memcpy(&value, more(word), sizeof(T));
        return value;
    }
};

// What `_ind` is in operations that ask only for its size.
struct Range {
    ptrdiff_t count;
    GPUNP_HD ptrdiff_t size() const { return count; }
};

enum Direction { INPUT, OUTPUT };

// Operand number K: its element type and its access along the last axis.
template <int K, class T, ElementwiseRole R, Direction D>
struct Operand {
    using type = T;
    static constexpr int number = K;
    static constexpr ElementwiseRole role = R;
    static constexpr bool output = D == OUTPUT;
};

// The bytes from one element to the next along the last axis; known at compile time for most roles.
template <class Op, int RANK, class P>
GPUNP_HD int64_t step_of(const P& p) {
    if (Op::role == ELEMENTWISE_SPREAD) return 0;
    if (Op::role == ELEMENTWISE_ALIGNED || Op::role == ELEMENTWISE_UNIT) return sizeof(typename Op::type);
    return p.stride(Op::number, RANK - 1);
}

// One element at a time: a copy of the element in memory, or the element itself.
template <class Op>
struct Element {
    using T = typename Op::type;
    T value;

    GPUNP_HD T& at(char*) { return value; }
    GPUNP_HD void load(const char* q) { value = *reinterpret_cast<const T*>(q); }
    GPUNP_HD void store(char* q) const {
        if (Op::output) *reinterpret_cast<T*>(q) = value;
    }
};
template <int K, class T, Direction D>
struct Element<Operand<K, T, ELEMENTWISE_IN_MEMORY, D>> {
    GPUNP_HD T& at(char* q) { return *reinterpret_cast<T*>(q); }
    GPUNP_HD void load(const char*) {}
    GPUNP_HD void store(char*) const {}
};

}  // namespace custom
}  // namespace gpunp

#if GPUNP_ON_DEVICE
#include "gpunp/custom/elementwise_device.h"
#else
#include "gpunp/custom/elementwise_host.h"
#endif
