// The inputs of a user's reduction kernel: lists of their types, and the elements that a thread holds.
//
// Op, written by gpunp/custom/reduction_source.py for every kernel, says what the user wrote:
//     Acc                                 the type that values are folded in
//     Inputs, Outputs                     List of the element types of arrays that are not raw
//     GIVEN                               words of 8 bytes of numbers and raw arrays
//     HAS_IDENTITY, INDEXED               whether there is an identity; whether map or finish use the index
//     identity(), map(env, index, x...), combine(a, b), finish(env, index, a, y...)
#pragma once
#include "gpunp/common/vector.h"
#include "gpunp/custom/reduction_params.h"

#if GPUNP_ON_DEVICE
#define GPUNP_USER __device__ __forceinline__
#else
#define GPUNP_USER inline
#endif

namespace gpunp {
namespace custom {

template <class... T>
struct List {
    static constexpr int COUNT = sizeof...(T);
};

// What the user's expressions see besides elements: the words of numbers and raw arrays, and the sizes.
struct Sized {
    int64_t count;
    GPUNP_USER ptrdiff_t size() const { return (ptrdiff_t)count; }
};
struct Environment {
    const int64_t* given;
    Sized in, out;

    template <class Params>
    GPUNP_USER explicit Environment(const Params& p)
        : given(p.given), in{p.work.outputs * p.work.reduced}, out{p.work.outputs} {}
    // The number at a word, and the raw array.
    template <class T>
    GPUNP_USER T number(int word) const {
        T value;
        __builtin_memcpy((void*)&value, given + word, sizeof(T));
        return value;
    }
    template <class Array>
    GPUNP_USER const Array& raw(int word) const {
        return *reinterpret_cast<const Array*>(given + word);
    }
};

// The least and the largest element size of the inputs that are read as vectors. Bit k of REPEATED: input k
// has one value along the innermost dimension.
template <unsigned REPEATED, class... T>
struct SizesOf {
    static constexpr int LEAST = 16, LARGEST = 1, TOTAL = 0;
};
template <unsigned REPEATED, class T, class... Rest>
struct SizesOf<REPEATED, T, Rest...> {
    using Others = SizesOf<(REPEATED >> 1), Rest...>;
    static constexpr bool COUNTS = !(REPEATED & 1);
    static constexpr int SIZE = (int)sizeof(T);
    static constexpr int LEAST = COUNTS && SIZE < Others::LEAST ? SIZE : Others::LEAST;
    static constexpr int LARGEST = COUNTS && SIZE > Others::LARGEST ? SIZE : Others::LARGEST;
    static constexpr int TOTAL = (COUNTS ? SIZE : 0) + Others::TOTAL;
};
template <unsigned REPEATED, class L>
struct SizesOfList;
template <unsigned REPEATED, class... T>
struct SizesOfList<REPEATED, List<T...>> : SizesOf<REPEATED, T...> {};

// Neighboring elements per vector step: 16 bytes of the smallest element, at most 64 of the largest; and
// vectors in flight: 128 bytes, at most four.
template <class Op, unsigned REPEATED>
struct Steps {
    using Sizes = SizesOfList<REPEATED, typename Op::Inputs>;
    static constexpr int ROW = reduction_neighbors(Sizes::LEAST, Sizes::LARGEST);
    static constexpr int COLUMN = ROW < 4 ? ROW : 4;
    // Bytes of a step of ROW or COLUMN neighbors.
    static constexpr int ROW_BYTES = Sizes::TOTAL ? ROW * Sizes::TOTAL : 16;
    static constexpr int COLUMN_BYTES = Sizes::TOTAL ? COLUMN * Sizes::TOTAL : 16;
    static constexpr int ROW_UNROLL = ROW > 8 || ROW_BYTES > 32 ? (ROW_BYTES > 64 ? 1 : 2) : 4;
    static constexpr int COLUMN_UNROLL = COLUMN_BYTES < 16   ? 8
                                         : COLUMN_BYTES > 32 ? (COLUMN_BYTES > 64 ? 1 : 2)
                                                             : 4;
};

#if GPUNP_ON_DEVICE
// Loads neighboring elements through the read-only cache, by the widest words.
template <class T, int V>
__device__ __forceinline__ void load_neighbors(T (&to)[V], const T* from) {
    constexpr int BYTES = V * (int)sizeof(T);
    if constexpr (BYTES >= 16) {
        static_assert(BYTES % 16 == 0, "vectors have 1, 2, 4, 8, 16, 32 or 64 bytes");
        uint4 words[BYTES / 16];
#pragma unroll
        for (int w = 0; w < BYTES / 16; w++) words[w] = __ldg((const uint4*)from + w);
        __builtin_memcpy((void*)to, words, BYTES);
    } else if constexpr (BYTES == 8) {
        const uint2 words = __ldg((const uint2*)from);
        __builtin_memcpy((void*)to, &words, BYTES);
    } else if constexpr (BYTES == 4) {
        const uint32_t word = __ldg((const uint32_t*)from);
        __builtin_memcpy((void*)to, &word, BYTES);
    } else if constexpr (BYTES == 2) {
        const uint16_t word = __ldg((const uint16_t*)from);
        __builtin_memcpy((void*)to, &word, BYTES);
    } else {
        static_assert(BYTES == 1, "vectors have 1, 2, 4, 8, 16, 32 or 64 bytes");
        const uint8_t word = __ldg((const uint8_t*)from);
        __builtin_memcpy((void*)to, &word, BYTES);
    }
}
#else
template <class T, int V>
inline void load_neighbors(T (&to)[V], const T* from) {
    __builtin_memcpy((void*)to, from, sizeof(to));
}
#endif
template <class T>
GPUNP_USER void load_element(T& to, const T* from) {
    T one[1];
    load_neighbors(one, from);
    to = one[0];
}

// Room for an element that no constructor has to fill.
template <class T, int N>
union Room {
    T at[N];
    char nothing;
    GPUNP_USER Room() {}
};

// The elements of inputs K, K + 1, ... that a thread holds: U steps of V neighbors. Addresses come from a
// function at(input, step, bytes of an element; 0 if it has one value for all).
template <int K, int U, int V, unsigned REPEATED, class... T>
struct Elements {
    template <class At>
    GPUNP_USER void load(const At&) {}
    template <class At>
    GPUNP_USER void load_single(const At&, int) {}
};
template <int K, int U, int V, unsigned REPEATED, class T, class... Rest>
struct Elements<K, U, V, REPEATED, T, Rest...> {
    static constexpr bool ONE = REPEATED & 1;
    static constexpr int WIDTH = ONE ? 1 : V;
    Room<T, WIDTH> own[U];
    Elements<K + 1, U, V, (REPEATED >> 1), Rest...> rest;

