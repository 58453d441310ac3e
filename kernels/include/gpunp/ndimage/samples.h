// Samples of images: where they are beyond an image's ends, and their conversion, as SciPy's from and to
// double.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/ndimage/boundary_params.h"
#include "gpunp/types.h"

namespace gpunp {
namespace ndimage {

// The index of a sample along an axis; -1 where the image continues with a constant. 32-bit indices are for
// axes shorter than 2^30.
template <class Index>
GPUNP_HD Index extended(Index i, int64_t extent, int mode) {
    const Index n = (Index)extent;
    if ((uint64_t)i < (uint64_t)n) return i;
    if (mode == BOUNDARY_NEAREST) return i < 0 ? 0 : n - 1;
    if (mode == BOUNDARY_CONSTANT || mode == BOUNDARY_GRID_CONSTANT) return -1;
    const bool mirror = mode == BOUNDARY_MIRROR;
    if (mirror && n == 1) return 0;
    const Index period = mode == BOUNDARY_REFLECT ? 2 * n : mirror ? 2 * n - 2 : n;
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : mirror ? period - i : period - 1 - i;
}

// SciPy converts to booleans as to bytes.
template <class T, class C>
GPUNP_HD T to_sample(C value) {
    if constexpr (dtype_of<T>::value == BOOL) {
        return convert<u1>(value) != 0;
    } else {
        return convert<T>(value);
    }
}

// The dtypes of images.
// clang-format off
#define GPUNP_EACH_SAMPLE(APPLY)                              \
    APPLY(BOOL, bool) APPLY(I1, i1) APPLY(U1, u1)             \
    APPLY(I2, i2) APPLY(U2, u2) APPLY(I4, i4) APPLY(U4, u4)   \
    APPLY(I8, i8) APPLY(U8, u8) APPLY(F4, f4) APPLY(F8, f8)
// clang-format on

template <class C>
GPUNP_HD C load_sample(const char* image, int64_t i, int dtype) {
#define GPUNP_CASE(code, T) \
    case code:              \
        return (C) reinterpret_cast<const T*>(image)[i];
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
    return (C)0;
}

template <class C>
GPUNP_HD void store_sample(char* image, int64_t i, int dtype, C value) {
#define GPUNP_CASE(code, T)                                   \
    case code:                                                \
        reinterpret_cast<T*>(image)[i] = to_sample<T>(value); \
        break;
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
}

// A value as it would be read after it was stored; booleans keep SciPy's bytes between two passes.
template <class C>
GPUNP_HD C stored(C value, int dtype) {
    if (dtype == BOOL) return (C)convert<u1>(value);
#define GPUNP_CASE(code, T) \
    case code:              \
        return (C)to_sample<T>(value);
    switch (dtype) { GPUNP_EACH_SAMPLE(GPUNP_CASE) }
#undef GPUNP_CASE
    return value;
}

}  // namespace ndimage
}  // namespace gpunp
