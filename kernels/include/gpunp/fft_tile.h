// Transforms of 2^LOG_N elements down WIDTH neighbouring columns by a team of threads: a few elements of one
// column a thread in registers, and between the steps, which are transforms of 2 to 32 of them, an exchange
// of one component after the other. The same phases run on the device, where a barrier is behind each of
// them, and on the host, where each is a loop over the threads.
#pragma once
#include "gpunp/fft_butterfly.h"
#include "gpunp/fft_params.h"

namespace gpunp {
namespace fft {

// exp(-2 pi i m / whole).
GPUNP_HD complex<float> root_of_unity(float, int64_t m, int64_t whole) {
    complex<float> root;
#if defined(__CUDA_ARCH__)
    // Exact up to 2^24: `whole` is a power of two.
    sincospif((float)m * (-2.0f / (float)whole), &root.im, &root.re);
#else
    const double angle = -6.283185307179586476925 * (double)m / (double)whole;
    root = {(float)cos(angle), (float)sin(angle)};
#endif
    return root;
}

GPUNP_HD complex<double> root_of_unity(double, int64_t m, int64_t whole) {
    complex<double> root;
#if defined(__CUDA_ARCH__)
    sincospi((double)m * (-2.0 / (double)whole), &root.im, &root.re);
#else
    const double angle = -6.283185307179586476925 * (double)m / (double)whole;
    root = {cos(angle), sin(angle)};
#endif
    return root;
}

template <class T, int LOG_N_, int LOG_WIDTH_, int THREADS_, bool AHEAD_, bool TURNED_>
struct Tile {
    using Real = T;
    using Complex = complex<T>;
    static constexpr int LOG_N = LOG_N_, LOG_WIDTH = LOG_WIDTH_, THREADS = THREADS_;
    // Whether tiles are read ahead into shared memory.
    static constexpr bool AHEAD = AHEAD_;
    // Whether this is the first half of a long transform: its results are transposed, and multiplied by roots
    // of unity where others are by the factor.
    static constexpr bool TURNED = TURNED_;
    static constexpr int N = 1 << LOG_N, WIDTH = 1 << LOG_WIDTH;
    static constexpr int TEAM = THREADS / WIDTH;  // threads of a column
    static constexpr int EACH = N / TEAM;         // elements of a thread
    static constexpr int COLUMN_SLOTS = fft_column_slots(LOG_N, WIDTH);
    static constexpr int LANES = 32 / WIDTH;  // lanes of a warp that share a column

    // How the step numbered S sees the elements: RADIX of them DISTANCE apart, in groups of LENGTH.
    template <int S>
    struct Step {
        static constexpr int RADIX = 1 << fft_log_radix(LOG_N, S);
        static constexpr int LENGTH = 1 << fft_log_length(LOG_N, S);
        static constexpr int DISTANCE = LENGTH / RADIX;
        static constexpr int FIRST_ROOT = fft_count_roots(LOG_N, S);
        static constexpr bool LAST = DISTANCE == 1;
        static constexpr int BUTTERFLIES = EACH / RADIX;
        static_assert(BUTTERFLIES >= 1, "a thread needs the elements of a butterfly");
        // Where threads read what the step before wrote: by column if the results are turned, or if a group
        // is shorter than the lanes of a column.
        static constexpr bool BY_COLUMN = (TURNED && LAST) || LENGTH < LANES;
    };

    // `t` has no sign, so that quotients by powers of two are shifts.
    GPUNP_HD static unsigned column_of(unsigned t, bool turned) { return turned ? t / TEAM : t % WIDTH; }
    GPUNP_HD static unsigned lane_of(unsigned t, bool turned) { return turned ? t % TEAM : t / WIDTH; }

    // The slot of element a of a column in the exchange before step S.
    template <int S>
    GPUNP_HD static unsigned slot(unsigned column, unsigned a) {
        using At = Step<S>;
        if constexpr (At::BY_COLUMN) {
            return column * COLUMN_SLOTS + a + a / 32;
        } else if constexpr (At::DISTANCE >= LANES) {
            return a * WIDTH + column;
        } else {
            // Lanes read from LANES / DISTANCE groups at a time, which are in the same banks but for this.
            constexpr int GROUPS = LANES / At::DISTANCE;
            return (a ^ a / At::LENGTH % GROUPS * At::DISTANCE) * WIDTH + column;
        }
    }

    // Butterfly of a thread: `b` of its column.
    template <int S>
    GPUNP_HD static unsigned source(unsigned b, unsigned j) {
        using At = Step<S>;
        return b / At::DISTANCE * At::LENGTH + b % At::DISTANCE + At::DISTANCE * j;
    }

    template <int S>
    GPUNP_HD static void butterflies(const Complex* roots, int t, Complex* v) {
        using At = Step<S>;
        const unsigned lane = lane_of(t, false);
        GPUNP_UNROLL
        for (int e = 0; e < At::BUTTERFLIES; e++) {
            Complex* w = v + e * At::RADIX;
            transform_few<At::RADIX>(w);
            if constexpr (!At::LAST) {
                const Complex* root = roots + At::FIRST_ROOT + (lane + TEAM * e) % At::DISTANCE;
                GPUNP_UNROLL
                for (int j = 1; j < At::RADIX; j++) w[j] = multiply(w[j], root[(j - 1) * At::DISTANCE]);
            }
        }
    }

