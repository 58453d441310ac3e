// Transforms of 2^LOG_N elements down WIDTH neighboring columns by a team of threads. Each thread holds a few
// elements of one column in registers; between the steps, which transform 2 to 32 of them, the two components
// are exchanged one after the other. The same phases run on the device, with a barrier after each, and on the
// host, where each is a loop over the threads.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/fft/butterfly.h"
#include "gpunp/fft/params.h"

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

// Data that is not used again is evicted from the L2 cache first, which keeps what is still to be read.
GPUNP_HD complex<float> last_read(const complex<float>* at) {
#if defined(__CUDA_ARCH__)
    const float2 z = __ldcs(reinterpret_cast<const float2*>(at));
    return {z.x, z.y};
#else
    return *at;
#endif
}
GPUNP_HD void last_write(complex<float>* at, complex<float> z) {
#if defined(__CUDA_ARCH__)
    __stcs(reinterpret_cast<float2*>(at), make_float2(z.re, z.im));
#else
    *at = z;
#endif
}

enum Kind {
    COLUMNS,   // down neighboring columns
    FIRST,     // the same, as the first half of a long transform: each tile is stored to memory of its own
    SECOND,    // the second half: a column is gathered from the tiles of the first
    ROWS,      // along rows
    REAL_ROWS  // along the rows of a real matrix whose columns were transformed in pairs, as the real and
               // imaginary parts of one
};

template <class T, int LOG_N_, int LOG_WIDTH_, int THREADS_, bool AHEAD_, Kind KIND_, int LOG_OTHER_ = 0>
struct Tile {
    using Real = T;
    using Complex = complex<T>;
    static constexpr int LOG_N = LOG_N_, LOG_WIDTH = LOG_WIDTH_, THREADS = THREADS_;
    static constexpr Kind KIND = KIND_;
    // Whether tiles are read ahead into shared memory.
    static constexpr bool AHEAD = AHEAD_;
    // Whether neighbors in memory belong to the same transform.
    static constexpr bool BY_ROW = KIND == ROWS || KIND == REAL_ROWS;
    static constexpr int N = 1 << LOG_N, WIDTH = 1 << LOG_WIDTH;
    // The width of the first half's tiles; the second half reads WIDTH rows of each.
    static constexpr int OTHER = 1 << LOG_OTHER_;
    static constexpr int TEAM = THREADS / WIDTH;  // threads per transform
    static constexpr int EACH = N / TEAM;         // elements per thread
    static constexpr int SLOTS = fft_slots(LOG_N, BY_ROW);
    static constexpr int LANES = 32 / WIDTH;  // lanes of a warp that share a column

    // Step S transforms RADIX elements DISTANCE apart, in groups of LENGTH.
    template <int S>
    struct Step {
        static constexpr int RADIX = 1 << fft_log_radix(LOG_N, S);
        static constexpr int LENGTH = 1 << fft_log_length(LOG_N, S);
        static constexpr int DISTANCE = LENGTH / RADIX;
        static constexpr int FIRST_ROOT = fft_count_roots(LOG_N, S);
        static constexpr bool LAST = DISTANCE == 1;
        static constexpr int BUTTERFLIES = EACH / RADIX;
        static_assert(BUTTERFLIES >= 1, "a thread needs the elements of a butterfly");
    };

    // `t` is unsigned, so that divisions by powers of two are shifts.
    GPUNP_HD static unsigned column_of(unsigned t) { return BY_ROW ? t / TEAM : t % WIDTH; }
    GPUNP_HD static unsigned lane_of(unsigned t) { return BY_ROW ? t % TEAM : t / WIDTH; }

    // The number of groups that lanes read from at a time before step S. Where it exceeds one, slot()
    // permutes elements: otherwise these groups would share banks.
    template <int S>
    GPUNP_HD static constexpr unsigned groups() {
        return !BY_ROW && Step<S>::DISTANCE < LANES ? LANES / Step<S>::DISTANCE : 1;
    }

    // The slot of element a of a transform in the exchange before step S.
    template <int S>
    GPUNP_HD static unsigned slot(unsigned column, unsigned a) {
        using At = Step<S>;
        static_assert(BY_ROW || At::LENGTH >= LANES, "the lanes stay within a group");
        if constexpr (BY_ROW)
            return column * SLOTS + a + a / 32;
        else
            return (a ^ a / At::LENGTH % groups<S>() * At::DISTANCE) * WIDTH + column;
    }

    // The slot of the element `step` after the first; `step` is a multiple of a power of two that is greater
    // than the index of the first.
    template <int S>
    GPUNP_HD static unsigned slot_behind(unsigned first, unsigned step, bool within_group) {
        if constexpr (BY_ROW)
            return first + step + step / 32;
        else
            return groups<S>() > 1 && within_group ? first ^ step * WIDTH : first + step * WIDTH;
    }

