// Sums over the observations of each code. No sum is shared by threads, so that its order is always the same.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/spatial/code_sums_params.h"

namespace gpunp {
namespace spatial {

// What an observation adds to the sum of a column: the last one counts.
GPUNP_HD double part_of(const CodeSumsParams& p, int64_t row, int64_t column) {
    return column + 1 < p.width ? p.x[row * p.row_stride + column] : 1;
}

#if GPUNP_ON_DEVICE
__device__ __forceinline__ void code_sums(const CodeSumsParams& p) {
    extern __shared__ double sums[];
    const int64_t size = p.k * p.width, all = (int64_t)gridDim.x * p.groups;
    const int group = threadIdx.x / p.lanes, lane = threadIdx.x % p.lanes;
    for (int64_t i = threadIdx.x; i < size * p.groups; i += blockDim.x) sums[i] = 0;
    __syncthreads();
    double* own = sums + group * size;
    for (int64_t row = (int64_t)blockIdx.x * p.groups + group; row < p.n; row += all) {
        double* of_code = own + (int64_t)p.code[row] * p.width;
        for (int64_t c = lane; c < p.width; c += p.lanes) of_code[c] += part_of(p, row, c);
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) {
        double sum = sums[i];
        for (int g = 1; g < p.groups; g++) sum += sums[g * size + i];
        p.out[(int64_t)blockIdx.x * size + i] = sum;
    }
}
#define GPUNP_CODE_SUMS                                               \
    extern "C" __global__ void __launch_bounds__(::gpunp::SUMS_BLOCK) \
        code_sums(const __grid_constant__::gpunp::CodeSumsParams p) { \
        ::gpunp::spatial::code_sums(p);                               \
    }
#else
inline void code_sums(const void* params) {
    const CodeSumsParams& p = *static_cast<const CodeSumsParams*>(params);
    for (int64_t i = 0; i < p.k * p.width; i++) p.out[i] = 0;
    for (int64_t row = 0; row < p.n; row++) {
        double* of_code = p.out + (int64_t)p.code[row] * p.width;
        for (int64_t c = 0; c < p.width; c++) of_code[c] += part_of(p, row, c);
    }
}
#define GPUNP_CODE_SUMS GPUNP_HOST_KERNEL(code_sums, ::gpunp::spatial::code_sums);
#endif

}  // namespace spatial
}  // namespace gpunp
