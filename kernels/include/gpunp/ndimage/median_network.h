// Medians of square windows of 7 x 7 to 15 x 15 samples by networks of minima and maxima, whatever the data.
//
// A thread has 4 x 4 outputs. Their windows share a core, whose samples are sorted once; the windows of four,
// two and one columns of outputs, then of rows, add sorted columns and rows to it (Adams 2021). A sample
// stays only while it can become the median: of n sorted samples of a window of N, N + 1 - n. Sorted columns,
// and pairs and quads of them, are shared by the threads of a block.
#pragma once
#include "gpunp/ndimage/networks.h"
#include "gpunp/ndimage/rank_tile.h"

namespace gpunp {
namespace ndimage {

template <int SIZE>
struct MedianNetwork {
    static constexpr int threads = 128, tile_rows = MEDIAN_NETWORK_ROWS,
                         tile_columns = MEDIAN_NETWORK_COLUMNS;
    static constexpr int groups = tile_rows / 4, across = tile_columns / 4;  // of 4 x 4 outputs
    static constexpr int rows = tile_rows + SIZE - 1, columns = tile_columns + SIZE - 1;
    // Of a column of the core, which is as wide.
    static constexpr int core = SIZE - 3, quads = core / 4, middle = SIZE * SIZE / 2;

    // Of the samples of a window, those sorted before each step: the core, with two and three more columns,
    // and with two more rows. How many are kept, and from which rank on.
    static GPUNP_HD constexpr int kept(int sorted) { return SIZE * SIZE + 1 - sorted; }
    static GPUNP_HD constexpr int first(int sorted) { return sorted - SIZE * SIZE + middle; }
    static constexpr int of_core = core * core, of_half = core * (core + 2), of_column = core * SIZE,
                         of_rows = SIZE * (core + 2);
    // Ranks below the first kept one exist from the core on, for windows of at least 11 x 11.
    static constexpr int kept_of_core = first(of_core) < 0 ? of_core : kept(of_core);
    static constexpr int first_of_core = first(of_core) < 0 ? 0 : first(of_core);
    static constexpr int kept_of_half = first(of_half) < 0 ? of_half : kept(of_half);
    static constexpr int first_of_half = first(of_half) < 0 ? 0 : first(of_half);
    static constexpr int kept_of_column = first(of_column) < 0 ? of_column : kept(of_column);
    static constexpr int first_of_column = first(of_column) < 0 ? 0 : first(of_column);
    static constexpr int kept_of_rows = kept(of_rows);

    // A column c is word c / 4 of the plane c % 4, so that neighbours at distance four are in other banks.
    static constexpr int plane = 40, line = 4 * plane, pair_plane = 40, quad_line = 36;
    static GPUNP_HD constexpr int larger_of(int a, int b) { return a > b ? a : b; }
    static constexpr int image_words = rows * line, column_words = core * groups * line;
    static constexpr int pair_words = larger_of(4 * core * groups * pair_plane, kept_of_half* threads);
    static constexpr int quad_words = larger_of(4 * core * groups * quad_line, tile_rows* tile_columns);
    static constexpr int words = image_words + column_words + pair_words + quad_words;
    static_assert(groups * across == threads && columns <= line && core % 2 == 0);
    static_assert(words == median_network_words(SIZE));

    uint32_t *image, *sorted, *pairs, *fours;

    explicit GPUNP_HD MedianNetwork(uint32_t* memory)
        : image(memory),
          sorted(memory + image_words),
          pairs(sorted + column_words),
          fours(pairs + pair_words) {}

    static GPUNP_HD int place(int column) { return (column & 3) * plane + (column >> 2); }
    GPUNP_HD uint32_t& sample(int row, int column) const { return image[row * line + place(column)]; }
    GPUNP_HD uint32_t& column_rank(int j, int group, int column) const {
        return sorted[(j * groups + group) * line + place(column)];
    }
    // The pair of the columns 2 n + 1 and 2 n + 2.
    GPUNP_HD uint32_t& pair_rank(int j, int group, int n) const {
        return pairs[((j * groups + group) * 2 + (n & 1)) * pair_plane + (n >> 1)];
    }
    // The quad of the columns 4 n + 3 to 4 n + 6.
    GPUNP_HD uint32_t& quad_rank(int j, int group, int n) const {
        return fours[(j * groups + group) * quad_line + n];
    }