    // The index of element j of butterfly b of a transform.
    template <int S>
    GPUNP_HD static unsigned source(unsigned b, unsigned j) {
        using At = Step<S>;
        return b / At::DISTANCE * At::LENGTH + b % At::DISTANCE + At::DISTANCE * j;
    }

    template <int S>
    GPUNP_HD static void butterflies(const Complex* roots, int t, Complex* v) {
        using At = Step<S>;
        const unsigned lane = lane_of(t);
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

    // Writes a component to where step S reads it.
    template <int S>
    GPUNP_HD static void put(T* exchange, int t, const Complex* v, bool imaginary) {
        using Before = Step<S - 1>;
        const unsigned column = column_of(t), lane = lane_of(t);
        GPUNP_UNROLL
        for (int e = 0; e < Before::BUTTERFLIES; e++) {
            constexpr unsigned STEP = N / Before::RADIX;
            static_assert(STEP % (Step<S>::LENGTH * groups<S>()) == 0 || BY_ROW, "steps over all groups");
            const unsigned first = slot<S>(column, lane + TEAM * e);
            GPUNP_UNROLL
            for (int j = 0; j < Before::RADIX; j++) {
                const Complex& z = v[e * Before::RADIX + j];
                exchange[slot_behind<S>(first, STEP * j, false)] = imaginary ? z.im : z.re;
            }
        }
    }

    template <int S>
    GPUNP_HD static void get(const T* exchange, int t, Complex* v, bool imaginary) {
        using At = Step<S>;
        const unsigned column = column_of(t), lane = lane_of(t);
        GPUNP_UNROLL
        for (int e = 0; e < At::BUTTERFLIES; e++) {
            const unsigned first = slot<S>(column, source<S>(lane + TEAM * e, 0));
            GPUNP_UNROLL
            for (int j = 0; j < At::RADIX; j++) {
                Complex& z = v[e * At::RADIX + j];
                (imaginary ? z.im : z.re) = exchange[slot_behind<S>(first, At::DISTANCE * j, true)];
            }
        }
    }

    // Needs another barrier before the exchange is written again.
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

    // Writes the roots by which the results of a butterfly of the last step differ, for each column.
    GPUNP_HD static void write_powers(const FftParams& p, int64_t first_column, int t, Complex* powers) {
        for (int i = t; i < WIDTH * POWERS; i += THREADS) {
            const int64_t m = (first_column + i % WIDTH) * (N / POWERS) * (i / WIDTH);
            powers[i] = root_of_unity(T(), m & (p.whole - 1), p.whole);
        }
    }

    // Fetches whole lines of 128 bytes into L2: neighboring blocks read the rest.
    GPUNP_HD static Complex read(const Complex* at) {
#if defined(__CUDA_ARCH__)
        if constexpr (!BY_ROW && sizeof(T) == 4) {
            Complex z;
            asm volatile("ld.global.L2::128B.v2.f32 {%0, %1}, [%2];" : "=f"(z.re), "=f"(z.im) : "l"(at));
            return z;
        }
#endif
        return *at;
    }

    GPUNP_HD static Complex swapped(Complex z, int32_t inverse) { return inverse ? Complex{z.im, z.re} : z; }

    // The position of a pair of elements in the tile. The second half's tile consists of blocks, each WIDTH
    // rows of a tile of the first half; pairs are permuted so that lanes of different columns access
    // different banks.
    GPUNP_HD static unsigned place_of_pair(unsigned pair) {
        if constexpr (KIND == SECOND && OTHER >= 8 && sizeof(T) == 4)
            return pair ^ pair / (OTHER / 2) / (16 / OTHER) % (OTHER / 2);
        else
            return pair;
    }

    GPUNP_HD static unsigned place(unsigned row, unsigned column) {
        if constexpr (KIND == SECOND) {
            const unsigned within = column * OTHER + row % OTHER;
            return row / OTHER * (WIDTH * OTHER) + place_of_pair(within / 2) * 2 + within % 2;
        } else {
            return row * WIDTH + column;
        }
    }

    GPUNP_HD static void from_tile(const FftParams& p, const Complex* tile, int t, Complex* v) {
        using First = Step<0>;
        GPUNP_UNROLL
        for (int e = 0; e < First::BUTTERFLIES; e++) {
            GPUNP_UNROLL
            for (int j = 0; j < First::RADIX; j++) {
                const unsigned row = source<0>(lane_of(t) + TEAM * e, j);
                v[e * First::RADIX + j] = swapped(tile[place(row, column_of(t))], p.inverse);
            }
        }
    }

    GPUNP_HD static void from_memory(const FftParams& p, const Complex* at, int columns, int t, Complex* v) {
        using First = Step<0>;
        const bool inside = (int)column_of(t) < columns;
        // In the second half's source, OTHER rows of a column are contiguous.
        constexpr int RUN = KIND == SECOND ? OTHER : 1;
        const int64_t row = BY_ROW ? 1 : p.in_row;
        at += column_of(t) * (BY_ROW ? p.in_column : RUN);
        GPUNP_UNROLL
        for (int e = 0; e < First::BUTTERFLIES; e++) {
            const unsigned b = source<0>(lane_of(t) + TEAM * e, 0);
            const Complex* from = at + b / RUN * row + b % RUN;
            GPUNP_UNROLL
            for (int j = 0; j < First::RADIX; j++) {
                Complex& z = v[e * First::RADIX + j];
                z = {(T)0, (T)0};
                if (inside) z = read(from);
                from += First::DISTANCE / RUN * row;
            }
        }
        GPUNP_UNROLL
        for (int i = 0; i < EACH; i++) v[i] = swapped(v[i], p.inverse);
    }

    GPUNP_HD static void to_memory(const FftParams& p, Complex* at, int64_t first_column, int columns,
                                   const Complex* powers, int t, const Complex* v) {
        const unsigned column = column_of(t), lane = lane_of(t);
        if ((int)column >= columns) return;
        const int64_t row = BY_ROW ? 1 : KIND == FIRST ? WIDTH : p.out_row;
        at += column * (BY_ROW ? p.out_column : 1);
        GPUNP_UNROLL
        for (int e = 0; e < Last::BUTTERFLIES; e++) {
            const unsigned b = lane + TEAM * e;
            Complex* to = at + b * row;
            Complex base = {(T)p.factor, (T)0};
            if constexpr (KIND == FIRST)
                base = root_of_unity(T(), (first_column + column) * b & (p.whole - 1), p.whole);
            GPUNP_UNROLL
            for (int j = 0; j < Last::RADIX; j++) {
                Complex z = v[e * Last::RADIX + j];
                if constexpr (KIND == FIRST)
                    z = multiply(z, j ? multiply(base, powers[j * WIDTH + column]) : base);
                else
                    z = {z.re * base.re, z.im * base.re};
                *to = swapped(z, p.inverse);
                to += N / Last::RADIX * row;
            }
        }
    }

    // Row k of the transforms of real columns c and d, times two. The source has the transform of c + i d:
    // the sum of its row k and the conjugate of row -k gives c, and their difference divided by i gives d.
    GPUNP_HD static void from_halves(const FftParams& p, const Complex* at, int64_t first, int columns, int t,
                                     Complex* v) {
        using First = Step<0>;
        const int64_t k = first + column_of(t);
        const bool inside = (int)column_of(t) < columns;
        const Complex* here = at + k * p.in_column;
        const Complex* there = at + (k ? p.whole - k : 0) * p.in_column;
        GPUNP_UNROLL
        for (int e = 0; e < First::BUTTERFLIES; e++) {
            GPUNP_UNROLL
            for (int j = 0; j < First::RADIX; j++) {
                const unsigned a = source<0>(lane_of(t) + TEAM * e, j);
                Complex z = {(T)0, (T)0}, w = z;
#if defined(__CUDA_ARCH__)
                // Two lanes need the same two elements: each reads one, and they exchange them.
                if (inside) z = last_read((a % 2 ? there : here) + a / 2);
                w = {warp::shuffle_xor(z.re, 1), warp::shuffle_xor(z.im, 1)};
                v[e * First::RADIX + j] =
                    a % 2 ? Complex{z.im + w.im, z.re - w.re} : Complex{z.re + w.re, z.im - w.im};
#else
                if (inside) {
                    z = here[a / 2];
                    w = there[a / 2];
                }
                v[e * First::RADIX + j] =
                    a % 2 ? Complex{z.im + w.im, w.re - z.re} : Complex{z.re + w.re, z.im - w.im};
#endif
            }
        }
    }

    // Stores the first half of row k and, by symmetry from the second half, the first half of row -k.
    GPUNP_HD static void to_halves(const FftParams& p, Complex* at, int64_t first, int columns, int t,
                                   const Complex* v) {
        if ((int)column_of(t) >= columns) return;
        const int64_t k = first + column_of(t);
        const T factor = (T)p.factor;
        Complex* here = at + k * p.out_column;
        Complex* there = at + (p.whole - k) * p.out_column;
        const bool two = k != 0 && k != p.whole - k;
        GPUNP_UNROLL
        for (int e = 0; e < Last::BUTTERFLIES; e++) {
            GPUNP_UNROLL
            for (int j = 0; j < Last::RADIX; j++) {
                const unsigned m = lane_of(t) + TEAM * e + N / Last::RADIX * j;
                const Complex z = v[e * Last::RADIX + j];
                if (m <= N / 2) last_write(here + m, {z.re * factor, z.im * factor});
                if (two && (m >= N / 2 || m == 0))
                    last_write(there + (m ? N - m : 0), {z.re * factor, -z.im * factor});
            }
        }
    }
};

}  // namespace fft
}  // namespace gpunp
