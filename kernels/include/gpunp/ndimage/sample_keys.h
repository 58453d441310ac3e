// Samples as unsigned integers in the same order, of as many bits as the samples have.
#pragma once
#include "gpunp/common/keys.h"
#include "gpunp/ndimage/samples.h"

namespace gpunp {
namespace ndimage {

template <class K, class T>
GPUNP_HD K key_of(T value) {
    if constexpr (math::is_floating<T>) {
        K bits;
        __builtin_memcpy(&bits, &value, sizeof(K));
        return floating_to_key<K>(bits, top_bit<K>(), infinity_bits<K>());
    } else if constexpr (dtype_of<T>::value == BOOL) {
        return (K)value;
    } else {
        const K sign = (K)1 << (8 * sizeof(T) - 1);
        const K bits = (K)value & (sign | (sign - 1));
        return (T)-1 < (T)0 ? bits ^ sign : bits;
    }
}
template <class T, class K>
GPUNP_HD T value_of(K key) {
    if constexpr (math::is_floating<T>) {
        const K bits = key_to_floating<K>(key, top_bit<K>());
        T value;
        __builtin_memcpy(&value, &bits, sizeof(T));
        return value;
    } else if constexpr (dtype_of<T>::value == BOOL) {
        return key != 0;
    } else {
        const K sign = (K)1 << (8 * sizeof(T) - 1);
        return (T)((T)-1 < (T)0 ? key ^ sign : key);
    }
}

// K has 4 bytes for samples of up to 4 bytes, and 8 for those of 8.
template <class K>
GPUNP_HD K load_key(const char* image, int64_t i, int dtype) {
#define GPUNP_CASE(code, T)                                         \
    case code:                                                      \
        if constexpr ((sizeof(T) == 8) == (sizeof(K) == 8))         \
            return key_of<K>(reinterpret_cast<const T*>(image)[i]); \
        break;
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
    return 0;
}
template <class K>
GPUNP_HD K constant_key(double value, int dtype) {
#define GPUNP_CASE(code, T)                                                                        \
    case code:                                                                                     \
        if constexpr ((sizeof(T) == 8) == (sizeof(K) == 8)) return key_of<K>(to_sample<T>(value)); \
        break;
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
    return 0;
}
// Stores the sample that a key stands for; to another dtype by way of double.
template <class K>
GPUNP_HD void store_key(char* image, int64_t i, int out_dtype, K key, int dtype) {
#define GPUNP_CASE(code, T)                                       \
    case code:                                                    \
        if constexpr ((sizeof(T) == 8) == (sizeof(K) == 8)) {     \
            const T value = value_of<T>(key);                     \
            if (out_dtype == dtype)                               \
                reinterpret_cast<T*>(image)[i] = value;           \
            else                                                  \
                store_sample(image, i, out_dtype, (double)value); \
        }                                                         \
        break;
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
}

}  // namespace ndimage
}  // namespace gpunp
