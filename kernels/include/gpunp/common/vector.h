// Neighboring elements that one load or store moves.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Aligned to its size, or to 16 bytes where it is larger.
template <class T, int N = 16 / (int)sizeof(T)>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vector {
    static constexpr int WIDTH = N;
    T at[N];
};

// An opaque element of 16 bytes.
struct alignas(16) Bytes16 {
    uint64_t low, high;
};

#if GPUNP_ON_DEVICE
// Loads 16 bytes through the read-only cache: nothing may write them while the kernel runs.
template <class T>
__device__ __forceinline__ Vector<T> load_vector(const T* from) {
    const uint4 words = __ldg((const uint4*)from);
    Vector<T> vector;
    __builtin_memcpy(&vector, &words, 16);
    return vector;
}
// Loads 16 bytes that are read only once: the caches evict them first.
template <class T>
__device__ __forceinline__ Vector<T> load_vector_once(const T* from) {
    const uint4 words = __ldcs((const uint4*)from);
    Vector<T> vector;
    __builtin_memcpy(&vector, &words, 16);
    return vector;
}
#endif

}  // namespace gpunp
