// Philox4x32-10 (Salmon et al., 2011): 128 random bits as a function of a counter and a key.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/random/params.h"
#include "gpunp/types.h"

namespace gpunp {
namespace random {

struct Words {
    uint32_t a, b, c, d;
};

GPUNP_HD uint32_t high_product(uint32_t x, uint32_t y) {
    return (uint32_t)(((uint64_t)x * y) >> 32);
}

GPUNP_HD uint64_t high_product(uint64_t x, uint64_t y) {
#if defined(__CUDA_ARCH__)
    return __umul64hi(x, y);
#else
    return (uint64_t)(((unsigned __int128)x * y) >> 64);
#endif
}

GPUNP_HD Words philox(Words x, uint32_t key0, uint32_t key1) {
#if GPUNP_ON_DEVICE
#pragma unroll
#endif
    for (int round = 0; round < 10; round++) {
        // One 64-bit product each: both of its halves are used.
        const uint64_t first = (uint64_t)0xD2511F53u * x.a, second = (uint64_t)0xCD9E8D57u * x.c;
        x = Words{(uint32_t)(second >> 32) ^ x.b ^ key0, (uint32_t)second,
                  (uint32_t)(first >> 32) ^ x.d ^ key1, (uint32_t)first};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return x;
}

// The same with precomputed keys of all rounds.
GPUNP_HD Words philox_rounds(Words x, const uint32_t (&keys)[20]) {
#if GPUNP_ON_DEVICE
#pragma unroll
#endif
    for (int round = 0; round < 10; round++) {
        const uint64_t first = (uint64_t)0xD2511F53u * x.a, second = (uint64_t)0xCD9E8D57u * x.c;
        x = Words{(uint32_t)(second >> 32) ^ x.b ^ keys[2 * round], (uint32_t)second,
                  (uint32_t)(first >> 32) ^ x.d ^ keys[2 * round + 1], (uint32_t)first};
    }
    return x;
}

// Not inlined, for rejections and rare refinements.
GPUNP_HD_CALLED Words philox_called(Words x, uint32_t key0, uint32_t key1) {
    return philox(x, key0, key1);
}

GPUNP_HD Words counter_of(const RandomStream& s, uint64_t block) {
    const uint64_t at = ((uint64_t)s.counter[1] << 32 | s.counter[0]) + block;
    return Words{(uint32_t)at, (uint32_t)(at >> 32), s.counter[2], s.counter[3]};
}

GPUNP_HD Words given_words(const RandomStream& s, uint64_t block) {
    const uint32_t* w = s.words + 4 * block;
    return Words{w[0], w[1], w[2], w[3]};
}

// The first four words of a block.
GPUNP_HD Words first_words(const RandomStream& s, uint64_t block) {
    if (s.words) return given_words(s, block);
    return philox(counter_of(s, block), s.key[0], s.key[1]);
}

// More words of the same block, for attempt 1, 2, ...; no other element uses them. If another generator
// supplied the first words, they are the counter from which Philox derives the others.
GPUNP_HD Words more_words(const RandomStream& s, uint64_t block, uint32_t attempt) {
    if (s.words) return philox_called(given_words(s, block), attempt, 0x243F6A88u);
    Words x = counter_of(s, block);
    x.c += attempt;
    return philox_called(x, s.key[0], s.key[1]);
}

GPUNP_HD uint64_t join(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}

// An endless sequence of 64-bit words for one element.
struct Source {
    const RandomStream* stream;
    uint64_t block;
    uint64_t second;
    uint32_t attempt;
    bool half;

    GPUNP_HD Source(const RandomStream& s, uint64_t block)
        : stream(&s), block(block), second(0), attempt(0), half(false) {}

    GPUNP_HD uint64_t next() {
        if (half) {
            half = false;
            return second;
        }
        Words w;
        if (attempt == 0 && stream->words) {
            w = given_words(*stream, block);
        } else {
            w = more_words(*stream, block, attempt);
        }
        attempt++;
        half = true;
        second = join(w.c, w.d);
        return join(w.a, w.b);
    }

    // In [0, 1), with 53 bits.
    GPUNP_HD double uniform() { return (double)(next() >> 11) * 0x1p-53; }
    // In (0, 1).
    GPUNP_HD double open() { return ((double)(next() >> 12) + 0.5) * 0x1p-52; }
    // Unbiased in {0, ..., range - 1} (Lemire, 2019).
    GPUNP_HD uint64_t below(uint64_t range) {
        uint64_t word = next();
        if (word * range < range) {
            const uint64_t threshold = (0 - range) % range;
            while (word * range < threshold) word = next();
        }
        return high_product(word, range);
    }
    // Bounds the rejections far beyond what any distribution needs, so that no kernel can hang.
    GPUNP_HD bool more() const { return attempt < 100000u; }
};

}  // namespace random
}  // namespace gpunp
