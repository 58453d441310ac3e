// Kernels of Fourier transforms, for the device and the host.
#pragma once
#include "gpunp/fft/tile.h"
#include "gpunp/kernel.h"
#if !GPUNP_ON_DEVICE
#include <vector>
#endif

namespace gpunp {
namespace fft {

// The position of a tile.
template <class Tile>
struct Place {
    const typename Tile::Complex* source;
    typename Tile::Complex* target;
    int64_t first;  // the first of its transforms
    int columns;

    GPUNP_HD Place(const FftParams& p, int64_t tile) {
        // Tiles are so large that their number fits in 32 bits.
        const uint32_t batch = (uint32_t)tile / (uint32_t)p.tiles_a_batch;
        const int64_t within = (uint32_t)tile % (uint32_t)p.tiles_a_batch;
        first = within * Tile::WIDTH;
        columns = (int)(p.columns - first < Tile::WIDTH ? p.columns - first : Tile::WIDTH);
        source = (const typename Tile::Complex*)p.source + batch * p.in_batch + within * p.in_tile;
        target = (typename Tile::Complex*)p.target + batch * p.out_batch + within * p.out_tile;
    }
};

template <class Tile>
GPUNP_HD void load(const FftParams& p, const Place<Tile>& place, int t, typename Tile::Complex* v) {
    if constexpr (Tile::KIND == REAL_ROWS)
        Tile::from_halves(p, place.source, place.first, place.columns, t, v);
    else
        Tile::from_memory(p, place.source, place.columns, t, v);
}

template <class Tile>
GPUNP_HD void store(const FftParams& p, const Place<Tile>& place, const typename Tile::Complex* powers, int t,
                    const typename Tile::Complex* v) {
    if constexpr (Tile::KIND == REAL_ROWS)
        Tile::to_halves(p, place.target, place.first, place.columns, t, v);
    else
        Tile::to_memory(p, place.target, place.first, place.columns, powers, t, v);
}

#if GPUNP_ON_DEVICE
// One thread of the team; its elements are in registers.
template <class Complex, int EACH>
struct DeviceTeam {
    Complex v[EACH];

    template <class Phase>
    __device__ __forceinline__ void each_alone(Phase phase) {
        int t = threadIdx.x;
        // Hides the value of t, so that the compiler recomputes addresses instead of keeping them in
        // registers for the next tile.
        asm volatile("" : "+r"(t));
        phase(t, v);
    }

    // A phase followed by a barrier.
    template <class Phase>
    __device__ __forceinline__ void each(Phase phase) {
        each_alone(phase);
        __syncthreads();
    }
};

// Copies BYTES from global to shared memory, asynchronously if the device can; those after the first `valid`
// ones become zero.
template <int BYTES>
__device__ __forceinline__ void copy_ahead(void* shared, const void* source, int valid) {
    static_assert(BYTES == 8 || BYTES == 16, "one or two elements");
#if __CUDA_ARCH__ >= 800
    const unsigned at = (unsigned)__cvta_generic_to_shared(shared);
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(at), "l"(source),
                     "r"(valid));
    else
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8, %2;" ::"r"(at), "l"(source),
                     "r"(valid));
#else
    for (int i = 0; i < BYTES / 8; i++)
        ((uint64_t*)shared)[i] = i * 8 < valid ? ((const uint64_t*)source)[i] : 0;
#endif
}

