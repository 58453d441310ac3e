// Words of generators defined by recurrences: every thread jumps to its part of the sequence.
#pragma once
#include "gpunp/random/sample.h"

namespace gpunp {
namespace random {

// XORWOW (Marsaglia, 2003): a 160-bit xorshift register plus a counter.
struct Xorwow {
    uint32_t x[5];
    uint32_t counter;

    // Powers of the transition are matrices of 160 columns with five words each.
    GPUNP_HD void jump(const RandomWordsParams& p, uint64_t steps) {
        for (int i = 0; i < 5; i++) x[i] = p.state[i];
        counter = p.state[5] + 362437u * (uint32_t)steps;
        for (int power = 0; steps; power++, steps >>= 1) {
            if (!(steps & 1)) continue;
            const uint32_t* column = p.table + power * 800;
            uint32_t y[5] = {0, 0, 0, 0, 0};
            for (int word = 0; word < 5; word++)
                for (int bit = 0; bit < 32; bit++, column += 5) {
                    const uint32_t mask = 0u - (x[word] >> bit & 1u);
                    for (int i = 0; i < 5; i++) y[i] ^= column[i] & mask;
                }
            for (int i = 0; i < 5; i++) x[i] = y[i];
        }
    }
    GPUNP_HD uint32_t step() {
        const uint32_t t = x[0] ^ (x[0] >> 2);
        x[0] = x[1];
        x[1] = x[2];
        x[2] = x[3];
        x[3] = x[4];
        x[4] = (x[4] ^ (x[4] << 4)) ^ (t ^ (t << 1));
        counter += 362437u;
        return x[4] + counter;
    }
};

// MRG32k3a (L'Ecuyer, 1999): two recurrences of order three.
struct Mrg {
    uint32_t x[6];
    static constexpr uint64_t FIRST = 4294967087u, SECOND = 4294944443u;

    GPUNP_HD static void apply(const uint32_t* matrix, uint32_t* x, uint64_t modulus) {
        uint32_t y[3];
        for (int i = 0; i < 3; i++) {
            uint64_t sum = 0;
            for (int j = 0; j < 3; j++) sum = (sum + (uint64_t)matrix[3 * i + j] * x[j] % modulus) % modulus;
            y[i] = (uint32_t)sum;
        }
        for (int i = 0; i < 3; i++) x[i] = y[i];
    }
    // Each power of the transition is two matrices of nine numbers.
    GPUNP_HD void jump(const RandomWordsParams& p, uint64_t steps) {
        for (int i = 0; i < 6; i++) x[i] = p.state[i];
        for (int power = 0; steps; power++, steps >>= 1) {
            if (!(steps & 1)) continue;
            apply(p.table + power * 18, x, FIRST);
            apply(p.table + power * 18 + 9, x + 3, SECOND);
        }
    }
    GPUNP_HD uint32_t step() {
        const uint64_t a = (1403580u * (uint64_t)x[1] + (FIRST - 810728u) * x[0] % FIRST) % FIRST;
        const uint64_t b = (527612u * (uint64_t)x[5] + (SECOND - 1370589u) * x[3] % SECOND) % SECOND;
        x[0] = x[1];
        x[1] = x[2];
        x[2] = (uint32_t)a;
        x[3] = x[4];
        x[4] = x[5];
        x[5] = (uint32_t)b;
        return (uint32_t)(a > b ? a - b : a + FIRST - b);
    }
};

template <class Recurrence>
GPUNP_HD void words_part(const RandomWordsParams& p, int64_t part) {
    if (part * RANDOM_PART >= p.blocks) return;
    const int64_t last = (part + 1) * RANDOM_PART < p.blocks ? (part + 1) * RANDOM_PART : p.blocks;
    Recurrence r;
    r.jump(p, p.position + 4 * RANDOM_PART * part);
    for (int64_t i = 4 * RANDOM_PART * part; i < 4 * last; i++) p.out[i] = r.step();
}

}  // namespace random
}  // namespace gpunp
