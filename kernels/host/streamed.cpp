// Elementwise loops whose results do not fit the caches: blocks of a result are computed in the cache, by the
// kernel of the loop, and go to memory past the caches. A store would read the lines that it is about to
// overwrite first.
#include "gpunp/common/host_pool.h"
#include "gpunp/common/host_stream.h"
#include "gpunp/kernel.h"
#include "gpunp/ufunc/elementwise_params.h"

namespace gpunp {
namespace {

// Short blocks, between which loads and stores overlap: with blocks of 8 KiB, adding took twice as long.
constexpr int64_t BLOCK_BYTES = 1 << 11, BLOCK_ELEMENTS = 1 << 9;  // of a result
constexpr int64_t LEAST_ROW = 1 << 10;                             // elements of a row
constexpr int LINE = 64, LEAST_ITEM = 4, MOST_ITEM = 8;  // bytes of a line of the caches, and of an element

inline void stream_line(char* to, const char* from) {
#if defined(__SSE2__)
    for (int i = 0; i < LINE / 16; i++)
        _mm_stream_si128((__m128i*)to + i, _mm_load_si128((const __m128i*)from + i));
#else
    memcpy(to, from, LINE);
#endif
}

// A loop with one result.
struct StreamedParams {
    void (*function)(const void* params);
    const ElementwiseParams* loop;
    int64_t inputs, itemsize;  // the number of inputs; the size of an element of the result
    int64_t least_bytes;       // of the operands of loops that do not fit the caches
};

// Whether a loop is over long rows, moves many bytes, and does not change its inputs: those are read anyway.
// Loops over bytes and complex numbers wait less for the memory than for the streams.
bool is_streamed(const StreamedParams& call) {
    const ElementwiseParams& loop = *call.loop;
    const int last = loop.ndim - 1, out = (int)call.inputs;
    if (loop.ndim > 2 || loop.mask || loop.shape[last] < LEAST_ROW ||
        loop.strides[out][last] != call.itemsize)
        return false;
    if (call.itemsize > MOST_ITEM) return false;
    if ((uintptr_t)loop.data[out] % LINE || (last > 0 && loop.strides[out][0] % LINE)) return false;
    const char* const begin = loop.data[out];
    const char* const end = begin + loop.shape[last] * call.itemsize +
                            (last > 0 ? (loop.shape[0] - 1) * loop.strides[out][0] : 0);
    int64_t nbytes = loop.size * call.itemsize, largest = call.itemsize;
    for (int k = 0; k < out; k++) {
        const int64_t stride = loop.role[k] == SCALAR ? 0 : loop.strides[k][last];
        if (stride == 0) continue;
        if (stride < 0 || stride > 16 || (loop.data[k] >= begin && loop.data[k] < end)) return false;
        largest = stride > largest ? stride : largest;
        if (last == 0 || loop.strides[k][0] != 0) nbytes += loop.size * stride;
    }
    return nbytes >= call.least_bytes && largest >= LEAST_ITEM;
}

struct Blocks {
    const StreamedParams& call;
    int64_t columns, row_blocks;  // of a block; blocks of a row

    void run(int64_t begin, int64_t end) const {
        alignas(LINE) char result[BLOCK_BYTES];
        const ElementwiseParams& loop = *call.loop;
        const int last = loop.ndim - 1, out = (int)call.inputs;
        const int64_t width = loop.shape[last];
        ElementwiseParams block = loop;
        block.ndim = 1;
        block.data[out] = result;
        for (int k = 0; k <= out; k++) block.strides[k][0] = loop.strides[k][last];
        for (int64_t i = begin; i < end; i++) {
            const int64_t row = i / row_blocks, first = (i - row * row_blocks) * columns;
            const auto offset = [&](int k) {
                return first * loop.strides[k][last] + (last > 0 ? row * loop.strides[k][0] : 0);
            };
            for (int k = 0; k < out; k++) block.data[k] = loop.data[k] + offset(k);
            block.size = block.shape[0] = width - first < columns ? width - first : columns;
            call.function(&block);
            store(block, loop.data[out] + offset(out), result);
        }
        finish_streams();
    }

    // Lines of the result by turns with the fetching of those that the next block reads.
    void store(const ElementwiseParams& block, char* to, const char* result) const {
        const int64_t nbytes = block.size * call.itemsize, lines = nbytes / LINE;
        const char* ahead[MAX_INPUTS];
        int64_t each[MAX_INPUTS];
        int inputs = 0;
        for (int k = 0; k < (int)call.inputs; k++) {
            if (block.role[k] == SCALAR || block.strides[k][0] == 0) continue;
            ahead[inputs] = block.data[k] + block.size * block.strides[k][0];
            each[inputs++] = (block.size * block.strides[k][0] + nbytes - 1) / nbytes * LINE;
        }
        for (int64_t line = 0; line < lines; line++) {
            for (int k = 0; k < inputs; k++)
                for (int64_t at = 0; at < each[k]; at += LINE)
                    __builtin_prefetch(ahead[k] + line * each[k] + at);
            stream_line(to + line * LINE, result + line * LINE);
        }
        memcpy(to + lines * LINE, result + lines * LINE, nbytes - lines * LINE);
    }
};

void run_streamed(const void* params) {
    const StreamedParams& call = *static_cast<const StreamedParams*>(params);
    const ElementwiseParams& loop = *call.loop;
    if (!is_streamed(call)) return call.function(call.loop);
    const int64_t width = loop.shape[loop.ndim - 1], most = BLOCK_BYTES / call.itemsize;
    const int64_t columns = most < BLOCK_ELEMENTS ? most : BLOCK_ELEMENTS;
    const Blocks blocks = {call, columns, (width + columns - 1) / columns};
    parallel_for(loop.size / width * blocks.row_blocks, grain_of(columns),
                 [&](int64_t begin, int64_t end) { blocks.run(begin, end); });
}

}  // namespace
}  // namespace gpunp

#define GPUNP_UNIT "streamed"
GPUNP_HOST_KERNEL(streamed, ::gpunp::run_streamed);
