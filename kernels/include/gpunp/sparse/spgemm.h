// Products of two arrays of compressed rows.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/sparse/rows.h"
#include "gpunp/sparse/spgemm_params.h"
#if GPUNP_ON_DEVICE
#include "gpunp/common/block.h"
#endif

namespace gpunp {
namespace sparse {

template <class T>
GPUNP_HD bool is_zero(T a) {
    return a == 0;
}
template <class T>
GPUNP_HD bool is_zero(complex<T> a) {
    return a.re == 0 && a.im == 0;
}

template <class T, class I>
struct Spgemm {
    static constexpr int SLOTS = sizeof(T) > 8 ? SPGEMM_SLOTS / 2 : SPGEMM_SLOTS;
    static constexpr uint64_t NONE = ~0ull;
    static constexpr uint64_t NUMBER = (1u << SPGEMM_SHIFT) - 1;
    const SpgemmParams& p;

    GPUNP_HD explicit Spgemm(const SpgemmParams& params) : p(params) {}

    GPUNP_HD int64_t first(int64_t row) const { return (int64_t)((const I*)p.a_indptr)[row]; }

    // The number of products of a row.
    GPUNP_HD int64_t products(int64_t row) const { return p.before[first(row + 1)] - p.before[first(row)]; }

    // A product of a row: the column of the result, and the value.
    GPUNP_HD int64_t column(int64_t row, int64_t number, T* value) const {
        const int64_t place = p.before[first(row)] + number;
        int64_t low = first(row), high = first(row + 1) - 1;
        while (low < high) {
            const int64_t middle = low + (high - low + 1) / 2;
            if (p.before[middle] <= place)
                low = middle;
            else
                high = middle - 1;
        }
        const int64_t inner = (int64_t)((const I*)p.a_indices)[low];
        const int64_t other = (int64_t)((const I*)p.b_indptr)[inner] + (place - p.before[low]);
        if (p.indices) *value = plus_product(T{}, ((const T*)p.a_data)[low], ((const T*)p.b_data)[other]);
        return (int64_t)((const I*)p.b_indices)[other];
    }

