// Sorts by NumPy, whose vector instructions (AVX-512, AVX2, NEON) sort several times as fast as digits on
// some processors, and more slowly on others: the first long sort measures which. The results are the same.
#pragma once
#include <atomic>

#include "gpunp/sorting/quick_params.h"

namespace gpunp {

constexpr int64_t QUICK_LENGTH = 1 << 12;    // shorter ranges are not worth the call
constexpr int64_t QUICK_ROW = 1 << 8;        // the same of a row that is sorted alone, by no other thread
constexpr int64_t QUICK_MEASURED = 1 << 14;  // keys of the measurement
// Shorter sorts measure once they have sorted so many keys together, which took some times as long.
constexpr int64_t QUICK_WAITED = QUICK_MEASURED << 4;

// Given by the sorting engine.
inline std::atomic<QuickSort> quick_sort{nullptr};
// For keys of 4 and of 8 bytes.
inline std::atomic<int> quick_verdicts[2] = {{NOT_MEASURED}, {NOT_MEASURED}};
// Keys of short sorts before the measurement.
inline std::atomic<int64_t> quick_waiting{0};

inline void set_quick_sort(const void* params) {
    const QuickSortParams& p = *static_cast<const QuickSortParams*>(params);
    quick_sort.store(p.sort);
    for (std::atomic<int>& verdict : quick_verdicts) verdict.store(p.verdict);
}

inline bool sort_quickly(void* start, int64_t n, int kind) {
    const QuickSort sort = quick_sort.load(std::memory_order_relaxed);
    return sort && sort(start, n, kind) == 0;
}

}  // namespace gpunp
