// Pieces copied side by side into the rows of one result: concatenate, stack, append, insert, delete.
//
// The result has `rows` rows of `pitch` bytes; piece k fills bytes [offset[k], offset[k + 1]) of every row.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/manipulation/concatenate_params.h"

#if !GPUNP_ON_DEVICE
#include <string.h>

#include "gpunp/common/host_pool.h"
#endif

namespace gpunp {

#if GPUNP_ON_DEVICE

// The largest power of two up to 16 that divides all values whose bitwise or is `bits`.
__device__ __forceinline__ int common_alignment(size_t bits) {
    bits |= 16;
    return (int)(bits & (0 - bits));
}

// Loads 16 bytes from an address aligned only to T.
template <class T>
__device__ __forceinline__ uint4 load_parts(const char* p) {
    alignas(16) T part[16 / sizeof(T)];
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(T)); i++) part[i] = reinterpret_cast<const T*>(p)[i];
    return *reinterpret_cast<const uint4*>(part);
}

// Copies 16-byte vectors: the target is aligned to 16 bytes, the source to T.
template <class T>
__device__ __forceinline__ void copy_vectors(char* to, const char* from, int count) {
    constexpr int STEPS = PIECE_TILE / 16 / PIECE_BLOCK;
    uint4 v[STEPS];
#pragma unroll
    for (int u = 0; u < STEPS; u++) {
        const int i = threadIdx.x + u * PIECE_BLOCK;
        if (i < count) v[u] = load_parts<T>(from + 16 * i);
    }
#pragma unroll
    for (int u = 0; u < STEPS; u++) {
        const int i = threadIdx.x + u * PIECE_BLOCK;
        if (i < count) *reinterpret_cast<uint4*>(to + 16 * i) = v[u];
    }
}

// By the whole block: copies at most one tile of bytes.
__device__ __forceinline__ void copy_run(char* to, const char* from, int bytes) {
    int head = (int)((0 - (size_t)to) & 15);
    if (head > bytes) head = bytes;
    const int count = (bytes - head) / 16;
    const int tail = bytes - head - 16 * count;
    if ((int)threadIdx.x < head) to[threadIdx.x] = from[threadIdx.x];
    if ((int)threadIdx.x < tail) {
        const int at = bytes - tail + threadIdx.x;
        to[at] = from[at];
    }
    to += head;
    from += head;
    switch (common_alignment((size_t)from)) {
        case 16:
            return copy_vectors<uint4>(to, from, count);
        case 8:
            return copy_vectors<uint2>(to, from, count);
        case 4:
            return copy_vectors<uint32_t>(to, from, count);
        case 2:
            return copy_vectors<uint16_t>(to, from, count);
        default:
            return copy_vectors<uint8_t>(to, from, count);
    }
}

// Copies bytes [begin, end) of the concatenation of short rows, in units of T.
template <class T>
__device__ __forceinline__ void copy_short_rows(char* to, const char* from, int64_t pitch,
                                                int64_t source_pitch, int row_bytes, int64_t begin,
                                                int64_t end) {
    constexpr int UNROLL = 4;
    const uint32_t width = row_bytes / sizeof(T);
    // A group has less than 2^31 units, because rows are short and tiles are few: 32-bit indices suffice.
    const uint32_t last = (uint32_t)(end / sizeof(T));
    for (uint32_t i = (uint32_t)(begin / sizeof(T)) + threadIdx.x; i < last; i += UNROLL * PIECE_BLOCK) {
        T v[UNROLL];
        int64_t row[UNROLL];
        uint32_t column[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const uint32_t unit = i + u * PIECE_BLOCK;
            row[u] = unit / width;
            column[u] = (unit - (uint32_t)row[u] * width) * sizeof(T);
            if (unit < last) v[u] = *reinterpret_cast<const T*>(from + row[u] * source_pitch + column[u]);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (i + u * PIECE_BLOCK < last) *reinterpret_cast<T*>(to + row[u] * pitch + column[u]) = v[u];
    }
}

template <class Params>
__device__ __forceinline__ void concatenate_pieces_of(const Params& p) {
    const uint32_t group = blockIdx.x / (uint32_t)p.group_tiles;
    int tile = (int)(blockIdx.x - group * (uint32_t)p.group_tiles);
    int low = 0, high = p.count;  // bisection for the last piece that starts at or before the tile
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (p.tile[middle] <= tile)
            low = middle;
        else
            high = middle;
    }
    tile -= p.tile[low];
    const int64_t first = group * p.group_rows;
    const int64_t rows = p.rows - first < p.group_rows ? p.rows - first : p.group_rows;
    const int64_t bytes = p.offset[low + 1] - p.offset[low];
    const int64_t source_pitch = p.source_pitch[low];
    char* to = p.out + first * p.pitch + p.offset[low];
    const char* from = p.source[low] + first * source_pitch;
    if (bytes >= WIDE_ROW) {
        const int64_t tiles = (bytes + PIECE_TILE - 1) / PIECE_TILE;
        const int64_t row = rows == 1 ? 0 : tile / (int)tiles;
        if (row >= rows) return;
        const int64_t at = (tile - row * tiles) * PIECE_TILE;
        const int64_t left = bytes - at;
        copy_run(to + row * p.pitch + at, from + row * source_pitch + at,
                 (int)(left < PIECE_TILE ? left : PIECE_TILE));
        return;
    }
    const int64_t begin = tile * PIECE_TILE;
    const int64_t whole = rows * bytes;
    const int64_t end = begin + PIECE_TILE < whole ? begin + PIECE_TILE : whole;
    size_t bits = (size_t)to | (size_t)from | (size_t)bytes;
    if (rows > 1) bits |= (size_t)p.pitch | (size_t)source_pitch;
    const int row_bytes = (int)bytes;
    switch (common_alignment(bits)) {
        case 16:
            return copy_short_rows<uint4>(to, from, p.pitch, source_pitch, row_bytes, begin, end);
        case 8:
            return copy_short_rows<uint2>(to, from, p.pitch, source_pitch, row_bytes, begin, end);
        case 4:
            return copy_short_rows<uint32_t>(to, from, p.pitch, source_pitch, row_bytes, begin, end);
        case 2:
            return copy_short_rows<uint16_t>(to, from, p.pitch, source_pitch, row_bytes, begin, end);
        default:
            return copy_short_rows<uint8_t>(to, from, p.pitch, source_pitch, row_bytes, begin, end);
    }
}

