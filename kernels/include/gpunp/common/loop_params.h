// Launch constants of kernels that loop over elements one at a time; Cython reads this header too.
#pragma once

namespace gpunp {

constexpr int LOOP_BLOCK = 256;  // threads

}  // namespace gpunp
