// From a linear index, in C order, to an index for each axis.
#pragma once
#include "gpunp/custom/prelude.h"

namespace gpunp {
namespace custom {

// Divides an index below 2^31 by an extent. The host fills in both words, as for reductions.
struct Divider {
    uint32_t magic, shift;

    GPUNP_HD uint32_t divide(uint32_t index) const {
#if GPUNP_ON_DEVICE
        return (__umulhi(index, magic) + index) >> shift;
#else
        return ((uint32_t)((uint64_t)index * magic >> 32) + index) >> shift;
#endif
    }
};

// Calls visit(axis, index along this axis) from the last axis to the first, with dividers or by 64-bit
// divisions.
template <int N, class Visit>
GPUNP_HD void unravel(uint32_t index, const ptrdiff_t* shape, const Divider* dividers, const Visit& visit) {
    GPUNP_UNROLL
    for (int axis = N - 1; axis > 0; axis--) {
        const uint32_t rest = dividers[axis].divide(index);
        visit(axis, (int32_t)(index - rest * (uint32_t)shape[axis]));
        index = rest;
    }
    if (N > 0) visit(0, (int32_t)index);
}
template <int N, class Visit>
GPUNP_HD void unravel(ptrdiff_t index, const ptrdiff_t* shape, const Visit& visit) {
    GPUNP_UNROLL
    for (int axis = N - 1; axis > 0; axis--) {
        // Most indices fit in 32 bits, whose division is several times as fast.
        const ptrdiff_t rest = (size_t)index <= 0xffffffffu && (size_t)shape[axis] <= 0xffffffffu
                                   ? (ptrdiff_t)((uint32_t)index / (uint32_t)shape[axis])
                                   : index / shape[axis];
        visit(axis, index - rest * shape[axis]);
        index = rest;
    }
    if (N > 0) visit(0, index);
}

// The shape of N axes as the host passes it, in words of 8 bytes: the size, N extents and, unless WIDE, which
// means a size of 2^31 and more, N dividers.
template <int N, bool WIDE = false>
struct Space {
    ptrdiff_t count, extents[N];
    Divider dividers[N];

    template <class Visit>
    GPUNP_HD void unravel(ptrdiff_t index, const Visit& visit) const {
        custom::unravel<N>((uint32_t)index, extents, dividers, visit);
    }
};
template <int N>
struct Space<N, true> {
    ptrdiff_t count, extents[N];

    template <class Visit>
    GPUNP_HD void unravel(ptrdiff_t index, const Visit& visit) const {
        custom::unravel<N>(index, extents, visit);
    }
};
struct SpaceOfOne {
    ptrdiff_t count;
    static constexpr const ptrdiff_t* extents = nullptr;

    template <class Visit>
    GPUNP_HD void unravel(ptrdiff_t, const Visit&) const {}
};
template <>
struct Space<0, false> : SpaceOfOne {};
template <>
struct Space<0, true> : SpaceOfOne {};

// `_ind` of elementwise kernels: the range of the loop, and the index of each axis at its present element.
template <int N, bool WIDE = false>
class Indexer {
  public:
    static constexpr int ndim = N;

    GPUNP_HD explicit Indexer(const Space<N, WIDE>& space) : space_(space), index_{} {}
    GPUNP_HD ptrdiff_t size() const { return space_.count; }
    GPUNP_HD const ptrdiff_t* shape() const { return space_.extents; }
    // Moves to a linear index in C order; get() is the index of each axis there.
    GPUNP_HD void set(ptrdiff_t i) {
        space_.unravel(i, [&](int axis, ptrdiff_t at) { index_[axis] = at; });
    }
    GPUNP_HD const ptrdiff_t* get() const { return index_; }

  private:
    const Space<N, WIDE>& space_;
    ptrdiff_t index_[N > 0 ? N : 1];
};

}  // namespace custom
}  // namespace gpunp