    // Write a component to where step S reads it.
    template <int S>
    GPUNP_HD static void put(T* exchange, int t, const Complex* v, bool imaginary) {
        using Before = Step<S - 1>;
        const unsigned column = column_of(t, false), lane = lane_of(t, false);
        GPUNP_UNROLL
        for (int e = 0; e < Before::BUTTERFLIES; e++) {
            GPUNP_UNROLL
            for (int j = 0; j < Before::RADIX; j++) {
                const Complex& z = v[e * Before::RADIX + j];
                const unsigned a = lane + TEAM * e + N / Before::RADIX * j;
                exchange[slot<S>(column, a)] = imaginary ? z.im : z.re;
            }
        }
    }

    template <int S>
    GPUNP_HD static void get(const T* exchange, int t, Complex* v, bool imaginary) {
        using At = Step<S>;
        const bool turned = TURNED && At::LAST;
        const unsigned column = column_of(t, turned), lane = lane_of(t, turned);
        GPUNP_UNROLL
        for (int e = 0; e < At::BUTTERFLIES; e++) {
            GPUNP_UNROLL
            for (int j = 0; j < At::RADIX; j++) {
                Complex& z = v[e * At::RADIX + j];
                (imaginary ? z.im : z.re) = exchange[slot<S>(column, source<S>(lane + TEAM * e, j))];
            }
        }
    }

    // The next barrier must come before the exchange is written again.
    template <int S, class Team>
    GPUNP_HD static void steps(Team& team, const Complex* roots, T* exchange) {
        if constexpr (S > 0) {
            team.each([&](int t, Complex* v) { put<S>(exchange, t, v, false); });
            team.each([&](int t, Complex* v) { get<S>(exchange, t, v, false); });
            team.each([&](int t, Complex* v) { put<S>(exchange, t, v, true); });
            if constexpr (Step<S>::LAST)
                team.each_alone([&](int t, Complex* v) { get<S>(exchange, t, v, true); });
            else
                team.each([&](int t, Complex* v) { get<S>(exchange, t, v, true); });
        }
        team.each_alone([&](int t, Complex* v) { butterflies<S>(roots, t, v); });
        if constexpr (!Step<S>::LAST) steps<S + 1>(team, roots, exchange);
    }

    using Last = Step<fft_last_step(LOG_N)>;
    static constexpr int POWERS = Last::RADIX;

    // Roots that the results of a butterfly of the last step differ by, for each column.
    GPUNP_HD static void write_powers(const FftParams& p, int64_t first_column, int t, Complex* powers) {
        for (int i = t; i < WIDTH * POWERS; i += THREADS) {
            const int64_t m = (first_column + i / POWERS) * (N / POWERS) * (i % POWERS);
            powers[i] = root_of_unity(T(), m & (p.whole - 1), p.whole);
        }
    }

    GPUNP_HD static Complex swapped(Complex z, int32_t inverse) { return inverse ? Complex{z.im, z.re} : z; }

    GPUNP_HD static void from_tile(const FftParams& p, const Complex* tile, int t, Complex* v) {
        using First = Step<0>;
        GPUNP_UNROLL
        for (int e = 0; e < First::BUTTERFLIES; e++) {
            GPUNP_UNROLL
            for (int j = 0; j < First::RADIX; j++) {
                const unsigned row = source<0>(lane_of(t, false) + TEAM * e, j);
                v[e * First::RADIX + j] = swapped(tile[row * WIDTH + column_of(t, false)], p.inverse);
            }
        }
    }

    GPUNP_HD static void from_memory(const FftParams& p, const Complex* at, int columns, int t, Complex* v) {
        using First = Step<0>;
        const bool inside = (int)column_of(t, false) < columns;
        GPUNP_UNROLL
        for (int e = 0; e < First::BUTTERFLIES; e++) {
            const Complex* from =
                at + column_of(t, false) + source<0>(lane_of(t, false) + TEAM * e, 0) * p.in_row;
            GPUNP_UNROLL
            for (int j = 0; j < First::RADIX; j++) {
                Complex& z = v[e * First::RADIX + j];
                z = {(T)0, (T)0};
                if (inside) z = *from;
                from += First::DISTANCE * p.in_row;
            }
        }
        GPUNP_UNROLL
        for (int i = 0; i < EACH; i++) v[i] = swapped(v[i], p.inverse);
    }

    GPUNP_HD static void to_memory(const FftParams& p, Complex* at, int64_t first_column, int columns,
                                   const Complex* powers, int t, const Complex* v) {
        const unsigned column = column_of(t, TURNED), lane = lane_of(t, TURNED);
        if ((int)column >= columns) return;
        at += column * p.out_column;
        GPUNP_UNROLL
        for (int e = 0; e < Last::BUTTERFLIES; e++) {
            const unsigned b = lane + TEAM * e;
            Complex* to = at + b * p.out_row;
            Complex base = {(T)p.factor, (T)0};
            if constexpr (TURNED)
                base = root_of_unity(T(), (first_column + column) * b & (p.whole - 1), p.whole);
            GPUNP_UNROLL
            for (int j = 0; j < Last::RADIX; j++) {
                Complex z = v[e * Last::RADIX + j];
                if constexpr (TURNED)
                    z = multiply(z, j ? multiply(base, powers[column * POWERS + j]) : base);
                else
                    z = {z.re * base.re, z.im * base.re};
                *to = swapped(z, p.inverse);
                to += N / Last::RADIX * p.out_row;
            }
        }
    }
};

}  // namespace fft
}  // namespace gpunp
