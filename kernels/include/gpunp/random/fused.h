// Fused multiply-add of floats: the same bits on every device, with or without hardware support.
#pragma once
#include "gpunp/config.h"

namespace gpunp {
namespace random {

GPUNP_HD float multiply_add(float x, float y, float z) {
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(x, y, z);
#else
    return __builtin_fmaf(x, y, z);
#endif
}

}  // namespace random
}  // namespace gpunp
