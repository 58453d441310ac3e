// Warp primitives: exchange of values between lanes, votes, reductions and prefix sums.
//
// All 32 lanes must take part in every call, unless a mask names those that do.
#pragma once
#include "gpunp/config.h"

#if GPUNP_ON_DEVICE
namespace gpunp {
namespace warp {

constexpr int LANES = 32;
constexpr unsigned ALL = ~0u;

// Mask of the lanes before this one.
__device__ __forceinline__ unsigned lanes_before(int lane) {
    return (1u << lane) - 1;
}

// Moves a value of any type between lanes, word by word.
template <class T, class Move>
__device__ __forceinline__ T move_words(T value, Move move) {
    if constexpr (sizeof(T) < 4) {
        uint32_t word = 0;
        __builtin_memcpy(&word, &value, sizeof(T));
        word = move(word);
        __builtin_memcpy(&value, &word, sizeof(T));
    } else {
        static_assert(sizeof(T) % 4 == 0, "whole words");
        uint32_t words[sizeof(T) / 4];
        __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
        for (int i = 0; i < (int)(sizeof(T) / 4); i++) words[i] = move(words[i]);
        __builtin_memcpy(&value, words, sizeof(T));
    }
    return value;
}
// The value of one lane.
template <class T>
__device__ __forceinline__ T shuffle(T value, int lane, unsigned lanes = ALL) {
    return move_words(value, [=](uint32_t word) { return __shfl_sync(lanes, word, lane); });
}
// The same for a float or double, by the intrinsic of its type. With `shuffle`, nvcc puts the words of many
// doubles of the Cholesky kernel into registers in the wrong order, and swaps them by further instructions.
template <class T>
__device__ __forceinline__ T shuffle_number(T value, int lane) {
    return __shfl_sync(ALL, value, lane);
}
// The value of the lane `distance` before this one; the first lanes keep theirs.
template <class T>
__device__ __forceinline__ T shuffle_up(T value, int distance) {
    return move_words(value, [=](uint32_t word) { return __shfl_up_sync(ALL, word, distance); });
}
// The value of the lane `distance` after this one, in groups of `width` lanes; the last lanes keep theirs.
template <class T>
__device__ __forceinline__ T shuffle_down(T value, int distance, int width = LANES) {
    return move_words(value, [=](uint32_t word) { return __shfl_down_sync(ALL, word, distance, width); });
}
// The value of the lane whose number differs in the bits of `flip`.
template <class T>
__device__ __forceinline__ T shuffle_xor(T value, int flip, unsigned lanes = ALL) {
    return move_words(value, [=](uint32_t word) { return __shfl_xor_sync(lanes, word, flip); });
}
// The intrinsic for doubles costs kernels with many doubles fewer registers than moving two words.
__device__ __forceinline__ double shuffle_xor(double value, int flip, unsigned lanes = ALL) {
    return __shfl_xor_sync(lanes, value, flip);
}

// Mask of the lanes where the predicate holds.
__device__ __forceinline__ unsigned ballot(bool holds, unsigned lanes = ALL) {
    return __ballot_sync(lanes, holds);
}
__device__ __forceinline__ bool any(bool holds) {
    return __any_sync(ALL, holds);
}
__device__ __forceinline__ bool all(bool holds) {
    return __all_sync(ALL, holds);
}
// Mask of the lanes that are active at this point.
__device__ __forceinline__ unsigned active() {
    return __activemask();
}
// Mask of the lanes that have the same value as this one.
template <class T>
__device__ __forceinline__ unsigned match(T value, unsigned lanes = ALL) {
    return __match_any_sync(lanes, value);
}

// Every lane gets the values of its group of WIDTH lanes reduced by `combine`, always in the same order.
template <int WIDTH = LANES, class T, class Combine>
__device__ __forceinline__ T fold(T value, Combine combine) {
#pragma unroll
    for (int distance = WIDTH / 2; distance; distance /= 2)
        value = combine(value, shuffle_xor(value, distance));
    return value;
}
template <int WIDTH = LANES, class T>
__device__ __forceinline__ T sum(T value) {
    return fold<WIDTH>(value, [](T a, T b) { return a + b; });
}
template <int WIDTH = LANES, class T>
__device__ __forceinline__ T least(T value) {
    return fold<WIDTH>(value, [](T a, T b) { return b < a ? b : a; });
}
template <int WIDTH = LANES, class T>
__device__ __forceinline__ T greatest(T value) {
    return fold<WIDTH>(value, [](T a, T b) { return b > a ? b : a; });
}
template <class T>
__device__ __forceinline__ T bitwise_or(T value) {
    return fold(value, [](T a, T b) { return a | b; });
}

// Reductions of 32-bit words take one instruction from compute capability 8.0 on.
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ uint32_t sum_of_words(uint32_t value) {
    return __reduce_add_sync(ALL, value);
}
template <class T>
__device__ __forceinline__ T least_word(T value) {
    return __reduce_min_sync(ALL, value);
}
template <class T>
__device__ __forceinline__ T greatest_word(T value) {
    return __reduce_max_sync(ALL, value);
}
#else
__device__ __forceinline__ uint32_t sum_of_words(uint32_t value) {
    return sum(value);
}
template <class T>
__device__ __forceinline__ T least_word(T value) {
    return least(value);
}
template <class T>
__device__ __forceinline__ T greatest_word(T value) {
    return greatest(value);
}
#endif

// Inclusive prefix reduction by `combine`, over the lanes up to this one.
template <class T, class Combine>
__device__ __forceinline__ T inclusive_scan(T value, int lane, Combine combine) {
#pragma unroll
    for (int distance = 1; distance < LANES; distance *= 2) {
        const T before = shuffle_up(value, distance);
        if (lane >= distance) value = combine(before, value);
    }
    return value;
}
template <class T>
__device__ __forceinline__ T inclusive_sum(T value, int lane) {
    return inclusive_scan(value, lane, [](T before, T own) { return before + own; });
}
template <class T>
__device__ __forceinline__ T exclusive_sum(T value, int lane) {
    return inclusive_sum(value, lane) - value;
}

}  // namespace warp
}  // namespace gpunp
#endif
