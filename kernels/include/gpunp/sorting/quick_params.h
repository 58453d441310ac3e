// What the sorting engine gives to the kernels of the host: a sort by NumPy.
#pragma once
#include "gpunp/config.h"

namespace gpunp {

// The elements that it sorts.
enum QuickKind : int { QUICK_U4, QUICK_U8, QUICK_I4, QUICK_I8, QUICK_F4, QUICK_F8, NOT_QUICK };

// Sorts in place; 0 if that was possible. It takes the interpreter's lock for a moment.
using QuickSort = int (*)(void* start, int64_t n, int kind);

// Whether it is the faster way, for keys of 4 and of 8 bytes; the first long sort measures it.
enum QuickVerdict : int { NOT_MEASURED, FASTER, SLOWER };

struct QuickSortParams {
    QuickSort sort;
    int32_t verdict;
};

}  // namespace gpunp
