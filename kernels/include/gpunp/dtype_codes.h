// Run-time codes of the element types, for kernels and for the Cython modules that launch them.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// In the order of CHARS and NAMES in gpunp/dtype_codes.py.
enum DType : int { BOOL, I1, U1, I2, U2, I4, U4, I8, U8, F2, F4, F8, C8, C16, NUM_DTYPES };

// Bytes of an element: each hexadecimal digit of the constant is the base-2 logarithm of one code's size.
GPUNP_HD constexpr int dtype_size(int dtype) {
    return 1 << (0x43321332211000ull >> 4 * dtype & 15);
}
static_assert(dtype_size(U1) == 1 && dtype_size(I2) == 2 && dtype_size(U4) == 4 && dtype_size(I8) == 8 &&
                  dtype_size(F2) == 2 && dtype_size(F4) == 4 && dtype_size(F8) == 8 && dtype_size(C8) == 8 &&
                  dtype_size(C16) == 16,
              "the digits follow the codes");

}  // namespace gpunp
