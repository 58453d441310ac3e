// Values of any size between the lanes of a warp, and 16-byte vectors of them.
#pragma once
#include "gpunp/types.h"

namespace gpunp {

// Moves a value of any size between lanes, word by word.
template <class A, class Move>
__device__ __forceinline__ A shuffle_words(A value, Move move) {
    if constexpr (sizeof(A) < 4) {
        uint32_t word = 0;
        __builtin_memcpy(&word, &value, sizeof(A));
        word = move(word);
        __builtin_memcpy(&value, &word, sizeof(A));
    } else {
        uint32_t words[sizeof(A) / 4];
        __builtin_memcpy(words, &value, sizeof(A));
#pragma unroll
        for (int i = 0; i < (int)(sizeof(A) / 4); i++) words[i] = move(words[i]);
        __builtin_memcpy(&value, words, sizeof(A));
    }
    return value;
}
template <class A>
__device__ __forceinline__ A shuffle_up(A value, int distance) {
    return shuffle_words(value, [=](uint32_t w) { return __shfl_up_sync(~0u, w, distance); });
}
template <class A>
__device__ __forceinline__ A shuffle_from(A value, int lane) {
    return shuffle_words(value, [=](uint32_t w) { return __shfl_sync(~0u, w, lane); });
}
template <class A>
__device__ __forceinline__ A shuffle_down(A value, int distance) {
    return shuffle_words(value, [=](uint32_t w) { return __shfl_down_sync(~0u, w, distance); });
}

template <class A>
struct alignas(16) ScanVector {
    static constexpr int WIDTH = 16 / sizeof(A);
    A at[WIDTH];
};

// Vectors move as the compiler's own vector types, field by field: a copy of bytes would put the
// registers that hold them into local memory.
template <class A>
struct VectorAccess;
#define GPUNP_VECTOR_ACCESS(A, Wide)                                                                    \
    template <>                                                                                         \
    struct VectorAccess<A> {                                                                            \
        using type = Wide;                                                                              \
        static __device__ __forceinline__ void unpack(const Wide& w, ScanVector<A>& v) { GPUNP_UNPACK } \
        static __device__ __forceinline__ void pack(const ScanVector<A>& v, Wide& w) { GPUNP_PACK }     \
    };
#define GPUNP_UNPACK v.at[0] = w.x, v.at[1] = w.y, v.at[2] = w.z, v.at[3] = w.w;
#define GPUNP_PACK w.x = v.at[0], w.y = v.at[1], w.z = v.at[2], w.w = v.at[3];
GPUNP_VECTOR_ACCESS(i4, int4)
GPUNP_VECTOR_ACCESS(u4, uint4)
GPUNP_VECTOR_ACCESS(f4, float4)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#define GPUNP_UNPACK v.at[0] = w.x, v.at[1] = w.y;
#define GPUNP_PACK w.x = v.at[0], w.y = v.at[1];
GPUNP_VECTOR_ACCESS(i8, longlong2)
GPUNP_VECTOR_ACCESS(u8, ulonglong2)
GPUNP_VECTOR_ACCESS(f8, double2)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#define GPUNP_UNPACK v.at[0].re = w.x, v.at[0].im = w.y, v.at[1].re = w.z, v.at[1].im = w.w;
#define GPUNP_PACK w.x = v.at[0].re, w.y = v.at[0].im, w.z = v.at[1].re, w.w = v.at[1].im;
GPUNP_VECTOR_ACCESS(c8, float4)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#define GPUNP_UNPACK v.at[0].re = w.x, v.at[0].im = w.y;
#define GPUNP_PACK w.x = v.at[0].re, w.y = v.at[0].im;
GPUNP_VECTOR_ACCESS(c16, double2)
#undef GPUNP_UNPACK
#undef GPUNP_PACK
#undef GPUNP_VECTOR_ACCESS

}  // namespace gpunp
