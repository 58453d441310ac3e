// Sampling from distributions whose parameters may be arrays, element by element.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/loop_params.h"
#include "gpunp/random/discrete.h"

namespace gpunp {
namespace random {

GPUNP_HD void report(uint32_t* status) {
#if defined(__CUDA_ARCH__)
    atomicOr(status, GPUNP_STATUS_RANDOM_PARAMETER);
#else
    *status |= GPUNP_STATUS_RANDOM_PARAMETER;
#endif
}

// The index of element i's value among `length` values, each repeated `inner` times.
GPUNP_HD int64_t broadcast_index(int64_t i, int64_t inner, int64_t length) {
    if (inner != 1) i = i <= 0xffffffff && inner <= 0xffffffff ? (uint32_t)i / (uint32_t)inner : i / inner;
    if (i < length) return i;
    return i <= 0xffffffff ? (uint32_t)i % (uint32_t)length : i % length;
}

GPUNP_HD double parameter(const RandomParameter& p, int64_t i) {
    return p.values ? p.values[broadcast_index(i, p.inner, p.length)] : p.value;
}

GPUNP_HD bool allowed(double x, int32_t check) {
    switch (check) {
        case RANDOM_NOT_NEGATIVE:
            return !(x < 0);
        case RANDOM_POSITIVE:
            return !(x <= 0);
        case RANDOM_PROBABILITY:
            return x >= 0 && x <= 1;
        case RANDOM_OPEN_PROBABILITY:
            return x > 0 && x <= 1;
        case RANDOM_BELOW_ONE:
            return x >= 0 && x < 1;
        case RANDOM_ABOVE_ONE:
            return x > 1;
        case RANDOM_RATE:
            return x >= 0 && x <= 9.223372006484771e18;
        case RANDOM_COUNT:
            return x >= 0;
        case RANDOM_POSITIVE_COUNT:
            return x > 0;
    }
    return true;
}

GPUNP_HD bool related(double a, double b, double c, int32_t relation) {
    switch (relation) {
        case RANDOM_TRIANGLE:
            return !(a > b) && !(b > c) && a != c;
        case RANDOM_POPULATION:
            return c <= a + b && a < 1e9 && b < 1e9;
        case RANDOM_INTERVAL:
            return b - a >= 0 && b - a < INFINITY;
        case RANDOM_RANGE:
            return fabs(b - a) < INFINITY;
    }
    return true;
}

template <class Distribution, class Count>
GPUNP_HD void sample_element(const RandomSampleParams& p, int64_t i) {
    const double a = parameter(p.parameters[0], i), b = parameter(p.parameters[1], i);
    const double c = parameter(p.parameters[2], i);
    double x = NAN;
    if (!allowed(a, p.parameters[0].check) || !allowed(b, p.parameters[1].check) ||
        !allowed(c, p.parameters[2].check) || !related(a, b, c, p.relation)) {
        report(p.status);
    } else if (a == a && b == b && c == c) {
        Source source(p.stream, i);
        x = Distribution::sample(source, a, b, c);
    }
    Count::store(p, i, x);
}

struct Real {
    GPUNP_HD static void store(const RandomSampleParams& p, int64_t i, double x) {
        if (p.single)
            static_cast<float*>(p.out)[i] = (float)x;
        else
            static_cast<double*>(p.out)[i] = x;
    }
};
struct Whole {
    GPUNP_HD static void store(const RandomSampleParams& p, int64_t i, double x) {
        static_cast<int64_t*>(p.out)[i] = x >= 9.2233720368547758e18 ? INT64_MAX : x == x ? (int64_t)x : 0;
    }
};

// Integers between bounds in arrays, for a dtype known only at run time.
GPUNP_HD void integer_element(const RandomIntegersParams& p, int64_t i) {
    const uint64_t low = p.low[broadcast_index(i, p.low_inner, p.low_length)];
    uint64_t high = p.high[broadcast_index(i, p.high_inner, p.high_length)];
    bool right =
        p.is_signed ? (int64_t)low >= p.least && (int64_t)low <= (int64_t)p.greatest : low <= p.greatest;
    if (p.exclusive) {
        right &= p.is_signed ? (int64_t)low < (int64_t)high : low < high;
        high -= 1;
    }
    right &= p.is_signed ? (int64_t)low <= (int64_t)high && (int64_t)high <= (int64_t)p.greatest
                         : low <= high && high <= p.greatest;
    uint64_t x = low;
    if (!right) {
        report(p.status);
    } else {
        Source source(p.stream, i);
        const uint64_t range = high - low + 1;
        x = low + (range == 0 ? source.next() : source.below(range));
    }
    switch (p.itemsize) {
        case 1:
            static_cast<uint8_t*>(p.out)[i] = (uint8_t)x;
            break;
        case 2:
            static_cast<uint16_t*>(p.out)[i] = (uint16_t)x;
            break;
        case 4:
            static_cast<uint32_t*>(p.out)[i] = (uint32_t)x;
            break;
        default:
            static_cast<uint64_t*>(p.out)[i] = x;
    }
}

}  // namespace random
}  // namespace gpunp

// A kernel that calls the given function with (params, i) for every i below params.count.
#if GPUNP_ON_DEVICE
#define GPUNP_RANDOM_EACH(symbol, Params, count, ...)                                              \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)                              \
        symbol(const __grid_constant__::gpunp::Params p) {                                         \
        using namespace ::gpunp::random;                                                           \
        const int64_t stride = (int64_t)gridDim.x * blockDim.x;                                    \
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.count; i += stride) \
            __VA_ARGS__(p, i);                                                                     \
    }
#else
#define GPUNP_RANDOM_EACH(symbol, Params, count, ...)                                               \
    static void symbol##_host(const void* params) {                                                 \
        using namespace ::gpunp::random;                                                            \
        const ::gpunp::Params& p = *static_cast<const ::gpunp::Params*>(params);                    \
        ::gpunp::parallel_each(p, p.count, 16,                                                      \
                               [](const ::gpunp::Params& own, int64_t i) { __VA_ARGS__(own, i); }); \
    }                                                                                               \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif

#define GPUNP_RANDOM_SAMPLE(symbol, Distribution, Kind) \
    GPUNP_RANDOM_EACH(symbol, RandomSampleParams, size, sample_element<Distribution, Kind>)
