// Sums of powers of two with exponents that are not positive, in units of 1/128, times 2^512.
//
// With that factor sums have all their digits also where the densities themselves are subnormal.
#pragma once
#include <string.h>

#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/statistics/density_params.h"

namespace gpunp {
namespace density {

// Lesser exponents give zero.
constexpr double LEAST = -128.0 * 1532;
constexpr double SHIFT = 0x1p-512;
// Added to a number of moderate size, it makes the sum an integer, whose low bits are those of the number.
constexpr double ROUNDING = 0x1.8p52;

#if GPUNP_ON_DEVICE
enum : int { POWER_COPIES = 16, POWER_ENTRIES = 128, POWER_TABLE = POWER_COPIES * POWER_ENTRIES };

// Two lanes that read different entries at a time use different banks.
__device__ __forceinline__ void fill_table(double* table) {
    for (int i = threadIdx.x; i < POWER_TABLE; i += blockDim.x)
        table[i] = exp2(i / POWER_COPIES * (1.0 / POWER_ENTRIES) + 512);
}

// 2^512 times 2^(u / 128) for u <= 0, as two factors of which the second is about 1. NaN counts as -infinity.
struct Power {
    double whole, rest;

    __device__ __forceinline__ Power(double u, const double* table) {
        const double rounded = u + ROUNDING;
        // By the high word: cheaper than a comparison of numbers in double precision.
        set(rounded, u - (rounded - ROUNDING), (__double2hiint(u) & 0x7fffffff) < LEAST_HIGH, table);
    }
    // For u = -distance * distance, without a product of its own.
    static __device__ __forceinline__ Power of_distance(double distance, const double* table) {
        Power power;
        const double rounded = fma(-distance, distance, ROUNDING);
        power.set(rounded, fma(-distance, distance, ROUNDING - rounded),
                  (__double2hiint(distance) & 0x7fffffff) < FARTHEST_HIGH, table);
        return power;
    }

  private:
    static constexpr int LEAST_HIGH = 0x4107f000;     // of -LEAST
    static constexpr int FARTHEST_HIGH = 0x407bad00;  // of a little less than the root

    __device__ Power() {}
    __device__ __forceinline__ void set(double rounded, double r, bool counts, const double* table) {
        const int k = __double2loint(rounded);
        const double entry = table[(k & (POWER_ENTRIES - 1)) * POWER_COPIES];
        const int high = __double2hiint(entry) + (k >> 7) * (1 << 20);
        whole = __hiloint2double(counts ? high : 0, __double2loint(entry));
        r = __hiloint2double(counts ? __double2hiint(r) : 0, __double2loint(r));
        rest = 0x1.3b2abd4ad2543p-35;
        rest = fma(rest, r, 0x1.c6b09b179a24bp-26);
        rest = fma(rest, r, 0x1.ebfbdff82c3fbp-17);
        rest = fma(rest, r, 0x1.62e42fefa3685p-8);
        rest = fma(rest, r, 1.0);
    }
};

template <bool LOGS>
struct Sum {
    double total = 0;

    template <bool WEIGHTED, int G>
    __device__ __forceinline__ void add(const double (&squares)[G], const double (&weights)[G],
                                        const double* table) {
#pragma unroll
        for (int g = 0; g < G; g++) {
            const Power power(-squares[g], table);
            total = fma(WEIGHTED ? power.whole * weights[g] : power.whole, power.rest, total);
        }
    }
    template <bool WEIGHTED, int G>
    __device__ __forceinline__ void add_distances(const double (&distances)[G], const double (&weights)[G],
                                                  const double* table) {
#pragma unroll
        for (int g = 0; g < G; g++) {
            const Power power = Power::of_distance(distances[g], table);
            total = fma(WEIGHTED ? power.whole * weights[g] : power.whole, power.rest, total);
        }
    }
    // A term that has been multiplied by a factor.
    __device__ __forceinline__ void add_term(double exponent, double factor, const double* table) {
        const Power power(exponent, table);
        total = fma(power.whole * factor, power.rest, total);
    }
    __device__ __forceinline__ void store(const DensityParams& p, int64_t at, bool is_nan) const {
        p.out[at] = is_nan ? nan("") : total;
    }
};

// The sum is relative to the largest exponent so far.
template <>
struct Sum<true> {
    double total = 0, top = -HUGE_VAL;

