// Reductions of elements that the kernel computes: the kernels of gpunp's own reductions, which read an array
// that does not exist.
//
// Every address that they compute is an offset in bytes into that array, which would be dense and in the
// order of the group's iteration space. So the plan of a launch, and with it the order of additions, is that
// of the array in memory.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/module_pool.h"
#include "gpunp/common/vector.h"
#include "gpunp/fusion/group.h"
#include "gpunp/reduction/reduce_kernels.h"

namespace gpunp {
namespace fusion {

struct SpaceDim {
    int64_t extent;
    uint32_t magic, shift;  // divide an index below 2^31 by `extent`
};

// What a group's elements are computed from. Of the leaves, those that are not dense have strides, in bytes;
// dimensions run from the innermost outwards.
template <int LEAVES, int STRIDED, int RANK, int CONSTANTS>
struct ReduceParams : ::gpunp::ReduceParams {
    const char* leaf[LEAVES > 0 ? LEAVES : 1];
    SpaceDim dim[RANK];
    int64_t stride[STRIDED > 0 ? STRIDED : 1][RANK];
    NegativeZero zero;
    uint64_t constant[CONSTANTS > 0 ? CONSTANTS : 1][2];  // their bytes
};

// The place of neighbors where no leaf is strided.
struct NoPlace {
    int64_t offset[1][1];
};

// Where neighboring elements of the strided leaves are: one place for all of them if they are in one row of
// the iteration space.
template <int STRIDED, int RANK, int N, bool NARROW>
struct Places {
    int64_t offset[N][STRIDED];

    template <class Params>
    GPUNP_HD Places(const Params& p, int64_t index) {
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) {
            int64_t rest = index + n;
            GPUNP_UNROLL
            for (int s = 0; s < STRIDED; s++) offset[n][s] = 0;
            GPUNP_UNROLL
            for (int d = 0; d < RANK; d++) {
                int64_t at = rest;
                if (d + 1 < RANK) {
                    rest = quotient(rest, p.dim[d]);
                    at -= rest * p.dim[d].extent;
                }
                GPUNP_UNROLL
                for (int s = 0; s < STRIDED; s++) offset[n][s] += at * p.stride[s][d];
            }
        }
    }
    static GPUNP_HD int64_t quotient(int64_t index, const SpaceDim& d) {
#if defined(__CUDA_ARCH__)
        if constexpr (NARROW) return (__umulhi((uint32_t)index, d.magic) + (uint32_t)index) >> d.shift;
#endif
        return index / d.extent;
    }
};

template <class T>
GPUNP_HD T load_leaf(const char* at) {
#if GPUNP_ON_DEVICE
    if constexpr (sizeof(T) == 16) {
        const uint4 words = __ldg((const uint4*)at);
        T x;
        __builtin_memcpy(&x, &words, 16);
        return x;
    } else if constexpr (sizeof(T) == 8) {
        const uint2 words = __ldg((const uint2*)at);
        T x;
        __builtin_memcpy(&x, &words, 8);
        return x;
    } else if constexpr (sizeof(T) == 4) {
        const uint32_t word = __ldg((const uint32_t*)at);
        T x;
        __builtin_memcpy(&x, &word, 4);
        return x;
    } else if constexpr (sizeof(T) == 2) {
        const uint16_t word = __ldg((const uint16_t*)at);
        T x;
        __builtin_memcpy(&x, &word, 2);
        return x;
    }
#endif
    return *(const T*)at;
}

// Loads neighbors as vectors of up to 16 bytes, to which they are aligned.
template <int N, class T>
GPUNP_HD void load_aligned(T (&x)[N], const char* at) {
    constexpr int EACH = N * (int)sizeof(T) <= 16 ? N : 16 / (int)sizeof(T);
    GPUNP_UNROLL
    for (int n = 0; n < N; n += EACH) {
        const auto v = load_leaf<Vector<T, EACH>>(at + n * (int)sizeof(T));
        GPUNP_UNROLL
        for (int i = 0; i < EACH; i++) x[n + i] = v.at[i];
    }
}

// How a leaf's elements lie along the innermost dimension of the iteration space.
enum Access {
    SINGLE,     // one element
    DENSE,      // in the order of the iteration space, from an address that is aligned to 16 bytes
    UNALIGNED,  // the same from any other address
    ROWS,       // strided, and rows are contiguous and aligned to 16 bytes
    REPEATED,   // strided, and a row has one element
    ANY         // any strides
};

// Loads N neighbors of a leaf. WHOLE: they are in one row, whose place is the only one, and their index is a
// multiple of N.
template <Access ACCESS, bool WHOLE, int N, class T, class Place>
GPUNP_HD void load_neighbors(T (&x)[N], const char* leaf, int64_t index, const Place& place, int number,
                             int64_t step) {
    if constexpr (ACCESS == SINGLE || (ACCESS == REPEATED && WHOLE)) {
        const T one = load_leaf<T>(ACCESS == SINGLE ? leaf : leaf + place.offset[0][number]);
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) x[n] = one;
    } else if constexpr (ACCESS == DENSE) {
        load_aligned<N>(x, leaf + index * (int)sizeof(T));
    } else if constexpr (ACCESS == UNALIGNED) {
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) x[n] = load_leaf<T>(leaf + (index + n) * (int)sizeof(T));
    } else if constexpr (ACCESS == ROWS && WHOLE) {
        load_aligned<N>(x, leaf + place.offset[0][number]);
    } else {
        GPUNP_UNROLL
        for (int n = 0; n < N; n++)
            x[n] =
                load_leaf<T>(leaf + (WHOLE ? place.offset[0][number] + n * step : place.offset[n][number]));
    }
}

