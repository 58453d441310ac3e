// Matrices with constant diagonals or antidiagonals: Toeplitz, circulant and Hankel matrices.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/kernel.h"
#include "gpunp/linalg/windows_params.h"

namespace gpunp {
namespace windows {

// 16 bytes.
struct alignas(16) Wide {
    uint64_t words[2];
};

template <class T>
GPUNP_HD T element(const WindowsParams& p, int64_t batch, int64_t i, int64_t j) {
    const int64_t k = j + p.step * i;
    return k < p.split ? static_cast<const T*>(p.first)[batch * p.first_batch + k * p.first_step]
                       : static_cast<const T*>(p.second)[batch * p.second_batch + k * p.second_step];
}

#if GPUNP_ON_DEVICE
template <class T>
struct alignas(sizeof(T) * WINDOWS_ITEMS < 16 ? sizeof(T) * WINDOWS_ITEMS : 16) Items {
    T at[WINDOWS_ITEMS];
};

template <class T>
__device__ __forceinline__ void fill(const WindowsParams& p) {
    const int64_t j = ((int64_t)blockIdx.x * WINDOWS_BLOCK + threadIdx.x) * WINDOWS_ITEMS;
    if (j >= p.columns) return;
    T* out = static_cast<T*>(p.out);
    const bool whole = p.columns % WINDOWS_ITEMS == 0;
    const int64_t rows = p.batch * p.rows, step = (int64_t)gridDim.y * WINDOWS_ROWS;
    for (int64_t first = (int64_t)blockIdx.y * WINDOWS_ROWS; first < rows; first += step) {
        const int64_t end = first + WINDOWS_ROWS < rows ? first + WINDOWS_ROWS : rows;
        for (int64_t row = first; row < end; row++) {
            const int64_t batch = p.batch == 1 ? 0 : row / p.rows, i = row - batch * p.rows;
            Items<T> items;
#pragma unroll
            for (int l = 0; l < WINDOWS_ITEMS; l++)
                if (whole || j + l < p.columns) items.at[l] = element<T>(p, batch, i, j + l);
            if (whole) {
                *reinterpret_cast<Items<T>*>(out + row * p.columns + j) = items;
            } else {
#pragma unroll
                for (int l = 0; l < WINDOWS_ITEMS; l++)
                    if (j + l < p.columns) out[row * p.columns + j + l] = items.at[l];
            }
        }
    }
}

#define GPUNP_WINDOWS(name, T)                                            \
    extern "C" __global__ void __launch_bounds__(::gpunp::WINDOWS_BLOCK)  \
        windows_##name(const __grid_constant__::gpunp::WindowsParams p) { \
        ::gpunp::windows::fill<T>(p);                                     \
    }
#else
template <class T>
void fill(const void* params) {
    const WindowsParams& p = *static_cast<const WindowsParams*>(params);
    parallel_for(p.batch * p.rows, grain_of(p.columns), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            T* out = static_cast<T*>(p.out) + row * p.columns;
            for (int64_t j = 0; j < p.columns; j++) out[j] = element<T>(p, row / p.rows, row % p.rows, j);
        }
    });
}

#define GPUNP_WINDOWS(name, T) GPUNP_HOST_KERNEL(windows_##name, ::gpunp::windows::fill<T>);
#endif

}  // namespace windows
}  // namespace gpunp
