// Parameters of the kernels of recursive filters, shared with Cython.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

enum : int {
    IIR_BLOCK = 128,                  // threads
    IIR_EACH = 16,                    // samples per thread
    IIR_TILE = IIR_BLOCK * IIR_EACH,  // samples that a block filters at a time
    IIR_STATES = 8,                   // the most states of the kernels for a fixed number of them
    IIR_COEFFICIENTS = 20,            // the most coefficients of those
    IIR_LEVELS = 5,                   // of the prefix sums of a warp
    IIR_POWERS = 33,                  // matrices of a table
    IIR_COLUMN_BLOCK = 128,           // threads of the kernels with one thread per lane
};

// A filter is a linear system: the states after a sample are a matrix A times those before, plus a multiple
// of the sample. Lanes are cut into spans; with `y` null only the states at the end of each span are
// computed.
struct IirParams {
    const char* x;
    char* y;
    const double* initial;  // states before each span, (rows, spans, states), or null for zeros
    double* last;           // states after each span if y is null, otherwise after each row; or null
    const double* table;    // powers 0 to 32 of the matrix of IIR_EACH samples, (states, states, 33)
    int64_t length;         // samples of a row
    int64_t span;           // samples of a span; a multiple of IIR_TILE in the kernel for rows
    int64_t spans;          // of a row
    int64_t rows, inner;    // row r is at (r / inner) * outer stride + (r % inner) * inner stride
    int64_t x_outer, x_inner, x_item;  // strides in elements
    int64_t y_outer, y_inner, y_item;
    int64_t single;                         // whether x and y are float32, not float64
    double coefficients[IIR_COEFFICIENTS];  // of the system, see iir_systems.h
    // The matrices of 1, 2, 4, 8 and 16 threads' samples: as parameters they are operands of instructions.
    double levels[IIR_LEVELS * IIR_STATES * IIR_STATES];
};

// States before each span from those that the spans leave behind, with the matrix of a span in place of that
// of IIR_EACH samples.
struct IirCarryParams {
    double* states;         // (rows, spans, states): in, after each span from zeros; out, before each span
    const double* initial;  // (rows, states), or null for zeros
    const double* table;
    int64_t rows, spans;
    double levels[IIR_LEVELS * IIR_STATES * IIR_STATES];
};

// A filter of any order, real or complex, with a thread per span of a row.
struct IirGeneralParams {
    const char* x;
    char* y;              // or null
    const char* forward;  // order + 1 coefficients of the numerator
    const char* back;     // and of the denominator
    char* states;         // (order, rows, spans): in, before each span; out, after it
    int64_t order, length, span, spans;
    int64_t rows, inner;
    int64_t x_outer, x_inner, x_item;
    int64_t y_outer, y_inner, y_item;
    int64_t single;
};

}  // namespace gpunp