// Copies one piece of a block's rows to its positions in shared memory.
template <class T>
__device__ __forceinline__ void gather_short_rows(unsigned char* to, const char* from, int pitch,
                                                  int64_t source_pitch, int row_bytes, int rows) {
    const uint32_t width = row_bytes / sizeof(T), count = rows * width;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < count; i += PIECE_BLOCK) {
        const uint32_t row = width == 1 ? i : i / width;
        const uint32_t column = (i - row * width) * sizeof(T);
        *reinterpret_cast<T*>(to + row * pitch + column) =
            *reinterpret_cast<const T*>(from + row * source_pitch + column);
    }
}

template <class Params>
__device__ __forceinline__ void concatenate_narrow_of(const Params& p) {
    __shared__ uint4 together[PIECE_TILE / sizeof(uint4)];
    unsigned char* base = reinterpret_cast<unsigned char*>(together);
    const int64_t first = blockIdx.x * p.group_rows;
    const int rows = (int)(p.rows - first < p.group_rows ? p.rows - first : p.group_rows);
    const int pitch = (int)p.pitch;
    for (int k = 0; k < p.count; k++) {
        const int64_t source_pitch = p.source_pitch[k];
        const char* from = p.source[k] + first * source_pitch;
        const int bytes = (int)(p.offset[k + 1] - p.offset[k]);
        unsigned char* to = base + p.offset[k];
        const int unit = common_alignment((size_t)from | (size_t)source_pitch | (size_t)bytes |
                                          (size_t)p.offset[k] | (size_t)pitch);
        if (unit >= 8)
            gather_short_rows<uint2>(to, from, pitch, source_pitch, bytes, rows);
        else if (unit == 4)
            gather_short_rows<uint32_t>(to, from, pitch, source_pitch, bytes, rows);
        else if (unit == 2)
            gather_short_rows<uint16_t>(to, from, pitch, source_pitch, bytes, rows);
        else
            gather_short_rows<uint8_t>(to, from, pitch, source_pitch, bytes, rows);
    }
    __syncthreads();
    copy_run(p.out + first * p.pitch, reinterpret_cast<const char*>(base), rows * pitch);
}

#define GPUNP_PIECES(symbol, body, Params)                             \
    extern "C" __global__ void __launch_bounds__(::gpunp::PIECE_BLOCK) \
        symbol(const __grid_constant__ Params p) {                     \
        body(p);                                                       \
    }
GPUNP_PIECES(concatenate_pieces, concatenate_pieces_of, PiecesParams)
GPUNP_PIECES(concatenate_pieces_few, concatenate_pieces_of, FewPiecesParams)
GPUNP_PIECES(concatenate_narrow, concatenate_narrow_of, PiecesParams)
GPUNP_PIECES(concatenate_narrow_few, concatenate_narrow_of, FewPiecesParams)
#undef GPUNP_PIECES

#else

inline void concatenate_pieces(const void* params) {
    const PiecesParams& p = *static_cast<const PiecesParams*>(params);
    const auto copy_row = [&](int64_t row, auto copy) {
        for (int k = 0; k < p.count; k++)
            copy(p.out + row * p.pitch + p.offset[k], p.source[k] + row * p.source_pitch[k],
                 (size_t)(p.offset[k + 1] - p.offset[k]));
    };
    if (p.rows == 1) {
        copy_row(0, gpunp_pool_copy);
        return;
    }
    parallel_for(p.rows, grain_of(p.pitch / 4), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) copy_row(row, memcpy);
    });
}

#endif

}  // namespace gpunp
