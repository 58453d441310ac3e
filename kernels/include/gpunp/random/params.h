// Parameters of the random number kernels, shared with Cython.
#pragma once
#include "gpunp/config.h"
#include "gpunp/status.h"

namespace gpunp {

// For generators other than Philox: blocks of four words per thread, which it steps through after one jump.
constexpr int64_t RANDOM_PART = 256;

// Source of the random bits of a draw: block i of 128 bits is a function of (counter + i, key) alone.
struct RandomStream {
    uint32_t counter[4];  // the first two words count blocks, the third attempts, the fourth jumps
    uint32_t key[2];
    const uint32_t* words;  // words of another generator, four per block, or null for Philox
};

// Uniform, normal and integer draws with scalar parameters.
struct RandomFillParams {
    RandomStream stream;
    void* out;  // contiguous
    int64_t size;
    double low, scale;
    uint64_t range;           // number of integers; 0 for the full range of the word
    uint64_t threshold;       // 2^bits modulo range
    uint64_t first;           // the lowest integer
    uint32_t round_keys[20];  // for Philox, two per round: operands in constant memory
};

// Domains of a parameter; NaN passes only the first three.
enum RandomCheck : int32_t {
    RANDOM_ANY,
    RANDOM_NOT_NEGATIVE,
    RANDOM_POSITIVE,
    RANDOM_PROBABILITY,
    RANDOM_OPEN_PROBABILITY,  // above 0, up to 1
    RANDOM_BELOW_ONE,         // from 0, below 1
    RANDOM_ABOVE_ONE,
    RANDOM_RATE,   // from 0 to the greatest rate whose Poisson counts fit into int64
    RANDOM_COUNT,  // not negative and not NaN
    RANDOM_POSITIVE_COUNT
};

// Conditions that relate parameters.
enum RandomRelation : int32_t {
    RANDOM_NO_RELATION,
    RANDOM_TRIANGLE,
    RANDOM_POPULATION,
    RANDOM_INTERVAL,
    RANDOM_RANGE  // an interval whose ends may be in any order
};

// A scalar, or values[i / inner % length] for element i.
struct RandomParameter {
    const double* values;
    double value;
    int64_t inner, length;
    int32_t check;
    int32_t padding;
};

struct RandomSampleParams {
    RandomStream stream;
    void* out;  // contiguous
    int64_t size;
    uint32_t* status;
    RandomParameter parameters[3];
    int32_t relation;
    int32_t single;  // the output is float32
};

// Integers between bounds in arrays: low[i] + [0, span[i]], both as 64-bit words.
struct RandomIntegersParams {
    RandomStream stream;
    void* out;
    int64_t size;
    uint32_t* status;
    const uint64_t* low;
    const uint64_t* high;  // inclusive
    int64_t low_inner, low_length, high_inner, high_length;
    int32_t itemsize;
    int32_t is_signed;
    int32_t exclusive;  // high is not included
    int32_t padding;
    int64_t least;  // limits of the dtype
    uint64_t greatest;
};

// Draws that fill rows: counts of categories, and proportions.
struct RandomRowsParams {
    RandomStream stream;
    void* out;  // rows * length
    int64_t rows, length;
    uint32_t* status;
    const double* weights;  // rows of `length`
    RandomParameter total;  // one value per row
    int64_t weights_inner, weights_length;
    int32_t sticks;  // use stick breaking, for small concentrations
    int32_t padding;
};

// Sorted random keys of rows, and the order that sorts them.
struct RandomTiesParams {
    RandomStream stream;
    const uint32_t* keys;
    int64_t* order;
    int64_t rows, length;
};

// Elements of [0, population) without repetition.
struct RandomPlacesParams {
    RandomStream stream;
    int64_t* out;
    int64_t size;
    uint64_t population;
};

// Words of a recurrence from `position` on, four per block.
struct RandomWordsParams {
    uint32_t* out;
    int64_t blocks;
    uint64_t position;      // of the first word
    const uint32_t* table;  // powers of the transition: 2^0, 2^1, ... steps
    uint32_t state[6];
};

}  // namespace gpunp