    template <class At>
    GPUNP_USER void load(const At& at) {
        GPUNP_UNROLL
        for (int u = 0; u < U; u++) load_neighbors(own[u].at, (const T*)at(K, u, ONE ? 0 : (int)sizeof(T)));
        rest.load(at);
    }
    // Element by element, wherever they are aligned; only the first `valid` neighbors exist.
    template <class At>
    GPUNP_USER void load_single(const At& at, int valid) {
        GPUNP_UNROLL
        for (int u = 0; u < U; u++) {
            const T* from = (const T*)at(K, u, ONE ? 0 : (int)sizeof(T));
            GPUNP_UNROLL
            for (int v = 0; v < WIDTH; v++) load_element(own[u].at[v], from + (v < valid ? v : 0));
        }
        rest.load_single(at, valid);
    }
    GPUNP_USER const T& get(int u, int v) const { return own[u].at[ONE ? 0 : v]; }
};
template <int U, int V, unsigned REPEATED, class L>
struct ElementsOfList;
template <int U, int V, unsigned REPEATED, class... T>
struct ElementsOfList<U, V, REPEATED, List<T...>> {
    using type = Elements<0, U, V, REPEATED, T...>;
};
template <class Op, int U, int V, unsigned REPEATED>
using ElementsOf = typename ElementsOfList<U, V, REPEATED, typename Op::Inputs>::type;

// map() of the elements at (u, v).
template <class Op, int K, int U, int V, unsigned R, class... X>
GPUNP_USER typename Op::Acc map_elements(const Environment& env, int64_t index, const Elements<K, U, V, R>&,
                                         int, int, const X&... x) {
    return Op::map(env, (ptrdiff_t)index, x...);
}
template <class Op, int K, int U, int V, unsigned R, class T, class... Rest, class... X>
GPUNP_USER typename Op::Acc map_elements(const Environment& env, int64_t index,
                                         const Elements<K, U, V, R, T, Rest...>& e, int u, int v,
                                         const X&... x) {
    return map_elements<Op>(env, index, e.rest, u, v, x..., e.get(u, v));
}

// Where an element or a result lies: steps from the inputs' and outputs' addresses, in bytes, and from the
// C-order indices of the first element and result.
template <class Op>
struct Place {
    static constexpr int INPUTS = Op::Inputs::COUNT, OUTPUTS = Op::Outputs::COUNT;
    using Dim = ReductionDim<INPUTS, OUTPUTS>;
    int64_t in[INPUTS ? INPUTS : 1], out[OUTPUTS ? OUTPUTS : 1];
    int64_t index, index_out;

