// Which elementwise kernels of the host have block forms, by their symbols.
#pragma once
#include "gpunp/math/host_vector_error.h"
#include "gpunp/math/host_vector_power.h"
#include "gpunp/math/host_vector_small.h"

namespace gpunp {

// A symbol as a number, for templates.
constexpr uint64_t symbol_code(const char* symbol) {
    uint64_t code = 0xcbf29ce484222325ull;
    for (; *symbol; symbol++) code = (code ^ (uint64_t)*symbol) * 0x100000001b3ull;
    return code;
}

// The block form of a kernel, if it has one: of one or two arguments, the second of which is ignored
// otherwise.
template <uint64_t SYMBOL>
struct BlockForm {
    static constexpr bool exists = false;
};
#define GPUNP_BLOCK_FORM(symbol, A, B, T, call)                                  \
    template <>                                                                  \
    struct BlockForm<symbol_code(#symbol)> {                                     \
        static constexpr bool exists = true;                                     \
        static void run(const A* x, const B* y, T* out, int64_t count) { call; } \
    };
#define GPUNP_BLOCK_FORMS(name)                                                  \
    GPUNP_BLOCK_FORM(name##_f4, f4, none, f4, math::name##_block(x, out, count)) \
    GPUNP_BLOCK_FORM(name##_f8, f8, none, f8, math::name##_block(x, out, count))
GPUNP_BLOCK_FORMS(exp)
GPUNP_BLOCK_FORMS(exp2)
GPUNP_BLOCK_FORMS(expm1)
GPUNP_BLOCK_FORMS(log)
GPUNP_BLOCK_FORMS(log2)
GPUNP_BLOCK_FORMS(log10)
GPUNP_BLOCK_FORMS(log1p)
GPUNP_BLOCK_FORMS(tanh)
GPUNP_BLOCK_FORMS(sin)
GPUNP_BLOCK_FORMS(cos)
GPUNP_BLOCK_FORMS(erf)
GPUNP_BLOCK_FORMS(erfc)
GPUNP_BLOCK_FORMS(ndtr)
GPUNP_BLOCK_FORM(power_f4f4, f4, f4, f4, math::power_block(x, y, out, count))
GPUNP_BLOCK_FORM(power_f8f8, f8, f8, f8, math::power_block(x, y, out, count))
GPUNP_BLOCK_FORM(float_power_f8f8, f8, f8, f8, math::power_block(x, y, out, count))
GPUNP_BLOCK_FORM(power_by_scalar_f4f4, f4, f4, f4, math::power_by_scalar_block(x, y, out, count))
GPUNP_BLOCK_FORM(power_by_scalar_f8f8, f8, f8, f8, math::power_by_scalar_block(x, y, out, count))
GPUNP_BLOCK_FORM(arctan2_f4f4, f4, f4, f4, math::angle_block<1>(x, y, out, count))
GPUNP_BLOCK_FORM(arctan2_f8f8, f8, f8, f8, math::angle_block<1>(x, y, out, count))
GPUNP_BLOCK_FORM(hypot_f4f4, f4, f4, f4, math::hypot_block<1>(x, y, out, count))
GPUNP_BLOCK_FORM(hypot_f8f8, f8, f8, f8, math::hypot_block<1>(x, y, out, count))
GPUNP_BLOCK_FORM(absolute_c8, c8, none, f4, math::length_block<2>(&x->re, &x->im, out, count))
GPUNP_BLOCK_FORM(absolute_c16, c16, none, f8, math::length_block<2>(&x->re, &x->im, out, count))
#undef GPUNP_BLOCK_FORMS
#undef GPUNP_BLOCK_FORM

}  // namespace gpunp
