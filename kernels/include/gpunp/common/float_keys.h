// Floating numbers as unsigned integers of the same order: what sorts and selections work on.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// Negative numbers run backwards and come first; every NaN becomes the last key of all.
template <class W>
GPUNP_HD W floating_to_key(W bits, W sign, W infinity) {
    const W all = (W)(sign | (W)(sign - 1));
    if ((W)(bits & (W)(sign - 1)) > infinity) return all;
    return bits & sign ? (W)(~bits & all) : (W)(bits | sign);
}
template <class W>
GPUNP_HD W key_to_floating(W key, W sign) {
    const W all = (W)(sign | (W)(sign - 1));
    return key & sign ? (W)(key ^ sign) : (W)(~key & all);
}

}  // namespace gpunp
