// CUDA's atomic functions on the host, for every element type. All return the value before.
#pragma once

#define GPUNP_ATOMIC(name, changed)                                                      \
    template <class T>                                                                   \
    inline T name(T* p, gpunp::custom::given_t<T> v) {                                   \
        return gpunp::custom::change_atomically(p, [&](T old) -> T { return changed; }); \
    }
GPUNP_ATOMIC(atomicAdd, old + v)
GPUNP_ATOMIC(atomicSub, old - v)
GPUNP_ATOMIC(atomicMin, min(old, v))
GPUNP_ATOMIC(atomicMax, max(old, v))
GPUNP_ATOMIC(atomicAnd, old& v)
GPUNP_ATOMIC(atomicOr, old | v)
GPUNP_ATOMIC(atomicXor, old ^ v)
GPUNP_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
GPUNP_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#undef GPUNP_ATOMIC

template <class T>
inline T atomicExch(T* p, gpunp::custom::given_t<T> v) {
    return gpunp::custom::change_atomically(p, [&](T) { return v; });
}
template <class T>
inline T atomicCAS(T* p, gpunp::custom::given_t<T> expected, gpunp::custom::given_t<T> v) {
    return gpunp::custom::change_atomically(p, [&](T old) -> T { return old == expected ? v : old; });
}
