// Pivot search on integer keys, made from the bits of the absolute values.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// The bits of |x|, plus one: keys compare like the absolute values, and key 0 means no element.
__device__ inline unsigned key_of(float x) {
    return (__float_as_uint(x) & 0x7fffffffu) + 1;
}
__device__ inline unsigned long long key_of(double x) {
    return ((unsigned long long)__double_as_longlong(x) & 0x7fffffffffffffffull) + 1;
}
template <class T>
using key_t = decltype(key_of(T()));

// The greatest key in the warp.
__device__ inline unsigned greatest(unsigned key) {
    return warp::greatest_word(key);
}
__device__ inline unsigned long long greatest(unsigned long long key) {
    const unsigned high = greatest((unsigned)(key >> 32));
    const unsigned low = greatest((unsigned)(key >> 32) == high ? (unsigned)key : 0u);
    return (unsigned long long)high << 32 | low;
}

// Mask of the lanes that have the greatest key.
__device__ inline unsigned greatest_lanes(unsigned key) {
    return warp::ballot(key == greatest(key));
}
__device__ inline unsigned greatest_lanes(unsigned long long key) {
    const unsigned high = (unsigned)(key >> 32);
    const bool leads = high == greatest(high);
    const unsigned lanes = warp::ballot(leads);
    if (!(lanes & (lanes - 1))) return lanes;
    const unsigned low = leads ? (unsigned)key : 0u, found = greatest(low);
    return warp::ballot(leads && low == found);
}

}  // namespace linalg
}  // namespace gpunp
#endif
