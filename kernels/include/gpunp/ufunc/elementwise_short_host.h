// Short loops of elementwise kernels on the host: blocks of fused chains, and small arrays, whose operands
// mostly need neither a plan nor buffers. Included by elementwise_host.h.
#pragma once
#include "gpunp/common/host_words.h"
#include "gpunp/ufunc/elementwise_params.h"

// Out of line: shared by every functor.
#define GPUNP_SHARED __attribute__((noinline))

namespace gpunp {

constexpr int SHORT_LOOP = 1 << 15;  // elements of the longest one
constexpr int SHORT_ROW = 64;        // shorter rows share a piece of a longer loop
constexpr int SHORT_RUN = 256;       // elements that are computed at once, if an operand is a repeated value

// What a loop needs to know of a functor. Operands that it does not have have no bytes.
struct ShortLoop {
    void (*run)(const void* a, const void* b, const void* c, void* x, void* y, int64_t count,
                uint32_t* status);
    int nin, nout;
    int in_dtype[3], in_size[3], out_dtype[2], out_size[2];
};

template <class T>
constexpr int code_of() {
    if constexpr (size_of<T>() == 0)
        return -1;
    else
        return dtype_of<T>::value;
}

template <class W>
inline void repeat_word(void* to, const char* from, int64_t count) {
    W word;
    __builtin_memcpy(&word, from, sizeof word);
    for (int64_t i = 0; i < count; i++) static_cast<W*>(to)[i] = word;
}
GPUNP_SHARED inline void repeat_value(void* to, const char* from, int size, int64_t count) {
    switch (size) {
        case 1:
            return repeat_word<uint8_t>(to, from, count);
        case 2:
            return repeat_word<uint16_t>(to, from, count);
        case 4:
            return repeat_word<uint32_t>(to, from, count);
        case 8:
            return repeat_word<uint64_t>(to, from, count);
        default:
            for (int64_t i = 0; i < count; i++)
                __builtin_memcpy(static_cast<char*>(to) + i * size, from, size);
    }
}

// Whether all operands are of the functor's types and side by side in each row, or one value for each row.
inline bool is_short(const ElementwiseParams& p, const ShortLoop& loop) {
    if (p.size > SHORT_LOOP || p.ndim > 2 || p.mask) return false;
    const int last = p.ndim - 1;
    if (last > 0 && p.shape[0] > 1 && p.shape[1] < SHORT_ROW) return false;
    for (int k = 0; k < loop.nin; k++) {
        if (p.role[k] == SCALAR) continue;
        const int64_t stride = p.strides[k][last];
        if (p.dtype[k] != loop.in_dtype[k] || (stride != loop.in_size[k] && stride != 0)) return false;
    }
    for (int k = 0; k < loop.nout; k++) {
        const int at = loop.nin + k;
        if (p.dtype[at] != loop.out_dtype[k] || p.strides[at][last] != loop.out_size[k]) return false;
    }
    return true;
}

// Runs a short loop; false if this is none.
GPUNP_SHARED inline bool run_short(const ElementwiseParams& p, const ShortLoop& loop) {
    if (!is_short(p, loop)) return false;
    alignas(64) char repeated[3][SHORT_RUN * 16];
    const int last = p.ndim - 1;
    const int64_t columns = p.shape[last], rows = last > 0 ? p.shape[0] : 1;
    bool repeats = false;
    const char* in[3] = {repeated[0], repeated[1], repeated[2]};
    int step[3] = {};
    for (int k = 0; k < loop.nin; k++) {
        if (p.role[k] != SCALAR && p.strides[k][last] != 0)
            step[k] = loop.in_size[k];
        else
            repeats = true;
    }
    const int64_t run = repeats && columns > SHORT_RUN ? SHORT_RUN : columns;
    for (int64_t r = 0; r < rows; r++) {
        for (int k = 0; k < loop.nin; k++) {
            const char* row = p.role[k] == SCALAR ? (const char*)p.scalar[k]
                                                  : p.data[k] + (last > 0 ? r * p.strides[k][0] : 0);
            if (step[k])
                in[k] = row;
            else if (r == 0 || p.role[k] != SCALAR)
                repeat_value(repeated[k], row, loop.in_size[k], run);
        }
        char* x = p.data[loop.nin] + (last > 0 ? r * p.strides[loop.nin][0] : 0);
        // The functor writes nothing there if it has one output.
        char* y = repeated[0];
        if (loop.nout > 1) y = p.data[loop.nin + 1] + (last > 0 ? r * p.strides[loop.nin + 1][0] : 0);
        for (int64_t done = 0; done < columns; done += run) {
            loop.run(in[0] + done * step[0], in[1] + done * step[1], in[2] + done * step[2],
                     x + done * loop.out_size[0], y + done * loop.out_size[1],
                     columns - done < run ? columns - done : run, p.status);
        }
    }
    return true;
}

// The functor of numpy.where: of a condition and two values.
template <class F>
constexpr bool is_selection =
    F::nin == 3 && std::is_same_v<typename F::I0, bool> && !std::is_same_v<typename F::I1, bool> &&
    std::is_same_v<typename F::I1, typename F::I2> && std::is_same_v<typename F::I1, typename F::O0>;

// By masks: compilers would make a branch of it, which conditions without order mispredict.
template <class T>
inline void select_elements(T* x, const bool* conditions, const T* a, const T* b, int64_t count) {
    using W = typename host_word<sizeof(T)>::type;
    constexpr int WORDS = sizeof(T) / sizeof(W);
    W* to = reinterpret_cast<W*>(x);
    const W *first = reinterpret_cast<const W*>(a), *second = reinterpret_cast<const W*>(b);
    // Compilers vectorize neither conversions of bool nor the loop over words.
    const uint8_t* const condition = reinterpret_cast<const uint8_t*>(conditions);
    if constexpr (WORDS == 1) {
#pragma GCC ivdep
        for (int64_t i = 0; i < count; i++) {
            const W mask = (W)0 - (W)condition[i], other = second[i];
            to[i] = other ^ ((first[i] ^ other) & mask);
        }
        return;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < count; i++) {
        const W mask = (W)0 - (W)condition[i];
        for (int k = 0; k < WORDS; k++) {
            const W other = second[i * WORDS + k];
            to[i * WORDS + k] = other ^ ((first[i * WORDS + k] ^ other) & mask);
        }
    }
}

// A function that computes element i.
template <class F, class A, class B, class C, class X, class Y>
inline auto element_of(const A* a, const B* b, const C* c, X* x, Y* y, uint32_t* status) {
    return [=](int64_t i) __attribute__((always_inline)) {
        // Not the step into the array: `none` has no memory for a piece of any size.
        constexpr int STEP_A = size_of<A>() != 0, STEP_B = size_of<B>() != 0, STEP_C = size_of<C>() != 0,
                      STEP_X = size_of<X>() != 0, STEP_Y = size_of<Y>() != 0;
        operand_t<F, X> r;
        operand_t<F, Y> s;
        F::apply(from_stored(a[i * STEP_A], tag<operand_t<F, A>>{}),
                 from_stored(b[i * STEP_B], tag<operand_t<F, B>>{}),
                 from_stored(c[i * STEP_C], tag<operand_t<F, C>>{}), r, s, status);
        x[i * STEP_X] = store_value(tag<X>{}, r);
        y[i * STEP_Y] = store_value(tag<Y>{}, s);
    };
}

// Contiguous elements. Outputs that overlap inputs have the same elements in the same places: the engine
// copies others.
template <class F, class Block, class A, class B, class C, class X, class Y>
GPUNP_SHARED void run_elements(const A* a, const B* b, const C* c, X* x, Y* y, int64_t count,
                               uint32_t* status) {
    if constexpr (Block::exists) {
        Block::run(a, b, x, count);
    } else if constexpr (is_selection<F>) {
        select_elements(x, a, b, c, count);
    } else {
        const auto one = element_of<F>(a, b, c, x, y, status);
#pragma GCC ivdep
        for (int64_t i = 0; i < count; i++) one(i);
    }
}

template <class F, class Block>
constexpr ShortLoop short_loop() {
    using A = typename F::I0;
    using B = typename F::I1;
    using C = typename F::I2;
    using X = typename F::O0;
    using Y = typename F::O1;
    return {
        [](const void* a, const void* b, const void* c, void* x, void* y, int64_t count, uint32_t* status) {
            run_elements<F, Block>((const A*)a, (const B*)b, (const C*)c, (X*)x, (Y*)y, count, status);
        },
        F::nin,
        F::nout,
        {code_of<A>(), code_of<B>(), code_of<C>()},
        {size_of<A>(), size_of<B>(), size_of<C>()},
        {code_of<X>(), code_of<Y>()},
        {size_of<X>(), size_of<Y>()}};
}

}  // namespace gpunp
