// Atomic functions that CUDA C++ lacks: of 64-bit integers under all their names, of float16, and the least,
// the greatest and the difference of floating-point numbers. All return the value before.
#pragma once

#define GPUNP_ATOMIC_OF_WORDS(T)                                                                          \
    __device__ __forceinline__ T atomicAdd(T* p, T v) {                                                   \
        return (T)atomicAdd((unsigned long long*)p, (unsigned long long)v);                               \
    }                                                                                                     \
    __device__ __forceinline__ T atomicSub(T* p, T v) {                                                   \
        return (T)atomicAdd((unsigned long long*)p, 0 - (unsigned long long)v);                           \
    }                                                                                                     \
    __device__ __forceinline__ T atomicExch(T* p, T v) {                                                  \
        return (T)atomicExch((unsigned long long*)p, (unsigned long long)v);                              \
    }                                                                                                     \
    __device__ __forceinline__ T atomicCAS(T* p, T expected, T v) {                                       \
        return (T)atomicCAS((unsigned long long*)p, (unsigned long long)expected, (unsigned long long)v); \
    }
#define GPUNP_ATOMIC_OF_NAMES(T, Word)                                      \
    __device__ __forceinline__ T atomicMin(T* p, T v) {                     \
        return (T)atomicMin((Word*)p, (Word)v);                             \
    }                                                                       \
    __device__ __forceinline__ T atomicMax(T* p, T v) {                     \
        return (T)atomicMax((Word*)p, (Word)v);                             \
    }                                                                       \
    __device__ __forceinline__ T atomicAnd(T* p, T v) {                     \
        return (T)atomicAnd((unsigned long long*)p, (unsigned long long)v); \
    }                                                                       \
    __device__ __forceinline__ T atomicOr(T* p, T v) {                      \
        return (T)atomicOr((unsigned long long*)p, (unsigned long long)v);  \
    }                                                                       \
    __device__ __forceinline__ T atomicXor(T* p, T v) {                     \
        return (T)atomicXor((unsigned long long*)p, (unsigned long long)v); \
    }
GPUNP_ATOMIC_OF_WORDS(long long)
GPUNP_ATOMIC_OF_WORDS(long)
GPUNP_ATOMIC_OF_WORDS(unsigned long)
GPUNP_ATOMIC_OF_NAMES(long, long long)
GPUNP_ATOMIC_OF_NAMES(unsigned long, unsigned long long)
#undef GPUNP_ATOMIC_OF_WORDS
#undef GPUNP_ATOMIC_OF_NAMES

__device__ __forceinline__ unsigned long long atomicSub(unsigned long long* p, unsigned long long v) {
    return atomicAdd(p, 0 - v);
}

#define GPUNP_ATOMIC_OF_FLOATS(T)                                                        \
    __device__ __forceinline__ T atomicSub(T* p, T v) {                                  \
        return atomicAdd(p, -v);                                                         \
    }                                                                                    \
    __device__ __forceinline__ T atomicMin(T* p, T v) {                                  \
        return gpunp::custom::change_atomically(p, [&](T old) { return fmin(old, v); }); \
    }                                                                                    \
    __device__ __forceinline__ T atomicMax(T* p, T v) {                                  \
        return gpunp::custom::change_atomically(p, [&](T old) { return fmax(old, v); }); \
    }
GPUNP_ATOMIC_OF_FLOATS(float)
GPUNP_ATOMIC_OF_FLOATS(double)
#undef GPUNP_ATOMIC_OF_FLOATS

__device__ __forceinline__ double atomicExch(double* p, double v) {
    return __longlong_as_double((long long)atomicExch((unsigned long long*)p, __double_as_longlong(v)));
}

template <class F, class = typename gpunp::custom::enable<gpunp::custom::is_float16<F>>::type>
__device__ __forceinline__ F atomicAdd(F* p, gpunp::custom::given_t<F> v) {
    F before;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(before.bits) : "l"(p), "h"(v.bits) : "memory");
    return before;
}
