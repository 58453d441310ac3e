// Loops that convert elements, for all pairs of dtypes: one copy, which the kernels share.
#include "gpunp/common/cast.h"
#include "gpunp/common/convert_host.h"
#include "gpunp/types.h"

namespace {
using namespace gpunp;

template <class To, class From>
void convert_elements(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
    if (to_stride == (int64_t)sizeof(To) && from_stride == (int64_t)sizeof(From)) {
        To* x = reinterpret_cast<To*>(to);
        const From* y = reinterpret_cast<const From*>(from);
#pragma GCC ivdep
        for (int64_t i = 0; i < count; i++) x[i] = convert<To>(y[i]);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        *reinterpret_cast<To*>(to + i * to_stride) =
            convert<To>(*reinterpret_cast<const From*>(from + i * from_stride));
}

template <class To>
void convert_to(char* to, int64_t to_stride, const char* from, int from_dtype, int64_t from_stride,
                int64_t count) {
    switch (from_dtype) {
#define GPUNP_FROM(code, type) \
    case code:                 \
        return convert_elements<To, type>(to, to_stride, from, from_stride, count);
        GPUNP_EACH_DTYPE(GPUNP_FROM)
#undef GPUNP_FROM
    }
}
}  // namespace

extern "C" void gpunp_convert_run(char* to, int to_dtype, int64_t to_stride, const char* from, int from_dtype,
                                  int64_t from_stride, int64_t count) {
    switch (to_dtype) {
#define GPUNP_TO(code, type) \
    case code:               \
        return convert_to<type>(to, to_stride, from, from_dtype, from_stride, count);
        GPUNP_EACH_DTYPE(GPUNP_TO)
#undef GPUNP_TO
    }
}