__device__ __forceinline__ void await_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Reads a tile ahead, PIECE elements at a time.
template <class Tile, int PIECE>
__device__ __forceinline__ void read_pieces(const FftParams& p, const Place<Tile>& place,
                                            typename Tile::Complex* tile) {
    // Contiguous elements: the width, or a block of the first half's tiles.
    constexpr int RUN = Tile::KIND == SECOND ? Tile::WIDTH * Tile::OTHER : Tile::WIDTH;
    constexpr int SIZE = sizeof(typename Tile::Complex), PIECES = RUN / PIECE,
                  RUNS = Tile::N * Tile::WIDTH / RUN;
    constexpr int AT_ONCE = Tile::THREADS / PIECES;
    static_assert(AT_ONCE >= 1 && RUNS % AT_ONCE == 0, "threads take whole runs");
    const int piece = threadIdx.x % PIECES, run = threadIdx.x / PIECES;
    const int left = Tile::KIND == SECOND ? PIECE * SIZE : (place.columns - piece * PIECE) * SIZE;
    const int valid = left < 0 ? 0 : left < PIECE * SIZE ? left : PIECE * SIZE;
    const typename Tile::Complex* source = place.source + (valid ? piece * PIECE : 0) + run * p.in_row;
    typename Tile::Complex* target =
        tile + run * RUN + (PIECE == 2 ? Tile::place_of_pair(piece) * 2 : piece * PIECE);
#pragma unroll 8
    for (int i = 0; i < RUNS / AT_ONCE; i++) {
        copy_ahead<PIECE * SIZE>(target, source, valid);
        source += AT_ONCE * p.in_row;
        target += AT_ONCE * RUN;
    }
}

template <class Tile>
__device__ __forceinline__ void read_ahead(const FftParams& p, const Place<Tile>& place,
                                           typename Tile::Complex* tile) {
    if constexpr (sizeof(typename Tile::Complex) == 16) {
        read_pieces<Tile, 1>(p, place, tile);
    } else if constexpr (Tile::KIND == SECOND) {
        read_pieces<Tile, 2>(p, place, tile);
    } else {
        if (p.paired)
            read_pieces<Tile, 2>(p, place, tile);
        else
            read_pieces<Tile, 1>(p, place, tile);
    }
}

// Each block transforms one tile after another; with AHEAD it loads the next one meanwhile.
template <class Tile>
__device__ __forceinline__ void run_columns(const FftParams& p, const typename Tile::Complex* table) {
    using Complex = typename Tile::Complex;
    extern __shared__ __align__(16) char memory[];
    DeviceTeam<Complex, Tile::EACH> team;
    if constexpr (Tile::AHEAD) {
        constexpr int ROOTS = fft_count_roots(Tile::LOG_N, fft_last_step(Tile::LOG_N));
        Complex* tile = (Complex*)memory;
        Complex* roots = tile + Tile::N * Tile::WIDTH;
        Complex* powers = roots + ROOTS;
        typename Tile::Real* exchange = (typename Tile::Real*)(powers + Tile::WIDTH * Tile::POWERS);
        int64_t at = blockIdx.x;
        if (at < p.tiles) read_ahead<Tile>(p, Place<Tile>(p, at), tile);
        for (int i = threadIdx.x; i < ROOTS; i += Tile::THREADS) roots[i] = table[i];
        for (; at < p.tiles; at += gridDim.x) {
            const Place<Tile> place(p, at);
            await_copies();
            __syncthreads();
            team.each([&](int t, Complex* v) {
                Tile::from_tile(p, tile, t, v);
                if (Tile::KIND == FIRST) Tile::write_powers(p, place.first, t, powers);
            });
            if (at + gridDim.x < p.tiles) read_ahead<Tile>(p, Place<Tile>(p, at + gridDim.x), tile);
            Tile::template steps<0>(team, roots, exchange);
            team.each_alone([&](int t, Complex* v) { store<Tile>(p, place, powers, t, v); });
        }
    } else {
        Complex* powers = (Complex*)memory;
        typename Tile::Real* exchange =
            (typename Tile::Real*)(powers + (Tile::BY_ROW ? 0 : Tile::WIDTH * Tile::POWERS));
        for (int64_t at = blockIdx.x; at < p.tiles; at += gridDim.x) {
            const Place<Tile> place(p, at);
            team.each_alone([&](int t, Complex* v) { load<Tile>(p, place, t, v); });
            // All threads are done with the previous tile's exchange and powers.
            __syncthreads();
            if (Tile::KIND == FIRST) Tile::write_powers(p, place.first, threadIdx.x, powers);
            Tile::template steps<0>(team, table, exchange);
            team.each_alone([&](int t, Complex* v) { store<Tile>(p, place, powers, t, v); });
        }
    }
}
#else
// Runs all threads of the team, one after another.
template <class Complex, int EACH>
struct HostTeam {
    std::vector<Complex> elements;
    int threads;

