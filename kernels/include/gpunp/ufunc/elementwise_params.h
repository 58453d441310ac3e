// What an elementwise kernel is told; filled by gpunp/ufunc/engine.pyx.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

constexpr int MAX_DIMS = 8;      // of one launch, after coalescing; the engine loops over what is more
constexpr int MAX_INPUTS = 3;    // clip, select
constexpr int MAX_OPERANDS = 5;  // inputs, then outputs

// Threads of a block, and the widest vectors that a tile is made of.
constexpr int ELEMENTWISE_BLOCK = 256;
constexpr int ELEMENTWISE_TILE_WIDTH = 8;

// Elements of one thread's vector: 16 bytes of the largest operand, or 32 bytes where another operand is a
// quarter of it or less: few bytes a thread would cost more instructions than time.
GPUNP_HD constexpr int elementwise_width(int largest, int smallest) {
    return (largest >= 4 * smallest ? 32 : 16) / largest;
}

// Vectors a thread loads before it computes: enough bytes in flight to fill the memory pipe. One is enough of
// small elements, whose registers are worth more threads (np.add of 2^26 uint8 80 instead of 101 us).
GPUNP_HD constexpr int elementwise_vectors(int largest) {
    return largest <= 2 ? 1 : 2;
}

// How an operand moves along the last dimension.
enum Role : unsigned char {
    STRIDED,    // any stride, any dtype: element by element
    ALIGNED,    // unit stride, whole vectors are aligned
    UNALIGNED,  // unit stride, any dtype: element by element
    SPREAD,     // stride 0: one element serves the row
    SCALAR,     // the value itself is in the params
    ACROSS      // tiled kernels: unit stride along the last dimension but one
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
