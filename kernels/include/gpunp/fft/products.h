// Convolution of the columns of matrices by Fourier transforms in one pass over memory, and the rows that
// hold two rows of a real image each: its convolution with real weights leaves real and imaginary parts
// apart.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/fft/columns.h"
#include "gpunp/fft/products_params.h"

namespace gpunp {
namespace fft {

// The row of the result that element j of butterfly e of the last step is, for one thread of a team.
template <class Tile>
GPUNP_HD unsigned row_of_result(int t, int e, int j) {
    return Tile::lane_of(t) + Tile::TEAM * e + Tile::N / Tile::Last::RADIX * j;
}

// Multiplies results by the other transform. Parts are exchanged for the transform back, which is the same
// as forward then.
template <class Tile>
GPUNP_HD void multiply_results(const FftProductsParams& q, const Place<Tile>& place, int t,
                               typename Tile::Complex* v) {
    using Complex = typename Tile::Complex;
    const unsigned column = Tile::column_of(t);
    const bool inside = (int)column < place.columns;
    GPUNP_UNROLL
    for (int e = 0; e < Tile::Last::BUTTERFLIES; e++) {
        const Complex* other = reinterpret_cast<const Complex*>(q.other) + place.first + column +
                               row_of_result<Tile>(t, e, 0) * q.other_row;
        GPUNP_UNROLL
        for (int j = 0; j < Tile::Last::RADIX; j++) {
            Complex& z = v[e * Tile::Last::RADIX + j];
            if (inside) z = multiply(z, Tile::read(other));
            z = Tile::swapped(z, 1);
            other += Tile::N / Tile::Last::RADIX * q.other_row;
        }
    }
}

template <class Tile>
GPUNP_HD void put_results(typename Tile::Real* exchange, int t, const typename Tile::Complex* v,
                          bool imaginary) {
    GPUNP_UNROLL
    for (int e = 0; e < Tile::Last::BUTTERFLIES; e++) {
        GPUNP_UNROLL
        for (int j = 0; j < Tile::Last::RADIX; j++) {
            const typename Tile::Complex& z = v[e * Tile::Last::RADIX + j];
            exchange[row_of_result<Tile>(t, e, j) * Tile::WIDTH + Tile::column_of(t)] =
                imaginary ? z.im : z.re;
        }
    }
}
template <class Tile>
GPUNP_HD void get_first(const typename Tile::Real* exchange, int t, typename Tile::Complex* v,
                        bool imaginary) {
    using First = typename Tile::template Step<0>;
    GPUNP_UNROLL
    for (int e = 0; e < First::BUTTERFLIES; e++) {
        GPUNP_UNROLL
        for (int j = 0; j < First::RADIX; j++) {
            const unsigned row = Tile::template source<0>(Tile::lane_of(t) + Tile::TEAM * e, j);
            typename Tile::Complex& z = v[e * First::RADIX + j];
            (imaginary ? z.im : z.re) = exchange[row * Tile::WIDTH + Tile::column_of(t)];
        }
    }
}

template <class Tile>
GPUNP_HD void store_kept(const FftProductsParams& q, const Place<Tile>& place, int t,
                         const typename Tile::Complex* v) {
    const unsigned column = Tile::column_of(t);
    if ((int)column >= place.columns) return;
    GPUNP_UNROLL
    for (int e = 0; e < Tile::Last::BUTTERFLIES; e++) {
        int row = (int)row_of_result<Tile>(t, e, 0) - (int)q.skipped;
        typename Tile::Complex* to = place.target + column + row * q.columns.out_row;
        GPUNP_UNROLL
        for (int j = 0; j < Tile::Last::RADIX; j++) {
            if (row >= 0) *to = Tile::swapped(v[e * Tile::Last::RADIX + j], 1);
            row += Tile::N / Tile::Last::RADIX;
            to += Tile::N / Tile::Last::RADIX * q.columns.out_row;
        }
    }
}

template <class Tile, class Team>
GPUNP_HD void convolve_tile(const FftProductsParams& q, const Place<Tile>& place,
                            const typename Tile::Complex* roots, typename Tile::Real* exchange, Team& team) {
    using Complex = typename Tile::Complex;
    team.each([&](int t, Complex* v) { Tile::from_memory(q.columns, place.source, place.columns, t, v); });
    Tile::template steps<0>(team, roots, exchange);
    team.each([&](int t, Complex* v) { multiply_results<Tile>(q, place, t, v); });
    team.each([&](int t, Complex* v) { put_results<Tile>(exchange, t, v, false); });
    team.each([&](int t, Complex* v) { get_first<Tile>(exchange, t, v, false); });
    team.each([&](int t, Complex* v) { put_results<Tile>(exchange, t, v, true); });
    team.each([&](int t, Complex* v) { get_first<Tile>(exchange, t, v, true); });
    Tile::template steps<0>(team, roots, exchange);
    team.each_alone([&](int t, Complex* v) { store_kept<Tile>(q, place, t, v); });
}

struct PackPairs {
    static GPUNP_HD void at(const FftPairsParams& p, int64_t row, int64_t column) {
        const float* image = reinterpret_cast<const float*>(p.image);
        const int64_t upper = row - p.above, lower = upper + p.half;
        const bool inside = column < p.columns;
        complex<float> z = {0, 0};
        if (inside && upper >= 0 && upper < p.rows) z.re = image[upper * p.columns + column];
        if (inside && lower >= 0 && lower < p.rows) z.im = image[lower * p.columns + column];
        reinterpret_cast<complex<float>*>(p.pairs)[row * p.width + column] = z;
    }
    static GPUNP_HD int64_t rows(const FftPairsParams& p) { return p.pair_rows; }
    static GPUNP_HD int64_t columns(const FftPairsParams& p) { return p.width; }
};

struct UnpackPairs {
    static GPUNP_HD void at(const FftPairsParams& p, int64_t row, int64_t column) {
        float* image = reinterpret_cast<float*>(p.image);
        const complex<float> z = reinterpret_cast<const complex<float>*>(p.pairs)[row * p.width + column];
        image[row * p.columns + column] = z.re;
        if (row + p.half < p.rows) image[(row + p.half) * p.columns + column] = z.im;
    }
    static GPUNP_HD int64_t rows(const FftPairsParams& p) { return p.half; }
    static GPUNP_HD int64_t columns(const FftPairsParams& p) { return p.columns; }
};

#if GPUNP_ON_DEVICE
template <class Tile>
__device__ __forceinline__ void convolve_columns(const FftProductsParams& q,
                                                 const typename Tile::Complex* roots) {
    extern __shared__ __align__(16) char memory[];
    DeviceTeam<typename Tile::Complex, Tile::EACH> team;
    for (int64_t at = blockIdx.x; at < q.columns.tiles; at += gridDim.x)
        convolve_tile(q, Place<Tile>(q.columns, at), roots, (typename Tile::Real*)memory, team);
}

template <class Each>
__device__ __forceinline__ void each_pair(const FftPairsParams& p) {
    const int64_t column = (int64_t)blockIdx.x * FFT_PAIRS_BLOCK + threadIdx.x;
    if (column >= Each::columns(p)) return;
    for (int64_t row = blockIdx.y; row < Each::rows(p); row += gridDim.y) Each::at(p, row, column);
}
#else
template <class Tile>
void convolve_columns(const FftProductsParams& q, const typename Tile::Complex* roots) {
    std::vector<typename Tile::Real> exchange(Tile::SLOTS * Tile::WIDTH);
    HostTeam<typename Tile::Complex, Tile::EACH> team(Tile::THREADS);
    for (int64_t at = 0; at < q.columns.tiles; at++)
        convolve_tile(q, Place<Tile>(q.columns, at), roots, exchange.data(), team);
}

template <class Each>
void each_pair(const void* params) {
    const FftPairsParams& p = *static_cast<const FftPairsParams*>(params);
    parallel_for(Each::rows(p), grain_of(Each::columns(p)), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++)
            for (int64_t column = 0; column < Each::columns(p); column++) Each::at(p, row, column);
    });
}
#endif

}  // namespace fft
}  // namespace gpunp