template <class T, class Params>
GPUNP_HD T constant_of(const Params& p, int k) {
    T x;
    __builtin_memcpy(&x, p.constant[k], sizeof(T));
    return x;
}

}  // namespace fusion

namespace reduction {

// The bits of a value as the reduction's stored type, which may differ in its sign or be an integer for a
// bool.
template <class To, class From>
GPUNP_HD To as_bits_of(From x) {
    if constexpr (math::is_real<To>)
        return (To)x;
    else
        return x;
}

// The elements of a group: `Chain` computes them from their indices.
template <class Chain, class Stored>
struct Computed {
    using In = Stored;
    static constexpr bool in_memory = false;

    template <int N>
    static GPUNP_HD void neighbors(In (&x)[N], const In* at, const ReduceParams& p) {
        typename Chain::Value y[N];
        Chain::compute(y, (int64_t)((uintptr_t)at / sizeof(In)),
                       static_cast<const typename Chain::Params&>(p));
        GPUNP_UNROLL
        for (int n = 0; n < N; n++) x[n] = as_bits_of<In>(y[n]);
    }
    static GPUNP_HD_CALLED In one(const In* at, const ReduceParams& p) {
        In x[1];
        neighbors(x, at, p);
        return x[0];
    }
};

}  // namespace reduction
}  // namespace gpunp

// The kernel `gpunp_reduce` of a group: BLOCKS must fit on a multiprocessor.
#if GPUNP_ON_DEVICE
#define GPUNP_REDUCE_GROUP(variant, Op, Chain, BLOCKS)                                    \
    template <>                                                                           \
    struct gpunp::reduction::Elements<Op> : gpunp::reduction::Computed<Chain, Op::In> {}; \
    extern "C" __global__ void __launch_bounds__(::gpunp::REDUCE_BLOCK, BLOCKS)           \
        gpunp_reduce(const __grid_constant__ Chain::Params p) {                           \
        ::gpunp::reduction::run_##variant<Op>(p);                                         \
    }
#else
#define GPUNP_REDUCE_GROUP(variant, Op, Chain, BLOCKS)                                    \
    template <>                                                                           \
    struct gpunp::reduction::Elements<Op> : gpunp::reduction::Computed<Chain, Op::In> {}; \
    extern "C" void gpunp_reduce(const void* params) {                                    \
        ::gpunp::reduction::run_##variant<Op, ::gpunp::reduction::FOLD_OTHER>(params);    \
    }
#endif
