// QR factorization of a panel by Householder reflectors, in the registers of a cluster of blocks.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel.h"
#include "gpunp/linalg/reflection.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

template <class T, int R>
struct QrMemory {
    typename Tile<T, R>::Column reflectors[PANEL_COLUMNS];
    // The blocks' partial products of the columns with a reflector, and the row of the diagonal element.
    T sums[PANEL_WARPS][2][cluster::MOST_BLOCKS][WARP_COLUMNS], rows[PANEL_WARPS][2][WARP_COLUMNS];
    T factors[PANEL_COLUMNS], inverses[PANEL_COLUMNS];
    // Each warp's diagonal block of R.
    T ends[PANEL_WARPS][WARP_COLUMNS][WARP_COLUMNS];
    cluster::Mailbox mailboxes[PANEL_WARPS][2], all, ready[PANEL_COLUMNS];
};

// Sums the blocks' partial products of both columns with a reflector.
template <class T, int R>
__device__ inline void collect(const Tile<T, R>& tile, const T (&sums)[cluster::MOST_BLOCKS][WARP_COLUMNS],
                               T (&products)[2]) {
    const int half = tile.group / 4;
    T sum = 0;
    GPUNP_UNROLL
    for (int b = 0; b < cluster::MOST_BLOCKS; b += 4) {
        const int from = b + tile.group % 4;
        if (from < tile.blocks) sum += sums[from][tile.pair * 2 + half];
    }
    sum += warp::shuffle_xor(sum, 4);
    sum += warp::shuffle_xor(sum, 8);
    const T other = warp::shuffle_xor(sum, 16);
    products[0] = half ? other : sum;
    products[1] = half ? sum : other;
}

// Each column costs one exchange in the cluster: every block sends the products, over its rows, of this
// column with those to its right, which are what the reflection needs.
template <class T, int R>
__device__ void qr_panel(const PanelQrParams& p) {
    using Panel = Tile<T, R>;
    extern __shared__ __align__(16) char memory[];
    QrMemory<T, R>& shared = *reinterpret_cast<QrMemory<T, R>*>(memory);
    static_assert(sizeof(shared) <= panel_bytes(Panel::ROWS, sizeof(T)), "must fit the launch");
    Panel tile;
    const int pair = tile.pair, column = tile.column;
    cluster::Mailbox* boxes = &shared.mailboxes[0][0];
    for (int i = threadIdx.x; i < 2 * PANEL_WARPS + 1 + PANEL_COLUMNS; i += PANEL_THREADS) boxes[i].open();
    const int64_t matrix = cluster::index();
    T* a = static_cast<T*>(p.a) + matrix * p.a_step;
    T* taus = static_cast<T*>(p.tau) + matrix * p.tau_step;
    tile.load(a, p.stride, p.rows, p.columns);
    const int steps = p.rows < p.columns ? p.rows : p.columns, first = tile.warp * WARP_COLUMNS;
    // No block may send before all have started.
    cluster::sync();
    T scale, back;
    powers(greatest_size(tile.greatest_bits(), &shared.all), &scale, &back);
    if (first >= p.columns) return;
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) tile.x[0][i] *= scale, tile.x[1][i] *= scale;
    const unsigned bytes = tile.blocks * WARP_COLUMNS * sizeof(T);
    T y[R], products[2];
    for (int k = 0; k < first && k < steps; k++) {
        cluster::Mailbox* mailbox = &shared.mailboxes[tile.warp][k % 2];
        auto& sums = shared.sums[tile.warp][k % 2];
        if (tile.lane == 0) mailbox->expect(bytes);
        shared.ready[k].wait(0);
        tile.read(shared.reflectors[k], y);
        const T sum = tile.dots(y), other = warp::shuffle_xor(sum, 16);
        const bool half = tile.group / 4;
        tile.send(half ? other : sum, half ? sum : other, &sums[tile.block][pair * 2], mailbox);
        const T factor = shared.factors[k];
        mailbox->wait_by_warp(k / 2 % 2);
        collect(tile, sums, products);
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) tile.x[c][i] = fused(factor * products[c], y[i], tile.x[c][i]);
        }
    }
    for (int k = first; k < first + WARP_COLUMNS && k < steps; k++) {
        cluster::Mailbox* mailbox = &shared.mailboxes[tile.warp][k % 2];
        auto& sums = shared.sums[tile.warp][k % 2];
        T* row = shared.rows[tile.warp][k % 2];
        const int at = k % WARP_COLUMNS;
        T* elements = shared.reflectors[k][0].at;
        if (tile.lane == 0) mailbox->expect(bytes + WARP_COLUMNS * sizeof(T));
        if (column == k) tile.write(shared.reflectors[k], tile.x[0]);
        if (column + 1 == k) tile.write(shared.reflectors[k], tile.x[1]);
        if (tile.block == 0) {
            tile.send_row(k, row, mailbox);
            __syncwarp();
            // The rows above belong to R; the reflector's head is written below.
            for (int i = tile.lane; i <= k; i += 32) elements[i] = 0;
        }
        __syncwarp();
        tile.read(shared.reflectors[k], y);
        const T sum = tile.dots(y), other = warp::shuffle_xor(sum, 16);
        const bool half = tile.group / 4;
        tile.send(half ? other : sum, half ? sum : other, &sums[tile.block][pair * 2], mailbox);
        mailbox->wait_by_warp(k / 2 % 2);
        collect(tile, sums, products);
        const T rest = warp::shuffle_number(at % 2 ? products[1] : products[0], at / 2);
        const Reflection<T> r = reflection(row[at], rest);
        const T factor = -r.tau * r.inverse * r.inverse;
        // All lanes have read the reflector before its head is overwritten.
        __syncwarp();
        if (tile.lane == 0) {
            shared.factors[k] = factor;
            shared.inverses[k] = r.inverse;
            if (tile.block == 0) {
                taus[k] = r.tau;
                elements[k] = r.head;
            }
        }
        __syncwarp();
        if (tile.lane == 0) shared.ready[k].announce();
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            const int place = column + c;
            const T before = row[pair * 2 + c];
            const T product = place > k ? factor * fused(r.head, before, products[c]) : T(0);
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) tile.x[c][i] = fused(product, y[i], tile.x[c][i]);
            if (tile.block == 0 && tile.group == 0)
                shared.ends[tile.warp][at][pair * 2 + c] =
                    place == k ? r.beta : fused(product, r.head, before);
        }
    }
    __syncwarp();
    T* reflectors = static_cast<T*>(p.reflectors) + matrix * p.reflectors_step;
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) {
        const int at = tile.block * Panel::ROWS + tile.row(i);
        if (at >= p.rows) continue;
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            const int place = column + c;
            if (place >= p.columns) continue;
            const T x = tile.x[c][i];
            T value;
            if (at > place)
                value = x * shared.inverses[place];
            else
                value = back * (at < first ? x : shared.ends[tile.warp][at - first][pair * 2 + c]);
            a[at * p.stride + place] = value;
            reflectors[at * p.reflectors_stride + place] = at > place ? value : (at == place ? T(1) : T(0));
        }
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
