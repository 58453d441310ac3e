// Uniform and normal floats and integers with scalar parameters: two or four elements per 128-bit block.
#pragma once
#include "gpunp/common/host_pool.h"
#include "gpunp/common/loop_params.h"
#include "gpunp/common/vector.h"
#include "gpunp/random/math.h"

namespace gpunp {
namespace random {

// In [low, low + scale): 24 bits times the scale, spaced as in NumPy.
struct UniformSingle {
    using type = float;
    static constexpr int COUNT = 4;
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t, type* v) {
        const float low = (float)p.low, scale = (float)p.scale * 0x1p-24f;
        v[0] = (float)(int32_t)(w.a >> 8) * scale + low;
        v[1] = (float)(int32_t)(w.b >> 8) * scale + low;
        v[2] = (float)(int32_t)(w.c >> 8) * scale + low;
        v[3] = (float)(int32_t)(w.d >> 8) * scale + low;
    }
};

// In [low, low + scale): 53 bits times the scale.
struct UniformDouble {
    using type = double;
    static constexpr int COUNT = 2;
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t, type* v) {
        v[0] = p.low + p.scale * ((double)(int64_t)(join(w.a, w.b) >> 11) * 0x1p-53);
        v[1] = p.low + p.scale * ((double)(int64_t)(join(w.c, w.d) >> 11) * 0x1p-53);
    }
};

// Box-Muller method in float: one word for the radius, one for the angle. STANDARD: mean 0, standard
// deviation 1.
template <bool STANDARD>
struct NormalSingleFill {
    using type = float;
    static constexpr int COUNT = 4;

    // A word shifted left until its high bit is set, with half a unit appended, and the shift.
    struct Normalized {
        uint32_t mantissa, zeros;
    };
    GPUNP_HD static Normalized normalize(uint32_t word) {
        const uint32_t zeros = leading_zeros(word);
#if defined(__CUDA_ARCH__)
        return {__funnelshift_l(0x80000000u, word, zeros), zeros};
#else
        return {(uint32_t)((((uint64_t)word << 32 | 0x80000000u) << zeros) >> 32), zeros};
#endif
    }
    GPUNP_HD static Normalized normalize_wide(uint32_t word, uint32_t more) {
        const uint64_t bits = (uint64_t)word << 32 | more | 1;
        const uint32_t zeros = leading_zeros(bits);
        return {(uint32_t)((bits << zeros) >> 32), zeros};
    }

    // The square root, rounded correctly if the argument is not extreme: sqrt without its range checks.
    GPUNP_HD static float root(float x) {
#if defined(__CUDA_ARCH__)
        float y;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        const float g = x * y, h = 0.5f * y;
        return __fmaf_rn(__fmaf_rn(-g, g, x), h, g);
#else
        return __builtin_sqrtf(x);
#endif
    }

    // -2 log(u) for u = mantissa / 2^(32 + zeros).
    GPUNP_HD static float squared_radius(Normalized u) {
        // 1 + t is in [1/2, 1): as a signed integer, the mantissa already has 2^32 subtracted.
        const float t = (float)(int32_t)u.mantissa * 0x1p-32f;
        const float q = log_single(t);
        return multiply_add(q, t, (float)(int32_t)u.zeros * 1.38629436f);
    }

    GPUNP_HD static void make_pair(const RandomFillParams& p, Normalized u, uint32_t angle, type* v) {
        float radius = root(squared_radius(u));
        const float x = (float)(int32_t)(angle * 4u + 2u) * (float)(PI / 4 * 0x1p-31);
        const float z = x * x;
        const float s = multiply_add(sine_rest_single(z), x * z, x);
        float c = multiply_add(cosine_rest_single(z), z, -0.5f);
        c = multiply_add(c, z, 1.0f);
#if defined(__CUDA_ARCH__)
        c = __uint_as_float(__float_as_uint(c) ^ (angle << 1 & 0x80000000u));
#else
        if (angle & 0x40000000u) c = -c;
#endif
        const float first = angle & 0x80000000u ? s : c, second = angle & 0x80000000u ? c : s;
        if (STANDARD) {
            v[0] = first * radius;
            v[1] = second * radius;
        } else {
            radius *= (float)p.scale;
            v[0] = multiply_add(first, radius, (float)p.low);
            v[1] = multiply_add(second, radius, (float)p.low);
        }
    }

    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t block, type* v) {
        Normalized first = normalize(w.a), second = normalize(w.c);
        if ((w.a < w.c ? w.a : w.c) < 4096) {
            // Twice per million blocks: more bits, which extend the tail of the distribution.
            const Words more = more_words(p.stream, block, 1);
            if (w.a < 4096) first = normalize_wide(w.a, more.a);
            if (w.c < 4096) second = normalize_wide(w.c, more.b);
        }
        make_pair(p, first, w.b, v);
        make_pair(p, second, w.d, v + 2);
    }
};

