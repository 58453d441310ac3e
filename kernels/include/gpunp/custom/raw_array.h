// What `raw T x` is in kernels written by users: a whole array, indexed by the kernel.
#pragma once
#include "gpunp/custom/indexer.h"

namespace gpunp {
namespace custom {

// An element of an index in braces, x[{i, j}], which may be of any integer type.
struct AnyIndex {
    ptrdiff_t value;
    template <class I, class = if_integer<I>>
    GPUNP_HD constexpr AnyIndex(I i) : value((ptrdiff_t)i) {}
};

// N axes of T, const T for inputs. CONTIGUOUS: in C order. WIDE: 2^31 elements or bytes and more. As the host
// passes it, in words of 8 bytes: address, size, N extents, N strides in bytes and, unless CONTIGUOUS or
// WIDE, N dividers.
template <class T, int N, bool CONTIGUOUS, bool WIDE>
struct RawLayout {
    T* data;
    ptrdiff_t count, extents[N], steps[N];
};
template <class T, int N>
struct RawLayout<T, N, false, false> {
    T* data;
    ptrdiff_t count, extents[N], steps[N];
    Divider dividers[N];
};
template <class T, bool CONTIGUOUS, bool WIDE>
struct RawLayout<T, 0, CONTIGUOUS, WIDE> {
    T* data;
    ptrdiff_t count;
    static constexpr const ptrdiff_t *extents = nullptr, *steps = nullptr;
};
template <class T>
struct RawLayout<T, 0, false, false> : RawLayout<T, 0, true, false> {};

template <class T, int N, bool CONTIGUOUS = false, bool WIDE = false>
class raw_array : RawLayout<T, N, CONTIGUOUS, WIDE> {
    using Layout = RawLayout<T, N, CONTIGUOUS, WIDE>;

    template <class I>
    GPUNP_HD T& at(const I* index) const {
        ptrdiff_t offset = 0;
        GPUNP_UNROLL
        for (int axis = 0; axis < N; axis++) offset += (ptrdiff_t)index[axis] * Layout::steps[axis];
        return *(T*)((char*)Layout::data + offset);
    }

  public:
    static constexpr int ndim = N;
    using value_type = T;

    GPUNP_HD ptrdiff_t size() const { return Layout::count; }
    GPUNP_HD const ptrdiff_t* shape() const { return Layout::extents; }
    GPUNP_HD const ptrdiff_t* strides() const { return Layout::steps; }

    // x[i]: the linear index in C order.
    GPUNP_HD T& operator[](ptrdiff_t i) const {
        if constexpr (N == 0) {
            return *Layout::data;
        } else if constexpr (CONTIGUOUS) {
            return Layout::data[i];
        } else if constexpr (N == 1) {
            return *(T*)((char*)Layout::data + i * Layout::steps[0]);
        } else {
            ptrdiff_t offset = 0;
            auto add = [&](int axis, ptrdiff_t at) { offset += at * Layout::steps[axis]; };
            if constexpr (WIDE) {
                unravel<N>(i, Layout::extents, add);
            } else {
                unravel<N>((uint32_t)i, Layout::extents, Layout::dividers, add);
            }
            return *(T*)((char*)Layout::data + offset);
        }
    }
    // x[index]: an array of N integers.
    template <class I, class = if_integer<I>>
    GPUNP_HD T& operator[](const I* index) const {
        return at(index);
    }
    // x[{i, j}].
    GPUNP_HD T& operator[](const AnyIndex (&index)[N > 0 ? N : 1]) const {
        ptrdiff_t values[N > 0 ? N : 1];
        GPUNP_UNROLL
        for (int axis = 0; axis < N; axis++) values[axis] = index[axis].value;
        return at(values);
    }
};

}  // namespace custom
}  // namespace gpunp