    __device__ __forceinline__ void raise(double exponent) {
        if (exponent > top) {
            total *= exp2((top - exponent) * (1.0 / 128));
            top = exponent;
        }
    }
    template <bool WEIGHTED, int G>
    __device__ __forceinline__ void add(const double (&squares)[G], const double (&weights)[G],
                                        const double* table) {
#pragma unroll
        for (int g = 0; g < G; g++) raise(weights[g] - squares[g]);
#pragma unroll
        for (int g = 0; g < G; g++) {
            const Power power((weights[g] - squares[g]) - top, table);
            total = fma(power.whole, power.rest, total);
        }
    }
    __device__ __forceinline__ void add_term(double exponent, double factor, const double* table) {
        raise(exponent);
        const Power power(exponent - top, table);
        total = fma(power.whole * factor, power.rest, total);
    }
    __device__ __forceinline__ void store(const DensityParams& p, int64_t at, bool is_nan) const {
        p.out[at] = is_nan ? nan("") : total * SHIFT;
        p.top[at] = top;
    }
};
#else
// 2^512 times 2^(u / 128) for u <= 0. NaN counts as -infinity.
inline double power(double u) {
    const bool counts = u > LEAST;
    const double e = (counts ? u : LEAST) * (1.0 / 128);
    const double rounded = e + ROUNDING, r = e - (rounded - ROUNDING);
    // The Taylor series of 2^r.
    constexpr double TERMS[] = {0x1.c3bd650fc2986p-36,
                                0x1.e8cac7351bb25p-32,
                                0x1.e4cf5158b8ecap-28,
                                0x1.b5253d395e7c4p-24,
                                0x1.62c0223a5c824p-20,
                                0x1.ffcbfc588b0c7p-17,
                                0x1.430912f86c787p-13,
                                0x1.5d87fe78a6731p-10,
                                0x1.3b2ab6fba4e77p-7,
                                0x1.c6b08d704a0c0p-5,
                                0x1.ebfbdff82c58fp-3,
                                0x1.62e42fefa39efp-1,
                                1.0};
    double f = 0x1.816193166d0f9p-40;
    for (int k = 0; k < 13; k++) f = f * r + TERMS[k];
    int64_t bits, exponent;
    memcpy(&bits, &f, 8);
    memcpy(&exponent, &rounded, 8);
    bits += (int64_t)(((uint64_t)exponent + 512) << 52);
    memcpy(&f, &bits, 8);
    return counts ? f : 0;
}

template <bool LOGS, int LANES = 1>
struct Sum {
    double totals[LANES], top = -HUGE_VAL;

    Sum() {
        for (int l = 0; l < LANES; l++) totals[l] = 0;
    }
    // Raises the exponent that the sums are relative to.
    void raise(double exponent) {
        if (!(exponent > top)) return;
        const double factor = exp2((top - exponent) * (1.0 / 128));
        for (int l = 0; l < LANES; l++) totals[l] *= factor;
        top = exponent;
    }
    void add(const double* exponents, const double* factors) {
        double origin = 0;
        if (LOGS) {
            double most = exponents[0];
            for (int l = 1; l < LANES; l++) most = exponents[l] > most ? exponents[l] : most;
            raise(most);
            origin = top;
        }
        for (int l = 0; l < LANES; l++) totals[l] += power(exponents[l] - origin) * factors[l];
    }
    void store(const DensityParams& p, int64_t at, bool is_nan) const {
        double total = 0;
        for (int l = 0; l < LANES; l++) total += totals[l];
        p.out[at] = is_nan ? nan("") : LOGS ? total * SHIFT : total;
        if (LOGS) p.top[at] = top;
    }
};
#endif

}  // namespace density
}  // namespace gpunp