using NormalSingle = NormalSingleFill<false>;
using StandardNormalSingle = NormalSingleFill<true>;

struct NormalDouble {
    using type = double;
    static constexpr int COUNT = 2;
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t, type* v) {
        const double radius = normal_radius(join(w.a, w.b)) * p.scale;
        const SineCosine direction = sine_cosine(join(w.c, w.d));
        v[0] = radius * direction.cosine + p.low;
        v[1] = radius * direction.sine + p.low;
    }
};

// Unbiased integers of up to 32 bits from words of 32 bits (Lemire, 2019).
template <class T>
struct Integers {
    using type = T;
    static constexpr int COUNT = 4;

    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t block, type* v) {
        const uint32_t range = (uint32_t)p.range, threshold = (uint32_t)p.threshold,
                       first = (uint32_t)p.first;
        uint32_t x[4] = {w.a, w.b, w.c, w.d};
        if (range) {
            uint64_t product[4];
            bool again = false;
            for (int i = 0; i < 4; i++) {
                product[i] = (uint64_t)x[i] * range;
                again |= (uint32_t)product[i] < threshold;
            }
            // Every attempt draws for the whole block; elements already accepted are kept.
            for (uint32_t attempt = 1; again; attempt++) {
                const Words more = more_words(p.stream, block, attempt);
                const uint32_t y[4] = {more.a, more.b, more.c, more.d};
                again = false;
                for (int i = 0; i < 4; i++) {
                    if ((uint32_t)product[i] < threshold) product[i] = (uint64_t)y[i] * range;
                    again |= (uint32_t)product[i] < threshold;
                }
            }
            for (int i = 0; i < 4; i++) x[i] = (uint32_t)(product[i] >> 32);
        }
        for (int i = 0; i < 4; i++) v[i] = (T)(first + x[i]);
    }
};

// The same from words of 64 bits.
template <>
struct Integers<uint64_t> {
    using type = uint64_t;
    static constexpr int COUNT = 2;

    struct Product {
        uint64_t high, low;
    };
    GPUNP_HD static Product multiply(uint64_t word, uint64_t range) {
        if (range >> 32) return {high_product(word, range), word * range};
        const uint32_t factor = (uint32_t)range;
        const uint64_t low = (uint64_t)(uint32_t)word * factor;
        const uint64_t high = (word >> 32) * factor + (low >> 32);
        return {high >> 32, high << 32 | (uint32_t)low};
    }
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t block, type* v) {
        const uint64_t range = p.range, threshold = p.threshold;
        uint64_t x = join(w.a, w.b), y = join(w.c, w.d);
        if (range) {
            Product a = multiply(x, range), b = multiply(y, range);
            for (uint32_t attempt = 1; a.low < threshold || b.low < threshold; attempt++) {
                const Words more = more_words(p.stream, block, attempt);
                if (a.low < threshold) a = multiply(join(more.a, more.b), range);
                if (b.low < threshold) b = multiply(join(more.c, more.d), range);
            }
            x = a.high;
            y = b.high;
        }
        v[0] = p.first + x;
        v[1] = p.first + y;
    }
};

template <class Fill>
using Batch = Vector<typename Fill::type, Fill::COUNT>;

#if GPUNP_ON_DEVICE
template <class Fill, bool GIVEN>
__device__ __forceinline__ void fill_blocks(const RandomFillParams& p) {
    using T = typename Fill::type;
    constexpr int COUNT = Fill::COUNT;
    T* out = static_cast<T*>(p.out);
    const int64_t blocks = (p.size + COUNT - 1) / COUNT;
    // An output given by the caller may start anywhere.
    const int64_t whole = (uintptr_t)out % sizeof(Batch<Fill>) == 0 ? p.size / COUNT : 0;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if constexpr (!GIVEN) {
        // Two blocks at a time, so that their chains of multiplications overlap.
        for (; i + stride < whole; i += 2 * stride) {
            const Words w0 = philox_rounds(counter_of(p.stream, i), p.round_keys);
            const Words w1 = philox_rounds(counter_of(p.stream, i + stride), p.round_keys);
            Batch<Fill> b0, b1;
            Fill::make(p, w0, i, b0.at);
            Fill::make(p, w1, i + stride, b1.at);
            reinterpret_cast<Batch<Fill>*>(out)[i] = b0;
            reinterpret_cast<Batch<Fill>*>(out)[i + stride] = b1;
        }
    }
    for (; i < blocks; i += stride) {
        const Words w =
            GIVEN ? given_words(p.stream, i) : philox_rounds(counter_of(p.stream, i), p.round_keys);
        Batch<Fill> batch;
        Fill::make(p, w, i, batch.at);
        if (i < whole) {
            reinterpret_cast<Batch<Fill>*>(out)[i] = batch;
        } else {
#pragma unroll
            for (int j = 0; j < COUNT; j++)
                if (COUNT * i + j < p.size) out[COUNT * i + j] = batch.at[j];
        }
    }
}

#define GPUNP_RANDOM_FILL(symbol, Fill)                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::LOOP_BLOCK)      \
        symbol(const __grid_constant__::gpunp::RandomFillParams p) {       \
        if (p.stream.words)                                                \
            ::gpunp::random::fill_blocks<::gpunp::random::Fill, true>(p);  \
        else                                                               \
            ::gpunp::random::fill_blocks<::gpunp::random::Fill, false>(p); \
    }
#define GPUNP_RANDOM_FILL_FUSED GPUNP_RANDOM_FILL
#else
// Compiled also with FMA instructions and longer vectors, for processors that have them; the bits are the
// same. Levels are asked for by their features, names such as "haswell" by the model: only that one would
// have it.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && __GNUC__ >= 12
#define GPUNP_RANDOM_FUSED \
    __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), flatten))
#elif defined(__x86_64__) && defined(__gnu_linux__)
#define GPUNP_RANDOM_FUSED \
    __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512"), flatten))
#else
#define GPUNP_RANDOM_FUSED
#endif

// Blocks of words computed side by side, which compilers vectorize.
struct ManyWords {
    static constexpr int COUNT = 64;
    uint32_t a[COUNT], b[COUNT], c[COUNT], d[COUNT];

    void draw(const RandomStream& s, uint64_t block) {
        for (int i = 0; i < COUNT; i++) {
            const Words w = counter_of(s, block + i);
            a[i] = w.a, b[i] = w.b, c[i] = w.c, d[i] = w.d;
        }
        uint32_t key0 = s.key[0], key1 = s.key[1];
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < COUNT; i++) {
                const uint64_t first = (uint64_t)0xD2511F53u * a[i], second = (uint64_t)0xCD9E8D57u * c[i];
                a[i] = (uint32_t)(second >> 32) ^ b[i] ^ key0;
                b[i] = (uint32_t)second;
                c[i] = (uint32_t)(first >> 32) ^ d[i] ^ key1;
                d[i] = (uint32_t)first;
            }
            key0 += 0x9E3779B9u;
            key1 += 0xBB67AE85u;
        }
    }
    Words at(int i) const { return Words{a[i], b[i], c[i], d[i]}; }
};

// Blocks [begin, end) of the output; the last one of all may be incomplete.
template <class Fill>
inline void fill_blocks(const RandomFillParams& p, int64_t begin, int64_t end) {
    using T = typename Fill::type;
    constexpr int COUNT = Fill::COUNT;
    T* out = static_cast<T*>(p.out);
    const int64_t whole = end * COUNT <= p.size ? end : p.size / COUNT;
    int64_t i = begin;
    if (!p.stream.words) {
        ManyWords words;
        for (; i + ManyWords::COUNT <= whole; i += ManyWords::COUNT) {
            words.draw(p.stream, i);
            for (int k = 0; k < ManyWords::COUNT; k++)
                Fill::make(p, words.at(k), i + k, out + COUNT * (i + k));
        }
    }
    for (; i < whole; i++) Fill::make(p, first_words(p.stream, i), i, out + COUNT * i);
    if (whole < end) {
        T last[COUNT];
        Fill::make(p, first_words(p.stream, whole), whole, last);
        for (int64_t k = whole * COUNT; k < p.size; k++) out[k] = last[k - whole * COUNT];
    }
}

#define GPUNP_RANDOM_FILL(symbol, Fill) GPUNP_RANDOM_FILL_WITH(symbol, Fill, GPUNP_RANDOM_FUSED)
#define GPUNP_RANDOM_FILL_FUSED(symbol, Fill) GPUNP_RANDOM_FILL_WITH(symbol, Fill, GPUNP_RANDOM_FUSED)
#define GPUNP_RANDOM_FILL_WITH(symbol, Fill, attributes)                                                     \
    attributes static void symbol##_blocks(const ::gpunp::RandomFillParams& p, int64_t begin, int64_t end) { \
        ::gpunp::random::fill_blocks<::gpunp::random::Fill>(p, begin, end);                                  \
    }                                                                                                        \
    static void symbol##_host(const void* params) {                                                          \
        const auto& p = *static_cast<const ::gpunp::RandomFillParams*>(params);                              \
        constexpr int count = ::gpunp::random::Fill::COUNT;                                                  \
        ::gpunp::parallel_for((p.size + count - 1) / count, ::gpunp::grain_of(8 * count),                    \
                              [&](int64_t begin, int64_t end) { symbol##_blocks(p, begin, end); });          \
    }                                                                                                        \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif

}  // namespace random
}  // namespace gpunp