    GPUNP_HD void store(int64_t row, int64_t rank, int64_t column, T total) const {
        const int64_t to = p.indptr[row] + rank;
        ((I*)p.indices)[to] = (I)column;
        ((T*)p.data)[to] = total;
        if (is_zero(total)) *p.zeros = 1;
    }
};

#if GPUNP_ON_DEVICE

// Sorts each run of `slots` keys.
template <int SLOTS>
__device__ __forceinline__ void sort_slots(uint64_t* keys, int slots) {
    for (int size = 2; size <= slots; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
#pragma unroll
            for (int m = 0; m < SLOTS / 2; m += SPGEMM_BLOCK) {
                const int pair = m + threadIdx.x;
                const int low = 2 * distance * (pair / distance) + pair % distance, high = low + distance;
                const uint64_t a = keys[low], b = keys[high];
                const bool rising = (low & size) == 0 || size == slots;
                if ((a > b) == rising) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
            // A warp has 64 neighbors as long as pairs are at most 32 apart.
            if (distance <= 32 && (distance > 1 || size <= 32))
                __syncwarp();
            else
                __syncthreads();
        }
    }
    __syncthreads();
}

template <class T, class I>
__device__ __forceinline__ void spgemm(const SpgemmParams& p) {
    using Work = Spgemm<T, I>;
    constexpr int SLOTS = Work::SLOTS, EACH = SLOTS / SPGEMM_BLOCK;
    __shared__ uint64_t keys[SLOTS];
    __shared__ __align__(16) char memory[SLOTS * sizeof(T)];
    __shared__ int of_warps[SPGEMM_BLOCK / 32];
    __shared__ int heads_before[SPGEMM_BLOCK + 1];
    T* values = (T*)memory;
    const Work work(p);
    const int slots = (int)p.slots, rows = SLOTS / slots;
    const int64_t start = (int64_t)blockIdx.x * rows;
    for (int slot = threadIdx.x; slot < SLOTS; slot += SPGEMM_BLOCK) {
        const int64_t place = start + slot / slots;
        const int number = slot & (slots - 1);
        uint64_t key = Work::NONE;
        if (place < p.count) {
            const int64_t row = p.rows[place];
            if (number < work.products(row))
                key = (uint64_t)work.column(row, number, values + slot) << SPGEMM_SHIFT | (unsigned)number;
        }
        keys[slot] = key;
    }
    __syncthreads();
    sort_slots<SLOTS>(keys, slots);
    // The first product of each column; a thread looks at neighbors, which are of one row.
    const int base = threadIdx.x * EACH, origin = base & ~(slots - 1);
    unsigned heads = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint64_t key = keys[base + i];
        const bool is_head = key != Work::NONE && (base + i == origin ||
                                                   keys[base + i - 1] >> SPGEMM_SHIFT != key >> SPGEMM_SHIFT);
        heads |= (unsigned)is_head << i;
    }
    int total;
    const int before = block::exclusive_sum<SPGEMM_BLOCK>(__popc(heads), of_warps, total);
    heads_before[threadIdx.x] = before;
    if (threadIdx.x == 0) heads_before[SPGEMM_BLOCK] = total;
    __syncthreads();
    const int64_t place = start + origin / slots;
    if (place >= p.count) return;
    const int64_t row = p.rows[place];
    const int of_row = heads_before[origin / EACH];
    if (!p.indices) {
        if (base == origin) p.lengths[row] = heads_before[(origin + slots) / EACH] - of_row;
        return;
    }
    int rank = before - of_row;
    for (; heads; heads &= heads - 1, rank++) {
        int slot = base + __ffs((int)heads) - 1;
        const uint64_t column = keys[slot] >> SPGEMM_SHIFT;
        T sum = values[origin + (int)(keys[slot] & Work::NUMBER)];
        for (slot++; slot < origin + slots && keys[slot] >> SPGEMM_SHIFT == column; slot++)
            sum = plus(sum, values[origin + (int)(keys[slot] & Work::NUMBER)]);
        work.store(row, rank, (int64_t)column, sum);
    }
}

#define GPUNP_SPGEMM(name, ...)                                                \
    extern "C" __global__ void __launch_bounds__(::gpunp::SPGEMM_BLOCK)        \
        sparse_spgemm_##name(const __grid_constant__::gpunp::SpgemmParams p) { \
        ::gpunp::sparse::spgemm<__VA_ARGS__>(p);                               \
    }

#else

template <class T, class I>
void spgemm(const void* params) {
    using Work = Spgemm<T, I>;
    const SpgemmParams& p = *static_cast<const SpgemmParams*>(params);
    const Work work(p);
    uint64_t keys[Work::SLOTS];
    T values[Work::SLOTS];
    for (int64_t i = 0; i < p.count; i++) {
        const int64_t row = p.rows[i];
        const int count = (int)work.products(row);
        // Insertion keeps the order of the products of a column.
        for (int number = 0; number < count; number++) {
            const uint64_t key =
                (uint64_t)work.column(row, number, values + number) << SPGEMM_SHIFT | (unsigned)number;
            int at = number;
            for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
            keys[at] = key;
        }
        int64_t rank = 0;
        for (int at = 0; at < count; rank++) {
            const uint64_t column = keys[at] >> SPGEMM_SHIFT;
            T sum = values[keys[at] & Work::NUMBER];
            for (at++; at < count && keys[at] >> SPGEMM_SHIFT == column; at++)
                sum = plus(sum, values[keys[at] & Work::NUMBER]);
            if (p.indices) work.store(row, rank, (int64_t)column, sum);
        }
        if (!p.indices) p.lengths[row] = rank;
    }
}

#define GPUNP_SPGEMM(name, ...) \
    GPUNP_HOST_KERNEL(sparse_spgemm_##name, (::gpunp::sparse::spgemm<__VA_ARGS__>));

#endif

}  // namespace sparse
}  // namespace gpunp
