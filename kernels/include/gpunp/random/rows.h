// Draws of whole rows, shuffling of ties, and sampling without replacement.
#pragma once
#include "gpunp/random/sample.h"

namespace gpunp {
namespace random {

GPUNP_HD const double* weights_of(const RandomRowsParams& p, int64_t row) {
    return p.weights + broadcast_index(row, p.weights_inner, p.weights_length) * p.length;
}

// Category by category: a binomial count of the remaining trials.
GPUNP_HD void multinomial_row(const RandomRowsParams& p, int64_t row) {
    int64_t* out = static_cast<int64_t*>(p.out) + row * p.length;
    const double* weights = weights_of(p, row);
    double left = floor(parameter(p.total, row)), share = 1;
    bool right = left >= 0;
    for (int64_t j = 0; j < p.length; j++) {
        const double weight = weights[j];
        right &= weight >= 0 && weight <= 1;
        double count = left;
        if (j + 1 < p.length) {
            Source source(p.stream, row * p.length + j);
            count = right && left > 0 ? binomial(source, left, weight < share ? weight / share : 1) : 0;
        }
        out[j] = (int64_t)count;
        left -= count;
        share -= weight;
        // What the last probability must be follows from the others.
        right &= share >= -1e-12 || j + 1 == p.length;
    }
    if (!right) report(p.status);
}

// Category by category: a hypergeometric count of the remaining draws.
GPUNP_HD void multivariate_hypergeometric_row(const RandomRowsParams& p, int64_t row) {
    int64_t* out = static_cast<int64_t*>(p.out) + row * p.length;
    const double* colors = weights_of(p, row);
    double left = parameter(p.total, row), others = 0;
    bool right = left >= 0;
    for (int64_t j = 0; j < p.length; j++) {
        right &= colors[j] >= 0;
        others += colors[j];
    }
    right &= left <= others && others < 1e9;
    for (int64_t j = 0; j < p.length; j++) {
        others -= colors[j];
        Source source(p.stream, row * p.length + j);
        const double count = right && left > 0 ? hypergeometric(source, colors[j], others, left) : 0;
        out[j] = (int64_t)count;
        left -= count;
    }
    if (!right) report(p.status);
}

// Gamma variates over their sum; for small concentrations, where they underflow, stick breaking (beta).
GPUNP_HD void dirichlet_row(const RandomRowsParams& p, int64_t row) {
    double* out = static_cast<double*>(p.out) + row * p.length;
    const double* alpha = weights_of(p, row);
    bool right = true;
    double sum = 0, greatest = 0;
    for (int64_t j = 0; j < p.length; j++) {
        right &= alpha[j] >= 0;
        sum += alpha[j];
        greatest = alpha[j] > greatest ? alpha[j] : greatest;
    }
    if (!right) {
        report(p.status);
        for (int64_t j = 0; j < p.length; j++) out[j] = NAN;
    } else if (greatest < 0.1) {
        double left = 1;
        for (int64_t j = 0; j < p.length; j++) {
            sum -= alpha[j];
            double share = left;
            if (j + 1 < p.length && alpha[j] == 0) {
                share = 0;
            } else if (j + 1 < p.length && sum > 0) {
                Source source(p.stream, row * p.length + j);
                share = left * beta(source, alpha[j], sum);
            }
            out[j] = greatest > 0 ? share : 0;
            left -= share;
        }
    } else {
        double total = 0;
        for (int64_t j = 0; j < p.length; j++) {
            Source source(p.stream, row * p.length + j);
            out[j] = standard_gamma(source, alpha[j]);
            total += out[j];
        }
        for (int64_t j = 0; j < p.length; j++) out[j] /= total;
    }
}

// The sort by 32-bit keys leaves elements with equal keys in their old order: shuffles each such run, so
// that every order is equally likely regardless of ties.
GPUNP_HD void shuffle_run(const RandomTiesParams& p, int64_t i) {
    const int64_t row = i / p.length, end = (row + 1) * p.length;
    const uint32_t key = p.keys[i];
    if ((i > row * p.length && p.keys[i - 1] == key) || i + 1 >= end || p.keys[i + 1] != key) return;
    int64_t last = i + 1;
    while (last + 1 < end && p.keys[last + 1] == key) last++;
    Source source(p.stream, i);
    for (int64_t j = last; j > i; j--) {
        const int64_t other = i + (int64_t)source.below(j - i + 1), kept = p.order[j];
        p.order[j] = p.order[other];
        p.order[other] = kept;
    }
}

// Element i of a pseudorandom permutation of the population: a Feistel network with Philox as its round
// function, iterated until the result is in the population (cycle walking).
GPUNP_HD void place(const RandomPlacesParams& p, int64_t i) {
    const Words key = first_words(p.stream, 0);
    const int bits = 64 - leading_zeros(p.population - 1), half = bits < 2 ? 1 : (bits + 1) / 2;
    const uint32_t mask = half < 32 ? (1u << half) - 1 : ~0u;
    uint64_t x = i;
    do {
        uint32_t left = (uint32_t)(x >> half) & mask, right = (uint32_t)x & mask;
        for (uint32_t round = 0; round < 8; round++) {
            const Words w = philox_called(Words{right, round, key.c, key.d}, key.a, key.b);
            const uint32_t next = left ^ ((w.a ^ w.c) & mask);
            left = right;
            right = next;
        }
        x = (uint64_t)left << half | right;
    } while (x >= p.population);
    p.out[i] = (int64_t)x;
}

}  // namespace random
}  // namespace gpunp
