// The piece that a point is in, by binary search.
#pragma once
#include "gpunp/config.h"
#include "gpunp/interpolate/pieces_params.h"

namespace gpunp {
namespace interpolate {

// How many of n values are not beyond x: not above it, if they ascend, and not below it, if they descend.
GPUNP_HD int64_t count_reached(const double* values, int64_t n, int64_t step, double x, bool descending) {
    int64_t low = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const double value = values[(low + half) * step];
        if (descending ? value >= x : value <= x) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

// Breakpoints, of which on a GPU every stride-th is in shared memory.
struct Breaks {
    const double* values;
    const double* samples;
    int64_t pieces, stride;
    bool descending;
    // How many samples are reached at the ends of parts of equal width, or null; parts per unit of x.
    const uint16_t* parts;
    double scale;

    GPUNP_HD double first() const { return values[0]; }
    GPUNP_HD double last() const { return values[pieces]; }
    GPUNP_HD int64_t sample_count() const { return pieces / stride + 1; }
    GPUNP_HD bool is_reached(double value, double x) const { return descending ? value >= x : value <= x; }

    // How many samples are reached, by a search among those in the part of x. The bounds of parts are
    // rounded.
    GPUNP_HD int64_t samples_reached(double x) const {
        const int64_t n = sample_count();
        if (parts == nullptr) return count_reached(samples, n, 1, x, descending);
        const double place = (x - samples[0]) * scale;
        const int part = place > 0 ? place < PIECES_PARTS - 1 ? (int)place : PIECES_PARTS - 1 : 0;
        const int64_t low = parts[part];
        int64_t reached = low + count_reached(samples + low, parts[part + 1] - low, 1, x, descending);
        while (reached > 0 && !is_reached(samples[reached - 1], x)) reached--;
        while (reached < n && is_reached(samples[reached], x)) reached++;
        return reached;
    }

    // The entry of the table of parts.
    GPUNP_HD uint16_t part_start(int part) const {
        if (part == 0) return 0;
        if (part == PIECES_PARTS) return (uint16_t)sample_count();
        return (uint16_t)count_reached(samples, sample_count(), 1, samples[0] + part / scale, descending);
    }

    // The piece that begins at or before x; the first one before all, and the last one at its end and after.
    GPUNP_HD int64_t piece_of(double x) const {
        int64_t from = 0, count = pieces + 1;
        if (samples != values) {
            const int64_t reached = samples_reached(x);
            from = reached > 0 ? (reached - 1) * stride : 0;
            count = reached > 0 ? stride : 0;
            if (count > pieces + 1 - from) count = pieces + 1 - from;
        }
        const int64_t piece =
            from +
            (stride == 1 && samples != values ? count
                                              : count_reached(values + from, count, 1, x, descending)) -
            1;
        return piece < 0 ? 0 : piece < pieces ? piece : pieces - 1;
    }

    GPUNP_HD bool is_inside(double x) const {
        return descending ? x <= first() && x >= last() : x >= first() && x <= last();
    }

    // The point in the first period, by the sign convention of Python's remainder.
    GPUNP_HD double wrapped(double x) const {
        const double period = last() - first();
        double rest = fmod(x - first(), period);
        if (rest != 0 && (rest < 0) != (period < 0)) rest += period;
        return first() + rest;
    }
};

}  // namespace interpolate
}  // namespace gpunp