    GPUNP_HD void load(const RankTileParams& p, RankPlace from, int thread, int count) const {
        for (int i = thread; i < rows * columns; i += count) {
            const int row = i / columns, column = i - row * columns;
            sample(row, column) = tile_key<uint32_t>(p, from, row, column);
        }
    }
    GPUNP_HD void sort_columns(int thread, int count) const {
        for (int i = thread; i < groups * columns; i += count) {
            const int group = i / columns, column = i - group * columns;
            uint32_t v[core];
            GPUNP_UNROLL
            for (int j = 0; j < core; j++) v[j] = sample(4 * group + 3 + j, column);
            sort_network<core>(v);
            GPUNP_UNROLL
            for (int j = 0; j < core; j++) column_rank(j, group, column) = v[j];
        }
    }
    GPUNP_HD void merge_pairs(int thread, int count) const {
        constexpr int each = (columns - 1) / 2;
        for (int i = thread; i < groups * each; i += count) {
            const int group = i / each, n = i - group * each;
            uint32_t a[core], b[core], both[2 * core];
            GPUNP_UNROLL
            for (int j = 0; j < core; j++) {
                a[j] = column_rank(j, group, 2 * n + 1);
                b[j] = column_rank(j, group, 2 * n + 2);
            }
            merge_network<core, core>(a, b, both);
            GPUNP_UNROLL
            for (int j = 0; j < 2 * core; j++) pair_rank(j, group, n) = both[j];
        }
    }
    GPUNP_HD void merge_quads(int thread, int count) const {
        constexpr int each = across + quads - 1;
        for (int i = thread; i < groups * each; i += count) {
            const int group = i / each, n = i - group * each;
            uint32_t a[2 * core], b[2 * core], both[4 * core];
            GPUNP_UNROLL
            for (int j = 0; j < 2 * core; j++) {
                a[j] = pair_rank(j, group, 2 * n + 1);
                b[j] = pair_rank(j, group, 2 * n + 2);
            }
            merge_network<2 * core, 2 * core>(a, b, both);
            GPUNP_UNROLL
            for (int j = 0; j < 4 * core; j++) quad_rank(j, group, n) = both[j];
        }
    }

    // The core's quads from the first to the last, then a pair if one remains.
    template <int COUNT>
    GPUNP_HD void merge_core(int group, int n, const uint32_t* before, uint32_t* out) const {
        constexpr int have = 4 * core * COUNT;
        if constexpr (COUNT < quads) {
            uint32_t quad[4 * core], both[have + 4 * core];
            GPUNP_UNROLL
            for (int j = 0; j < 4 * core; j++) quad[j] = quad_rank(j, group, n + COUNT);
            merge_network<have, 4 * core>(before, quad, both);
            merge_core<COUNT + 1>(group, n, both, out);
        } else {
            constexpr int rest = of_core - have;
            uint32_t pair[rest + 1], both[of_core];
            GPUNP_UNROLL
            for (int j = 0; j < rest; j++) pair[j] = pair_rank(j, group, 2 * (n + quads) + 1);
            merge_network<have, rest>(before, pair, both);
            GPUNP_UNROLL
            for (int j = 0; j < kept_of_core; j++) out[j] = both[first_of_core + j];
        }
    }
    GPUNP_HD void with_pair(const uint32_t* common, int group, int n, uint32_t* out) const {
        uint32_t pair[2 * core], both[kept_of_core + 2 * core];
        GPUNP_UNROLL
        for (int j = 0; j < 2 * core; j++) pair[j] = pair_rank(j, group, n);
        merge_network<kept_of_core, 2 * core>(common, pair, both);
        GPUNP_UNROLL
        for (int j = 0; j < kept_of_half; j++) out[j] = both[first_of_half - first_of_core + j];
    }
    // What the first two, and the last two columns of outputs share.
    GPUNP_HD void halves(int thread, uint32_t* left, uint32_t* right) const {
        const int group = thread / across, n = thread % across;
        uint32_t common[kept_of_core];
        const uint32_t none[1] = {0};
        merge_core<0>(group, n, none, common);
        with_pair(common, group, 2 * n + SIZE / 2, right);
        with_pair(common, group, 2 * n, left);
    }