    GPUNP_USER Place() {}
    GPUNP_USER void start() {
        GPUNP_UNROLL
        for (int k = 0; k < INPUTS; k++) in[k] = 0;
        GPUNP_UNROLL
        for (int k = 0; k < OUTPUTS; k++) out[k] = 0;
        index = index_out = 0;
    }
    // Moves by steps along a dimension; MAY_KEEP: it may be a kept one, along which outputs move too.
    template <bool MAY_KEEP>
    GPUNP_USER void move(const Dim& dim, int64_t steps) {
        GPUNP_UNROLL
        for (int k = 0; k < INPUTS; k++) in[k] += steps * dim.in[k];
        if constexpr (Op::INDEXED) index += steps * dim.index;
        if constexpr (MAY_KEEP) {
            GPUNP_UNROLL
            for (int k = 0; k < OUTPUTS; k++) out[k] += steps * dim.out[k];
            if constexpr (Op::INDEXED) index_out += steps * dim.index_out;
        }
    }
};

#if GPUNP_ON_DEVICE
#define GPUNP_CALLED static __device__ __noinline__
#else
#define GPUNP_CALLED static inline
#endif
// The quotient of an index by a dimension's extent; `narrow`: the index is below 2^31.
template <class Dim>
GPUNP_USER int64_t divide_by(int64_t index, const Dim& dim, bool narrow) {
#if GPUNP_ON_DEVICE
    if (narrow) return (__umulhi((uint32_t)index, dim.magic) + (uint32_t)index) >> dim.shift;
#endif
    return index / dim.extent;
}
// The place of a linear index over `ndim` dimensions. Out of line, as most calls have no more than one
// dimension, which callers handle themselves.
template <class Op>
GPUNP_CALLED Place<Op> locate(const typename Place<Op>::Dim* dims, int ndim, int64_t index, int64_t count) {
    const bool narrow = count <= 0x7fffffff;
    Place<Op> at;
    at.start();
    for (int d = 0; d < ndim; d++) {
        int64_t rest = 0;
        if (d + 1 < ndim) {
            rest = divide_by(index, dims[d], narrow);
            index -= rest * dims[d].extent;
        }
        at.template move<true>(dims[d], index);
        index = rest;
    }
    return at;
}

// The address of output j's element k. With V, outputs are contiguous, and V elements aligned to their size
// or to 16 bytes, so that the compiler stores V neighbors by one instruction.
template <int V, class T>
GPUNP_USER T& output(char* at, int64_t k, int64_t stride) {
    if constexpr (V == 0) {
        return *(T*)(at + k * stride);
    } else {
        constexpr int BYTES = V * (int)sizeof(T);
        return ((T*)__builtin_assume_aligned(at, BYTES < 16 ? BYTES : 16))[k];
    }
}
// finish() for the result that is k steps further along the first dimension than a place.
template <class Op, int V, class... Y>
GPUNP_USER void store_outputs(const Environment& env, int64_t index, const typename Op::Acc& a, char* const*,
                              int64_t, const int64_t*, List<>, Y&... y) {
    Op::finish(env, (ptrdiff_t)index, a, y...);
}
template <class Op, int V, class T, class... Rest, class... Y>
GPUNP_USER void store_outputs(const Environment& env, int64_t index, const typename Op::Acc& a,
                              char* const* out, int64_t k, const int64_t* strides, List<T, Rest...>,
                              Y&... y) {
    store_outputs<Op, V>(env, index, a, out + 1, k, strides + 1, List<Rest...>(), y...,
                         output<V, T>(*out, k, *strides));
}
template <class Op, int V = 0, class Params>
GPUNP_USER void store(const Environment& env, const Params& p, const typename Op::Acc& a,
                      const Place<Op>& place, int64_t k = 0) {
    const auto& dim = p.dims[0];
    char* at[Place<Op>::OUTPUTS + 1];  // at least one element, for operations that write only raw outputs
    GPUNP_UNROLL
    for (int j = 0; j < Place<Op>::OUTPUTS; j++) at[j] = p.out[j] + place.out[j];
    const int64_t index = Op::INDEXED ? p.work.first_out + place.index_out + k * dim.index_out : 0;
    store_outputs<Op, V>(env, index, a, at, k, dim.out, typename Op::Outputs());
}

}  // namespace custom
}  // namespace gpunp
