// Networks that sort and merge lists of keys in registers, of any lengths. What nobody reads of a result, the
// compiler leaves out.
#pragma once
#include "gpunp/config.h"

namespace gpunp {
namespace ndimage {

GPUNP_HD uint32_t lesser_key(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
GPUNP_HD uint32_t greater_key(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// Batcher's merge of two sorted lists: those of their even and of their odd places are merged, then
// neighbours of both are compared.
template <int M, int N>
GPUNP_HD void merge_network(const uint32_t* a, const uint32_t* b, uint32_t* out) {
    if constexpr (M == 0 || N == 0) {
        GPUNP_UNROLL
        for (int i = 0; i < M + N; i++) out[i] = M == 0 ? b[i] : a[i];
    } else if constexpr (M == 1 && N == 1) {
        out[0] = lesser_key(a[0], b[0]);
        out[1] = greater_key(a[0], b[0]);
    } else {
        constexpr int even_m = (M + 1) / 2, odd_m = M / 2, even_n = (N + 1) / 2, odd_n = N / 2;
        constexpr int evens = even_m + even_n, odds = odd_m + odd_n;
        uint32_t even_a[even_m], odd_a[odd_m + 1], even_b[even_n], odd_b[odd_n + 1], even[evens],
            odd[odds + 1];
        GPUNP_UNROLL
        for (int i = 0; i < even_m; i++) even_a[i] = a[2 * i];
        GPUNP_UNROLL
        for (int i = 0; i < odd_m; i++) odd_a[i] = a[2 * i + 1];
        GPUNP_UNROLL
        for (int i = 0; i < even_n; i++) even_b[i] = b[2 * i];
        GPUNP_UNROLL
        for (int i = 0; i < odd_n; i++) odd_b[i] = b[2 * i + 1];
        merge_network<even_m, even_n>(even_a, even_b, even);
        merge_network<odd_m, odd_n>(odd_a, odd_b, odd);
        constexpr int compared = evens == odds ? odds - 1 : odds;
        out[0] = even[0];
        GPUNP_UNROLL
        for (int i = 0; i < compared; i++) {
            out[2 * i + 1] = lesser_key(odd[i], even[i + 1]);
            out[2 * i + 2] = greater_key(odd[i], even[i + 1]);
        }
        if constexpr (evens == odds) out[M + N - 1] = odd[odds - 1];
        if constexpr (evens == odds + 2) out[M + N - 1] = even[evens - 1];
    }
}

template <int N>
GPUNP_HD void sort_network(uint32_t* v) {
    if constexpr (N > 1) {
        constexpr int half = N / 2;
        uint32_t a[half], b[N - half];
        GPUNP_UNROLL
        for (int i = 0; i < half; i++) a[i] = v[i];
        GPUNP_UNROLL
        for (int i = 0; i < N - half; i++) b[i] = v[half + i];
        sort_network<half>(a);
        sort_network<N - half>(b);
        merge_network<half, N - half>(a, b, v);
    }
}

}  // namespace ndimage
}  // namespace gpunp