    // A row of the window of a column of outputs, whose first samples are at `places`.
    static GPUNP_HD void sorted_row(const uint32_t* const* places, int row, uint32_t (&v)[SIZE]) {
        GPUNP_UNROLL
        for (int j = 0; j < SIZE; j++) v[j] = places[j & 3][row * line + (j >> 2)];
        sort_network<SIZE>(v);
    }
    static GPUNP_HD void with_rows(const uint32_t* common, const uint32_t* a, const uint32_t* b,
                                   uint32_t* out) {
        uint32_t rows_of_two[2 * SIZE], all[kept_of_column + 2 * SIZE];
        merge_network<SIZE, SIZE>(a, b, rows_of_two);
        merge_network<kept_of_column, 2 * SIZE>(common, rows_of_two, all);
        GPUNP_UNROLL
        for (int j = 0; j < kept_of_rows; j++) out[j] = all[first(of_rows) - first_of_column + j];
    }
    // The middle of two sorted lists.
    static GPUNP_HD uint32_t with_last_row(const uint32_t* kept_ones, const uint32_t* row) {
        uint32_t found = kept_ones[kept_of_rows - 1];
        GPUNP_UNROLL
        for (int i = 1; i < kept_of_rows; i++)
            found = lesser_key(found, greater_key(kept_ones[i - 1], row[kept_of_rows - 1 - i]));
        return found;
    }
    // The four outputs of a column, of which `half` has the samples that it shares with its neighbour.
    GPUNP_HD void medians(int thread, int column, const uint32_t* half, uint32_t* result) const {
        const int group = thread / across, n = thread % across;
        uint32_t common[kept_of_column], added[core], all[kept_of_half + core];
        GPUNP_UNROLL
        for (int j = 0; j < core; j++)
            added[j] = column_rank(j, group, 4 * n + column + (column & 1 ? SIZE - 1 : 0));
        merge_network<kept_of_half, core>(half, added, all);
        GPUNP_UNROLL
        for (int j = 0; j < kept_of_column; j++) common[j] = all[first_of_column - first_of_half + j];
        const uint32_t* places[4];
        GPUNP_UNROLL
        for (int j = 0; j < 4; j++) places[j] = image + 4 * group * line + place(column + j) + n;
        uint32_t second[SIZE], beyond[SIZE], row[SIZE], kept_ones[kept_of_rows];
        uint32_t* to = result + 4 * group * tile_columns + 4 * n + column;
        sorted_row(places, 2, second);
        sorted_row(places, 1, row);
        with_rows(common, row, second, kept_ones);
        sorted_row(places, 0, row);
        to[0] = with_last_row(kept_ones, row);
        sorted_row(places, SIZE, beyond);
        to[tile_columns] = with_last_row(kept_ones, beyond);
        sorted_row(places, SIZE + 1, row);
        with_rows(common, row, beyond, kept_ones);
        to[2 * tile_columns] = with_last_row(kept_ones, second);
        sorted_row(places, SIZE + 2, row);
        to[3 * tile_columns] = with_last_row(kept_ones, row);
    }
    static GPUNP_HD void store(const RankTileParams& p, RankPlace to, const uint32_t* result, int thread,
                               int count) {
        for (int i = thread; i < tile_rows * tile_columns; i += count) {
            const int64_t r = to.row + i / tile_columns, c = to.column + i % tile_columns;
            if (r < p.rows && c < p.columns)
                store_key(p.output, (to.plane * p.rows + r) * p.columns + c, p.out_dtype, result[i],
                          p.in_dtype);
        }
    }
};

#if GPUNP_ON_DEVICE

template <int SIZE>
__device__ __forceinline__ void median_network(const RankTileParams& p) {
    using Network = MedianNetwork<SIZE>;
    extern __shared__ uint4 network_memory[];
    const Network network(reinterpret_cast<uint32_t*>(network_memory));
    const int thread = threadIdx.x;
    const int64_t tiles = rank_tiles(p);
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const RankPlace at = rank_place(p, tile);
        network.load(p, at, thread, Network::threads);
        __syncthreads();
        network.sort_columns(thread, Network::threads);
        __syncthreads();
        network.merge_pairs(thread, Network::threads);
        __syncthreads();
        network.merge_quads(thread, Network::threads);
        __syncthreads();
        uint32_t half[Network::kept_of_half], right[Network::kept_of_half];
        network.halves(thread, half, right);
        // The right half waits where the pairs were, and results replace the quads.
        __syncthreads();
        GPUNP_UNROLL
        for (int j = 0; j < Network::kept_of_half; j++)
            network.pairs[j * Network::threads + thread] = right[j];
#pragma unroll 1
        for (int column = 0; column < 4; column++) {
            if (column == 2) {
                GPUNP_UNROLL
                for (int j = 0; j < Network::kept_of_half; j++)
                    half[j] = network.pairs[j * Network::threads + thread];
            }
            network.medians(thread, column, half, network.fours);
        }
        __syncthreads();
        Network::store(p, at, network.fours, thread, Network::threads);
        __syncthreads();
    }
}
#define GPUNP_MEDIAN_NETWORK(symbol, SIZE)                                                          \
    extern "C" __global__ void __launch_bounds__(::gpunp::ndimage::MedianNetwork<SIZE>::threads, 2) \
        symbol(const __grid_constant__::gpunp::RankTileParams p) {                                  \
        ::gpunp::ndimage::median_network<SIZE>(p);                                                  \
    }

#else

template <int SIZE>
void median_network_host(const void* params) {
    using Network = MedianNetwork<SIZE>;
    const RankTileParams& p = *static_cast<const RankTileParams*>(params);
    parallel_for(rank_tiles(p), 1, [&](int64_t begin, int64_t end) {
        constexpr int threads = Network::threads, kept = Network::kept_of_half;
        std::vector<uint32_t> memory(Network::words + 2 * threads * kept);
        const Network network(memory.data());
        uint32_t* halves = memory.data() + Network::words;
        for (int64_t tile = begin; tile < end; tile++) {
            const RankPlace at = rank_place(p, tile);
            network.load(p, at, 0, 1);
            network.sort_columns(0, 1);
            network.merge_pairs(0, 1);
            network.merge_quads(0, 1);
            for (int i = 0; i < threads; i++)
                network.halves(i, halves + 2 * i * kept, halves + (2 * i + 1) * kept);
            for (int i = 0; i < threads; i++)
                for (int column = 0; column < 4; column++)
                    network.medians(i, column, halves + (2 * i + column / 2) * kept, network.fours);
            Network::store(p, at, network.fours, 0, 1);
        }
    });
}
#define GPUNP_MEDIAN_NETWORK(symbol, SIZE) \
    GPUNP_HOST_KERNEL(symbol, ::gpunp::ndimage::median_network_host<SIZE>);

#endif

}  // namespace ndimage
}  // namespace gpunp