// A kernel for columns of 2^LOG_N elements with the shape of those of transforms.
#if GPUNP_ON_DEVICE
#define GPUNP_FFT_PRODUCTS(symbol, LOG_N, table)                                                     \
    extern "C" __global__ void __launch_bounds__(::gpunp::fft_columns_shape(LOG_N).threads,          \
                                                 ::gpunp::fft_columns_shape(LOG_N).blocks)           \
        symbol(const __grid_constant__::gpunp::FftProductsParams q) {                                \
        using namespace ::gpunp;                                                                     \
        using namespace ::gpunp::fft;                                                                \
        constexpr FftShape SHAPE = fft_columns_shape(LOG_N);                                         \
        convolve_columns<Tile<f4, LOG_N, SHAPE.log_width, SHAPE.threads, false, COLUMNS>>(q, table); \
    }
#define GPUNP_FFT_PAIRS(symbol, Each)                                      \
    extern "C" __global__ void __launch_bounds__(::gpunp::FFT_PAIRS_BLOCK) \
        symbol(const __grid_constant__::gpunp::FftPairsParams p) {         \
        ::gpunp::fft::each_pair<::gpunp::fft::Each>(p);                    \
    }
#else
#define GPUNP_FFT_PRODUCTS(symbol, LOG_N, table)                                           \
    static void symbol##_host(const void* params) {                                        \
        using namespace ::gpunp;                                                           \
        using namespace ::gpunp::fft;                                                      \
        constexpr FftShape SHAPE = fft_columns_shape(LOG_N);                               \
        convolve_columns<Tile<f4, LOG_N, SHAPE.log_width, SHAPE.threads, false, COLUMNS>>( \
            *static_cast<const FftProductsParams*>(params), table);                        \
    }                                                                                      \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#define GPUNP_FFT_PAIRS(symbol, Each) GPUNP_HOST_KERNEL(symbol, ::gpunp::fft::each_pair<::gpunp::fft::Each>);
#endif
