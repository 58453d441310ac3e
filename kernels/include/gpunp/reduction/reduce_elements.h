// Where the elements of a reduction come from.
#pragma once
#include "gpunp/reduction/reduce.h"

namespace gpunp {
namespace reduction {

// Elements in memory. Fused kernels specialize this for their operation: they compute the elements that would
// be in memory, and an address is the offset of an element in an array that does not exist.
template <class Op>
struct Elements {
    using In = typename Op::In;
    static constexpr bool in_memory = true;

    static GPUNP_HD In one(const In* at, const ReduceParams&) { return *at; }
};

}  // namespace reduction
}  // namespace gpunp
