// Parameters of elementwise kernels; filled by gpunp/ufunc/engine.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int MAX_DIMS = 8;      // per launch, after coalescing; the engine loops over further dimensions
constexpr int MAX_INPUTS = 5;    // of long functions; all others have up to three
constexpr int MAX_OPERANDS = 7;  // inputs, then outputs, of which there are up to four

// Threads per block, and the greatest vector width of a tile.
constexpr int ELEMENTWISE_BLOCK = 256;
constexpr int ELEMENTWISE_TILE_WIDTH = 8;

// Elements of one thread's vector: 16 bytes of the largest operand, or 32 if another operand is at most a
// quarter of its size: with few bytes per thread, instructions would cost more than memory accesses.
GPUNP_HD constexpr int elementwise_width(int largest, int smallest) {
    return (largest >= 4 * smallest ? 32 : 16) / largest;
}

// Vectors that a thread loads before it computes, to keep enough bytes in flight. One suffices for small
// elements, for which more threads are worth more than more registers (np.add of 2^26 uint8: 80 us instead of
// 101).
GPUNP_HD constexpr int elementwise_vectors(int largest) {
    return largest <= 2 ? 1 : 2;
}

// How an operand is accessed along the last dimension.
enum Role : unsigned char {
    STRIDED,    // any stride, any dtype: element by element
    ALIGNED,    // unit stride, whole vectors are aligned
    UNALIGNED,  // unit stride, any dtype: element by element
    SPREAD,     // stride 0: one element serves the row
    SCALAR,     // the value itself is in the parameters
    ACROSS      // tiled kernels: unit stride along the second-to-last dimension
};

struct ElementwiseParams {
    int64_t size;  // elements of the broadcast result
    int32_t ndim;
    int32_t vector_ok;  // tiled kernels: whole vectors are aligned in every operand
    uint32_t* status;
    char* data[MAX_OPERANDS];
    const char* mask;  // bool, or null
    int64_t shape[MAX_DIMS];
    int64_t strides[MAX_OPERANDS + 1][MAX_DIMS];  // bytes; the last row is the mask's
    unsigned char dtype[MAX_OPERANDS];
    unsigned char role[MAX_OPERANDS];
    alignas(16) unsigned char scalar[MAX_INPUTS][16];
};

}  // namespace gpunp
