// Bounds of the values of each type.
#pragma once
#include "gpunp/types.h"

namespace gpunp {

// The least and the greatest value, infinities where they exist. `epsilon` is the distance from one to the
// next number.
template <class T>
struct limits;
#define GPUNP_LIMITS(T, LOW, HIGH)                   \
    template <>                                      \
    struct limits<T> {                               \
        static GPUNP_HD T lowest() { return LOW; }   \
        static GPUNP_HD T highest() { return HIGH; } \
    };
GPUNP_LIMITS(i4, -2147483647 - 1, 2147483647)
GPUNP_LIMITS(u4, 0, 4294967295u)
GPUNP_LIMITS(i8, -9223372036854775807ll - 1, 9223372036854775807ll)
GPUNP_LIMITS(u8, 0, 18446744073709551615ull)
GPUNP_LIMITS(c8, (c8{-HUGE_VALF, -HUGE_VALF}), (c8{HUGE_VALF, HUGE_VALF}))
GPUNP_LIMITS(c16, (c16{-HUGE_VAL, -HUGE_VAL}), (c16{HUGE_VAL, HUGE_VAL}))
#undef GPUNP_LIMITS
template <>
struct limits<f4> {
    static GPUNP_HD f4 lowest() { return -HUGE_VALF; }
    static GPUNP_HD f4 highest() { return HUGE_VALF; }
    static constexpr f4 epsilon = 1.1920929e-7f;
};
template <>
struct limits<f8> {
    static GPUNP_HD f8 lowest() { return -HUGE_VAL; }
    static GPUNP_HD f8 highest() { return HUGE_VAL; }
    static constexpr f8 epsilon = 2.220446049250313e-16;
};

}  // namespace gpunp
