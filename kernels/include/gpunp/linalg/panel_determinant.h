// The determinant of a matrix, from the LU factors that the panels computed.
#pragma once
#include "gpunp/common/warp.h"
#include "gpunp/linalg/panel_params.h"
#include "gpunp/linalg/scalar.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace linalg {

// One block per matrix: the sign, including that of the row exchanges, and the logarithm of the absolute
// value.
template <class T>
__device__ void panel_determinant(const PanelDeterminantParams& p) {
    const int64_t matrix = blockIdx.x;
    const T* a = static_cast<const T*>(p.a) + matrix * p.a_step;
    const int t = threadIdx.x;
    double sum = 0;
    int negative = 0, zero = 0;  // parity of this thread's changes of sign; whether it found a zero
    for (int i = t; i < p.n; i += PANEL_THREADS) {
        const T x = a[(int64_t)i * p.stride + i];
        negative ^= x < 0;
        zero |= x == 0;
        sum += log(magnitude((double)x));
    }
    // After the moves of its rows, each panel has the parity of its exchanges.
    for (int i = t; i < p.panels; i += PANEL_THREADS)
        negative ^= p.moves[(matrix * p.panels + i) * PANEL_MOVES + 3 * PANEL_COLUMNS];
    __shared__ double sums[PANEL_THREADS / 32];
    sum = warp::sum(sum);
    if (t % 32 == 0) sums[t / 32] = sum;
    // Barriers with a reduction: all threads must reach each.
    const int odd = __syncthreads_count(negative) % 2, singular = __syncthreads_or(zero);
    if (t) return;
    for (int i = 1; i < PANEL_THREADS / 32; i++) sum += sums[i];
    static_cast<T*>(p.sign)[matrix] = singular ? T(0) : odd ? T(-1) : T(1);
    static_cast<T*>(p.logarithm)[matrix] = (T)sum;
}

}  // namespace linalg
}  // namespace gpunp
#endif
