// Unsigned integers by which host loops move and combine elements of any type.
#pragma once
#include <stdint.h>

namespace gpunp {

// Of as many bytes; of 8 for larger elements, which are several words.
template <int BYTES>
struct host_word {
    using type = uint64_t;
};
template <>
struct host_word<1> {
    using type = uint8_t;
};
template <>
struct host_word<2> {
    using type = uint16_t;
};
template <>
struct host_word<4> {
    using type = uint32_t;
};

}  // namespace gpunp
