// Parameters of elementwise kernels that are compiled at run time; filled by gpunp/custom/elementwise.pyx.
#pragma once

namespace gpunp {
namespace custom {

// Words of 8 bytes at the front of the parameters; the shape follows.
enum ElementwiseWord {
    ELEMENTWISE_SIZE,    // elements
    ELEMENTWISE_CHUNKS,  // vectors of all rows, each row padded to whole vectors
    ELEMENTWISE_SHAPE
};

// How an operand is accessed along the last axis.
enum ElementwiseRole : unsigned char {
    ELEMENTWISE_STRIDED,   // any stride
    ELEMENTWISE_UNIT,      // neighboring elements, not in aligned vectors
    ELEMENTWISE_ALIGNED,   // neighboring elements, in whole vectors that are aligned
    ELEMENTWISE_SPREAD,    // stride 0: one element serves the row
    ELEMENTWISE_IN_MEMORY  // any stride; the operation takes the address of the element
};

}  // namespace custom
}  // namespace gpunp
