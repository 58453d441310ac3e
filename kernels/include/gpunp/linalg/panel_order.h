// LU factors in LAPACK's form, from those that the panels left: the row exchanges of later panels reach the
// columns of earlier ones.
#pragma once
#include "gpunp/linalg/panel_params.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// One block per matrix: for each panel, where the rows come from in the exchanges after it, and LAPACK's
// swaps for all exchanges.
__device__ inline void panel_order(const PanelOrderParams& p) {
    __shared__ uint16_t sources[PANEL_ORDER_ROWS], rows[PANEL_ORDER_ROWS], places[PANEL_ORDER_ROWS];
    const int64_t matrix = blockIdx.x;
    const int n = p.n, panels = (n + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
    const int32_t* moves = p.moves + matrix * panels * PANEL_MOVES;
    int32_t* order = p.order + matrix * panels * n;
    // rows[i]: the place, after the exchanges of this panel, of the row that ends at i.
    for (int i = threadIdx.x; i < n; i += blockDim.x) rows[i] = (uint16_t)i, sources[i] = (uint16_t)i;
    for (int panel = panels - 1; panel >= 0; panel--) {
        const int at = panel * PANEL_COLUMNS, width = min((int)PANEL_COLUMNS, n - at);
        const int32_t* own = moves + panel * PANEL_MOVES;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) order[(int64_t)panel * n + i] = rows[i];
        for (int t = threadIdx.x; t < width; t += blockDim.x) {
            sources[at + t] = (uint16_t)(at + own[t]);
            const int to = own[PANEL_COLUMNS + 2 * t];
            if (to >= 0) sources[at + to] = (uint16_t)(at + own[PANEL_COLUMNS + 2 * t + 1]);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) rows[i] = sources[rows[i]];
        __syncthreads();
        // Other panels leave these rows where they are.
        for (int t = threadIdx.x; t < width; t += blockDim.x) {
            sources[at + t] = (uint16_t)(at + t);
            const int to = own[PANEL_COLUMNS + 2 * t];
            if (to >= 0) sources[at + to] = (uint16_t)(at + to);
        }
    }
    __syncthreads();
    // `rows` is the order of all exchanges. Each swap brings the wanted row to its place.
    for (int i = threadIdx.x; i < n; i += blockDim.x) sources[i] = places[i] = (uint16_t)i;
    __syncthreads();
    if (threadIdx.x) return;
    int32_t* swaps = p.swaps + matrix * n;
    for (int k = 0; k < n; k++) {
        const int wanted = rows[k], from = places[wanted], displaced = sources[k];
        swaps[k] = from;
        sources[from] = (uint16_t)displaced;
        places[displaced] = (uint16_t)from;
    }
}

// Copies the factors, with the rows of each panel's columns as later panels ordered them.
template <class T>
__device__ void panel_gather(const PanelOrderParams& p) {
    const int panels = (p.n + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
    const int64_t size = (int64_t)p.n * p.n;
    for (int64_t matrix = blockIdx.y; matrix < p.batch; matrix += gridDim.y) {
        const T* a = static_cast<const T*>(p.a) + matrix * size;
        T* out = static_cast<T*>(p.out) + matrix * size;
        const int32_t* order = p.order + matrix * panels * p.n;
        for (int64_t row = blockIdx.x; row < p.n; row += gridDim.x)
            for (int j = threadIdx.x; j < p.n; j += blockDim.x) {
                const int64_t source = order[(int64_t)(j / PANEL_COLUMNS) * p.n + row];
                out[row * p.n + j] = a[source * p.n + j];
            }
    }
}

}  // namespace linalg
}  // namespace gpunp
#endif
