// Householder reflectors of a panel, which stays in the registers of a cluster of blocks.
#pragma once
#include "gpunp/linalg_panel.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// The reflection that takes a column to its first element: alpha is that, and rest the others' sum of
// squares.
template <class T>
struct Reflection {
    T beta, tau, inverse;
};

__device__ inline Reflection<double> reflection(double alpha, double rest) {
    if (rest == 0) return {alpha, 0, 0};
    const double norm = sqrt(fma(alpha, alpha, rest)), beta = alpha >= 0 ? -norm : norm;
    return {beta, (beta - alpha) / beta, 1 / (alpha - beta)};
}

// By the quick instructions and a step of Newton's: within an ulp or two of what division gives, in a tenth
// of its instructions, which every warp spends for every column. What is scaled to one needs no other range.
__device__ inline Reflection<float> reflection(float alpha, float rest) {
    if (!(rest > 0x1p-120f)) return {alpha, 0, 0};
    const float square = fmaf(alpha, alpha, rest);
    float root, inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    float norm = square * root;
    norm = fmaf(0.5f * root, fmaf(-norm, norm, square), norm);
    root = fmaf(fmaf(-norm, root, 1.0f), root, root);
    const float beta = alpha >= 0 ? -norm : norm, sum = alpha - beta;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(sum));
    inverse = fmaf(fmaf(-sum, inverse, 1.0f), inverse, inverse);
    return {beta, magnitude(sum) * root, inverse};
}

// A column costs one exchange in the cluster: every block sends the products, over its rows, of this column
// with all columns. Those of columns to the right are what the reflection needs; those of the reflectors to
// the left are what T is made of.
template <class T, int R>
__device__ void qr_panel(const PanelQrParams& p) {
    using Panel = Tile<T, R>;
    using Vector = RowVector<T>;
    __shared__ Vector reflector[Panel::ROWS / Vector::SIZE];
    __shared__ __align__(16) T sums[2][cluster::MOST_BLOCKS][PANEL_COLUMNS], diagonal_row[2][PANEL_COLUMNS];
    __shared__ cluster::Mailbox mailboxes[3];
    Panel tile;
    const int group = tile.group, column = tile.column, half = group / 4;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; i++) mailboxes[i].open();
    }
    const int64_t matrix = cluster::index();
    T* a = static_cast<T*>(p.a) + matrix * p.a_step;
    tile.load(a, p.stride, p.rows, p.columns);
    const int steps = p.rows < p.columns ? p.rows : p.columns;
    const unsigned bytes = (tile.blocks + 1) * PANEL_COLUMNS * sizeof(T);
    T* products = static_cast<T*>(p.products) + matrix * p.products_step;
    T* taus = static_cast<T*>(p.tau) + matrix * p.tau_step;
    // No block sends before all have begun.
    cluster::sync();
    T scale, back;
    powers(greatest_size(tile.greatest_bits(), &mailboxes[2]), &scale, &back);
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) tile.x[0][i] *= scale, tile.x[1][i] *= scale;
    for (int k = 0; k < steps; k++) {
        const int buffer = k % 2;
        cluster::Mailbox* mailbox = &mailboxes[buffer];
        if (k / 2 == column / 2) {
            GPUNP_UNROLL
            for (int i = 0; i < R; i += Vector::SIZE) {
                Vector v;
                GPUNP_UNROLL
                for (int j = 0; j < Vector::SIZE; j++) {
                    const T x = k % 2 ? tile.x[1][i + j] : tile.x[0][i + j];
                    v.values[j] = tile.block || tile.row(i + j) > k ? x : T(0);
                }
                reflector[tile.row(i) / Vector::SIZE] = v;
            }
        }
        if (threadIdx.x == 0) mailbox->expect(bytes);
        if (tile.block == 0) tile.send_row(k, diagonal_row[buffer], mailbox);
        __syncthreads();
        T y[R], dot[2][2] = {};
        GPUNP_UNROLL
        for (int i = 0; i < R; i += Vector::SIZE) {
            const Vector v = reflector[tile.row(i) / Vector::SIZE];
            GPUNP_UNROLL
            for (int j = 0; j < Vector::SIZE; j++) y[i + j] = v.values[j];
        }
        GPUNP_UNROLL
        for (int i = 0; i < R; i++) {
            dot[0][i % 2] = fused(y[i], tile.x[0][i], dot[0][i % 2]);
            dot[1][i % 2] = fused(y[i], tile.x[1][i], dot[1][i % 2]);
        }
        // Half of the lanes sum up the first column, the others the second; then they tell each other.
        const T first = dot[0][0] + dot[0][1], second = dot[1][0] + dot[1][1];
        T sum = half ? second : first;
        sum += __shfl_xor_sync(~0u, half ? first : second, 16);
        sum += __shfl_xor_sync(~0u, sum, 4);
        sum += __shfl_xor_sync(~0u, sum, 8);
        T other = __shfl_xor_sync(~0u, sum, 16);
        GPUNP_UNROLL
        for (int b = 0; b < cluster::MOST_BLOCKS; b += 8) {
            if (b + group < tile.blocks)
                cluster::send_pair(&sums[buffer][tile.block][column], mailbox, b + group, half ? other : sum,
                                   half ? sum : other);
        }
        mailbox->wait(k / 2 % 2);

        T rest = 0;
        sum = 0;
        GPUNP_UNROLL
        for (int b = 0; b < cluster::MOST_BLOCKS; b += 4) {
            const int from = b + group % 4;
            if (from < tile.blocks) {
                sum += sums[buffer][from][column + half];
                rest += sums[buffer][from][k];
            }
        }
        sum += __shfl_xor_sync(~0u, sum, 4);
        rest += __shfl_xor_sync(~0u, rest, 4);
        sum += __shfl_xor_sync(~0u, sum, 8);
        rest += __shfl_xor_sync(~0u, rest, 8);
        other = __shfl_xor_sync(~0u, sum, 16);
        const Reflection<T> r = reflection(diagonal_row[buffer][k], rest);
        T change[2];
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            T* x = tile.x[c];
            const int place = column + c;
            // The product of this column with the reflector.
            const T product = fused(c == half ? sum : other, r.inverse, diagonal_row[buffer][place]);
            change[c] = place > k ? r.tau * product : T(0);
            const T factor = -change[c] * r.inverse;
            if (place != k) {
                GPUNP_UNROLL
                for (int i = 0; i < R; i++) x[i] = fused(factor, y[i], x[i]);
            } else {
                GPUNP_UNROLL
                for (int i = 0; i < R; i++) {
                    if (tile.block || tile.row(i) > k)
                        x[i] = y[i] * r.inverse;
                    else if (tile.row(i) == k)
                        x[i] = r.beta;
                }
                if (tile.block == 0 && group == 0) taus[k] = r.tau;
            }
            if (place < k && tile.block == 0 && group == 0) products[place * PANEL_COLUMNS + k] = product;
        }
        if (tile.block == 0 && group == Panel::group_of(k)) {
            GPUNP_UNROLL
            for (int i = 0; i < R; i++) {
                const bool here = i == Panel::index_of(k);
                tile.x[0][i] -= here ? change[0] : T(0);
                tile.x[1][i] -= here ? change[1] : T(0);
            }
        }
    }
    T* reflectors = static_cast<T*>(p.reflectors) + matrix * p.reflectors_step;
    GPUNP_UNROLL
    for (int i = 0; i < R; i++) {
        const int at = tile.block * Panel::ROWS + tile.row(i);
        if (at >= p.rows) continue;
        GPUNP_UNROLL
        for (int c = 0; c < 2; c++) {
            const int place = column + c;
            if (place >= p.columns) continue;
            a[at * p.stride + place] = at <= place ? tile.x[c][i] * back : tile.x[c][i];
            reflectors[at * p.reflectors_stride + place] =
                at > place ? tile.x[c][i] : (at == place ? T(1) : T(0));
        }
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