    explicit HostTeam(int threads) : elements((size_t)threads * EACH), threads(threads) {}

    template <class Phase>
    void each(Phase phase) {
        for (int t = 0; t < threads; t++) phase(t, elements.data() + (size_t)t * EACH);
    }

    template <class Phase>
    void each_alone(Phase phase) {
        each(phase);
    }
};

// As on the device, but without reading ahead.
template <class Tile>
void run_columns(const FftParams& p, const typename Tile::Complex* table) {
    using Complex = typename Tile::Complex;
    std::vector<typename Tile::Real> exchange(Tile::SLOTS * Tile::WIDTH);
    std::vector<Complex> powers(Tile::WIDTH * Tile::POWERS), tile(Tile::AHEAD ? Tile::N * Tile::WIDTH : 0);
    HostTeam<Complex, Tile::EACH> team(Tile::THREADS);
    for (int64_t at = 0; at < p.tiles; at++) {
        const Place<Tile> place(p, at);
        for (size_t i = 0; i < tile.size(); i++) {
            constexpr int RUN = Tile::KIND == SECOND ? Tile::WIDTH * Tile::OTHER : Tile::WIDTH;
            const int run = (int)i / RUN, within = (int)i % RUN;
            const int to = (int)Tile::place_of_pair(within / 2) * 2 + within % 2;
            const bool inside = Tile::KIND == SECOND || within < place.columns;
            tile[run * RUN + to] = inside ? place.source[run * p.in_row + within] : Complex{0, 0};
        }
        team.each([&](int t, Complex* v) {
            if (Tile::AHEAD)
                Tile::from_tile(p, tile.data(), t, v);
            else
                load<Tile>(p, place, t, v);
            if (Tile::KIND == FIRST) Tile::write_powers(p, place.first, t, powers.data());
        });
        Tile::template steps<0>(team, table, exchange.data());
        team.each([&](int t, Complex* v) { store<Tile>(p, place, powers.data(), t, v); });
    }
}
#endif

}  // namespace fft
}  // namespace gpunp

// A kernel of one Kind with an FftShape; OTHER is the shape of the first half's kernel.
#define GPUNP_FFT(symbol, T, LOG_N, SHAPE, KIND, OTHER, table)                                            \
    GPUNP_FFT_SHAPED(symbol, T, LOG_N, (SHAPE).log_width, (SHAPE).threads, (SHAPE).blocks, (SHAPE).ahead, \
                     KIND, (OTHER).log_width, table)

#if GPUNP_ON_DEVICE
#define GPUNP_FFT_TABLE static __device__ const
#define GPUNP_FFT_SHAPED(symbol, T, LOG_N, LOG_WIDTH, THREADS, BLOCKS, AHEAD, KIND, LOG_OTHER, table) \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                     \
        symbol(const __grid_constant__::gpunp::FftParams p) {                                         \
        using namespace ::gpunp;                                                                      \
        using namespace ::gpunp::fft;                                                                 \
        run_columns<Tile<T, LOG_N, LOG_WIDTH, THREADS, AHEAD, KIND, LOG_OTHER>>(p, table);            \
    }
#else
#define GPUNP_FFT_TABLE static const
#define GPUNP_FFT_SHAPED(symbol, T, LOG_N, LOG_WIDTH, THREADS, BLOCKS, AHEAD, KIND, LOG_OTHER, table) \
    static void symbol##_host(const void* params) {                                                   \
        using namespace ::gpunp;                                                                      \
        using namespace ::gpunp::fft;                                                                 \
        run_columns<Tile<T, LOG_N, LOG_WIDTH, THREADS, AHEAD, KIND, LOG_OTHER>>(                      \
            *static_cast<const FftParams*>(params), table);                                           \
    }                                                                                                 \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif
