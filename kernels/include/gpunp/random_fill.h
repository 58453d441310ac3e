// Uniform and normal floats and integers with scalar parameters: one block of 128 bits, two or four elements.
#pragma once
#include "gpunp/random_math.h"

namespace gpunp {
namespace random {

// In [low, low + scale): 24 bits times the scale, as NumPy spaces them.
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

// 53 bits times the scale.
struct UniformDouble {
    using type = double;
    static constexpr int COUNT = 2;
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t, type* v) {
        v[0] = p.low + p.scale * ((double)(int64_t)(join(w.a, w.b) >> 11) * 0x1p-53);
        v[1] = p.low + p.scale * ((double)(int64_t)(join(w.c, w.d) >> 11) * 0x1p-53);
    }
};

// Box and Muller in float: a word for the radius, a word for the angle.
struct NormalSingle {
    using type = float;
    static constexpr int COUNT = 4;

    GPUNP_HD static float multiply_add(float x, float y, float z) {
#if defined(__CUDA_ARCH__)
        return __fmaf_rn(x, y, z);
#else
        return __builtin_fmaf(x, y, z);
#endif
    }

    // -2 log(u) for u = (word + 1/2) / 2^32.
    GPUNP_HD static float squared_radius(const RandomFillParams& p, uint32_t word, uint64_t block, int pair) {
        int zeros = leading_zeros(word);
        uint64_t bits = (uint64_t)word << 32 | 0x80000000u;
        if (word < 4096) {
            // Once in a million: more bits, so that the tail has no end within reach.
            const Words more = more_words(p.stream, block, 1);
            bits = (uint64_t)word << 32 | (pair ? more.b : more.a) | 1;
            zeros = leading_zeros(bits);
        }
        const uint32_t m = (uint32_t)((bits << zeros) >> 32);
        // 1 + t in [2/3, 4/3]; the subtraction of 1 happens in integers.
        const bool upper = m > 0xAAAAAAAAu;
        const float t = (float)(int32_t)(upper ? m : m << 1) * 0x1p-32f;
        const float exponent = (float)(upper ? zeros : zeros + 1);
        float q = -0.2685149802f;
        q = multiply_add(q, t, 0.3008152745f);
        q = multiply_add(q, t, -0.2823661981f);
        q = multiply_add(q, t, 0.3296603507f);
        q = multiply_add(q, t, -0.4000756064f);
        q = multiply_add(q, t, 0.5000829239f);
        q = multiply_add(q, t, -0.6666664034f);
        q = multiply_add(q, t, 0.9999997112f);
        q = multiply_add(q * t, t, -2.0f * t);
        return multiply_add(exponent, 1.38629436f, q);
    }

    GPUNP_HD static void make_pair(const RandomFillParams& p, uint32_t word, uint32_t angle, uint64_t block,
                                   int pair, type* v) {
        const float scale = (float)p.scale, low = (float)p.low;
#if defined(__CUDA_ARCH__)
        const float radius = __fsqrt_rn(squared_radius(p, word, block, pair)) * scale;
#else
        const float radius = __builtin_sqrtf(squared_radius(p, word, block, pair)) * scale;
#endif
        const float x = (float)(int32_t)(angle << 2 | 2) * (float)(PI / 4 * 0x1p-31);
        const float z = x * x;
        float s = -0.0001958789088f, c = 2.454794209e-5f;
        s = multiply_add(s, z, 0.008332748271f);
        c = multiply_add(c, z, -0.001388830304f);
        s = multiply_add(s, z, -0.1666666466f);
        c = multiply_add(c, z, 0.04166666466f);
        s = multiply_add(s, x * z, x);
        c = multiply_add(c, z, -0.5f);
        c = multiply_add(c, z, 1.0f);
        if (angle & 0x40000000u) c = -c;
        v[0] = multiply_add(angle & 0x80000000u ? s : c, radius, low);
        v[1] = multiply_add(angle & 0x80000000u ? c : s, radius, low);
    }

    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t block, type* v) {
        make_pair(p, w.a, w.b, block, 0, v);
        make_pair(p, w.c, w.d, block, 1, v + 2);
    }
};

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

// Integers without bias (Lemire, 2019): from words of 32 bits into types of up to 32 bits.
template <class T>
struct Integers {
    using type = T;
    static constexpr int COUNT = 4;

    GPUNP_HD static T one(const RandomFillParams& p, uint32_t word, uint64_t block, int place) {
        const uint32_t range = (uint32_t)p.range, threshold = (uint32_t)p.threshold;
        if (range == 0) return (T)(p.first + word);
        for (uint32_t attempt = 1; word * range < threshold; attempt++) {
            const Words w = more_words(p.stream, block, attempt);
            word = place == 0 ? w.a : place == 1 ? w.b : place == 2 ? w.c : w.d;
        }
        return (T)(p.first + high_product(word, range));
    }
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t block, type* v) {
        v[0] = one(p, w.a, block, 0);
        v[1] = one(p, w.b, block, 1);
        v[2] = one(p, w.c, block, 2);
        v[3] = one(p, w.d, block, 3);
    }
};

// From words of 64 bits.
template <>
struct Integers<uint64_t> {
    using type = uint64_t;
    static constexpr int COUNT = 2;

    GPUNP_HD static uint64_t one(const RandomFillParams& p, uint64_t word, uint64_t block, int place) {
        if (p.range == 0) return p.first + word;
        for (uint32_t attempt = 1; word * p.range < p.threshold; attempt++) {
            const Words w = more_words(p.stream, block, attempt);
            word = place == 0 ? join(w.a, w.b) : join(w.c, w.d);
        }
        return p.first + high_product(word, p.range);
    }
    GPUNP_HD static void make(const RandomFillParams& p, Words w, uint64_t block, type* v) {
        v[0] = one(p, join(w.a, w.b), block, 0);
        v[1] = one(p, join(w.c, w.d), block, 1);
    }
};

template <class Fill>
struct alignas(sizeof(typename Fill::type) * Fill::COUNT) Batch {
    typename Fill::type value[Fill::COUNT];
};

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
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += stride) {
        const Words w = GIVEN ? given_words(p.stream, i)
                              : philox(counter_of(p.stream, i), p.stream.key[0], p.stream.key[1]);
        Batch<Fill> batch;
        Fill::make(p, w, i, batch.value);
        if (i < whole) {
            reinterpret_cast<Batch<Fill>*>(out)[i] = batch;
        } else {
#pragma unroll
            for (int j = 0; j < COUNT; j++)
                if (COUNT * i + j < p.size) out[COUNT * i + j] = batch.value[j];
        }
    }
}

#define GPUNP_RANDOM_FILL(symbol, Fill)                                    \
    extern "C" __global__ void __launch_bounds__(256)                      \
        symbol(const __grid_constant__::gpunp::RandomFillParams p) {       \
        if (p.stream.words)                                                \
            ::gpunp::random::fill_blocks<::gpunp::random::Fill, true>(p);  \
        else                                                               \
            ::gpunp::random::fill_blocks<::gpunp::random::Fill, false>(p); \
    }
#define GPUNP_RANDOM_FILL_FUSED GPUNP_RANDOM_FILL
#else
template <class Fill>
inline void fill_blocks(const RandomFillParams& p) {
    using T = typename Fill::type;
    constexpr int COUNT = Fill::COUNT;
    T* out = static_cast<T*>(p.out);
    const int64_t whole = p.size / COUNT;
    for (int64_t i = 0; i < whole; i++) Fill::make(p, first_words(p.stream, i), i, out + COUNT * i);
    if (whole * COUNT < p.size) {
        T last[COUNT];
        Fill::make(p, first_words(p.stream, whole), whole, last);
        for (int64_t i = whole * COUNT; i < p.size; i++) out[i] = last[i - whole * COUNT];
    }
}

// Fused multiply-adds are instructions where the processor has them; the bits are the same without.
#if defined(__x86_64__) && defined(__gnu_linux__)
#define GPUNP_RANDOM_FUSED __attribute__((target_clones("default", "arch=haswell"), flatten))
#else
#define GPUNP_RANDOM_FUSED
#endif
#define GPUNP_RANDOM_FILL(symbol, Fill) GPUNP_RANDOM_FILL_WITH(symbol, Fill, )
#define GPUNP_RANDOM_FILL_FUSED(symbol, Fill) GPUNP_RANDOM_FILL_WITH(symbol, Fill, GPUNP_RANDOM_FUSED)
#define GPUNP_RANDOM_FILL_WITH(symbol, Fill, attributes)             \
    attributes static void symbol##_host(const void* params) {       \
        ::gpunp::random::fill_blocks<::gpunp::random::Fill>(         \
            *static_cast<const ::gpunp::RandomFillParams*>(params)); \
    }                                                                \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#endif

}  // namespace random
}  // namespace gpunp
