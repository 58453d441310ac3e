// The launch of kernels that loop over elements one at a time; read by Cython too.
#pragma once

namespace gpunp {

constexpr int LOOP_BLOCK = 256;  // threads

}  // namespace gpunp
