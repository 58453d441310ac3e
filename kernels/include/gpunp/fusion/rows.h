// Kernels of operations over rows and of reductions along them: a block holds a tile of whole rows in shared
// memory, so that rows are read once and results are written once.
//
// Phases alternate: elementwise passes over the tile; reductions of its rows, by the code and in the order of
// gpunp's own kernel for the same rows; operations on the values of rows. Generated code has a loop for each.
//
// A row lies in shared memory at the same distance from a multiple of 16 bytes as it would in an array, since
// the order of a reduction depends on that.
#pragma once
#include "gpunp/common/cast.h"
#include "gpunp/common/vector.h"
#include "gpunp/fusion/group.h"
#include "gpunp/fusion/reduction.h"
#include "gpunp/fusion/rows_params.h"
#include "gpunp/reduction/reduce_kernels.h"

namespace gpunp {
namespace fusion {

// The rows of a block, and the memory that holds their values.
struct Tile {
    unsigned char* room;
    int64_t first;
    int live;  // rows
    int thread, threads;

#if GPUNP_ON_DEVICE
    static __device__ __forceinline__ unsigned char* shared() {
        extern __shared__ uint4 gpunp_rows_room[];
        return reinterpret_cast<unsigned char*>(gpunp_rows_room);
    }
    __device__ __forceinline__ explicit Tile(const RowsParams& p)
        : room(shared()), first((int64_t)blockIdx.x * p.tile), thread(threadIdx.x), threads(ROWS_BLOCK) {
        live = p.rows - first < p.tile ? (int)(p.rows - first) : p.tile;
    }
    __device__ __forceinline__ void wait() const { __syncthreads(); }
#else
    Tile(const RowsParams& p, unsigned char* memory, int64_t row)
        : room(memory), first(row), thread(0), threads(1) {
        live = p.rows - first < p.tile ? (int)(p.rows - first) : p.tile;
    }
    void wait() const {}
#endif

    // The value with a number of a row.
    GPUNP_HD unsigned char* value(const RowsParams& p, int number, int row) const {
        return room + (number * p.tile + row) * ROWS_VALUE;
    }
    template <class T>
    GPUNP_HD T get(const RowsParams& p, int number, int row) const {
        return *reinterpret_cast<const T*>(value(p, number, row));
    }
    template <class T>
    GPUNP_HD void set(const RowsParams& p, int number, int row, T x) const {
        *reinterpret_cast<T*>(value(p, number, row)) = x;
    }
    // The place in the room of a held array's row, whose elements have a size of `size` bytes.
    GPUNP_HD uint32_t place(const RowsParams& p, int held, int row, int size) const {
        const uint32_t beyond = (uint32_t)(first + row) * (uint32_t)p.length * (uint32_t)size & 15;
        return p.held[held] + row * p.pitch[held] + beyond;
    }
    // The index of an element among those of all rows.
    GPUNP_HD int64_t index(const RowsParams& p, int row, int column) const {
        return (first + row) * p.length + column;
    }
};

// A vector of a row, unless the tile has ended.
struct Chunk {
    int row, number;
    bool live;
};

// The vectors of a tile that a thread computes: neighboring threads have neighboring vectors.
struct Walk {
    int row, number, start, step, across, chunks, live;

    GPUNP_HD Walk(const Tile& tile, const RowsParams& p)
        : start(tile.thread & (p.across - 1)),
          step(tile.threads / p.across),
          across(p.across),
          chunks(p.chunks),
          live(tile.live) {
        row = start < chunks ? tile.thread / across : live;
        number = start;
    }
    GPUNP_HD bool more() const { return row < live; }
    GPUNP_HD Chunk next() {
        const Chunk chunk = {row, number, row < live};
        number += across;
        if (number >= chunks) {
            number = start;
            row += step;
        }
        return chunk;
    }
};

// Neighbors in memory that this block writes, aligned as vectors of up to 16 bytes.
template <int N, class T>
GPUNP_HD void take(T (&x)[N], const unsigned char* at) {
    constexpr int EACH = N * (int)sizeof(T) <= 16 ? N : 16 / (int)sizeof(T);
    GPUNP_UNROLL
    for (int n = 0; n < N; n += EACH) {
        const auto v = *reinterpret_cast<const Vector<T, EACH>*>(at + n * (int)sizeof(T));
        GPUNP_UNROLL
        for (int i = 0; i < EACH; i++) x[n + i] = v.at[i];
    }
}
template <int N, class T>
GPUNP_HD void put(unsigned char* at, const T (&x)[N]) {
    constexpr int EACH = N * (int)sizeof(T) <= 16 ? N : 16 / (int)sizeof(T);
    GPUNP_UNROLL
    for (int n = 0; n < N; n += EACH) {
        Vector<T, EACH> v;
        GPUNP_UNROLL
        for (int i = 0; i < EACH; i++) v.at[i] = x[n + i];
        *reinterpret_cast<Vector<T, EACH>*>(at + n * (int)sizeof(T)) = v;
    }
}

// Copies of leaves into the room. They do not pass through registers, so all of a tile are on their way at
// once. A block also prefetches the rows of the block that starts as many blocks later as there are
// multiprocessors. docs/design/fusion.md has the times.
#if GPUNP_ON_DEVICE
class Copies {
    static constexpr uint32_t LEAST_BULK = 4096;  // bytes of a row
#if __CUDA_ARCH__ >= 800
    static constexpr bool ASYNC = true;
#else
    static constexpr bool ASYNC = false;
#endif

  public:
    // All threads of the block call it, before anything is in the room.
    __device__ __forceinline__ explicit Copies(const Tile& tile) {
#if __CUDA_ARCH__ >= 900
        __shared__ alignas(8) uint64_t barrier;
        barrier_ = (uint32_t)__cvta_generic_to_shared(&barrier);
        if (tile.thread == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
#endif
    }
    // Starts to copy the rows of a leaf, by vectors of W elements of T.
    template <int W, class T>
    __device__ __forceinline__ void start(const Tile& tile, const RowsParams& p, int leaf, int held) {
        constexpr int SIZE = sizeof(T), BYTES = W * SIZE;
        const char* from = p.memory[leaf];
#if __CUDA_ARCH__ >= 900
        const uint32_t row_bytes = (uint32_t)p.length * SIZE;
        if ((((uint32_t)(uintptr_t)from | row_bytes) & 15) == 0 && row_bytes >= LEAST_BULK) {
            const int64_t later = tile.first + p.ahead;
            if (tile.thread == 0) {
                asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier_),
                             "r"(tile.live * row_bytes)
                             : "memory");
                for (int row = 0; row < tile.live; row++)
                    asm volatile(
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                        " [%0], [%1], %2, [%3];" ::"r"(
                            (uint32_t)__cvta_generic_to_shared(tile.room + tile.place(p, held, row, SIZE))),
                        "l"(from + tile.index(p, row, 0) * SIZE), "r"(row_bytes), "r"(barrier_)
                        : "memory");
                if (later + p.tile <= p.rows)
                    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from + later * row_bytes),
                                 "r"(p.tile * row_bytes)
                                 : "memory");
            }
            return;
        }
#endif
        for (Walk walk(tile, p); walk.more();) {
            const Chunk chunk = walk.next();
            const int column = chunk.number * W;
            const char* at = from + tile.index(p, chunk.row, column) * SIZE;
            unsigned char* to = tile.room + tile.place(p, held, chunk.row, SIZE) + column * SIZE;
            if constexpr (BYTES % 4 == 0 && ASYNC) {
                constexpr int EACH = BYTES % 16 == 0 ? 16 : BYTES % 8 == 0 ? 8 : 4;
                const uint32_t place = (uint32_t)__cvta_generic_to_shared(to);
                GPUNP_UNROLL
                for (int n = 0; n < BYTES; n += EACH) {
                    if constexpr (EACH == 16)
                        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place + n), "l"(at + n)
                                     : "memory");
                    else
                        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place + n),
                                     "l"(at + n), "n"(EACH)
                                     : "memory");
                }
            } else {
                T x[W];
                load_aligned<W>(x, at);
                put(to, x);
            }
        }
    }
    // Waits for the copies; those that other threads started are there after a barrier.
    __device__ __forceinline__ void wait(const Tile& tile) const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 900
        if (tile.thread == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier_) : "memory");
        uint32_t done;
        do {
            asm volatile(
                "{ .reg .pred there; mbarrier.try_wait.parity.shared::cta.b64 there, [%1], 0;"
                " selp.u32 %0, 1, 0, there; }"
                : "=r"(done)
                : "r"(barrier_)
                : "memory");
        } while (!done);
#endif
        tile.wait();
    }

  private:
    uint32_t barrier_ = 0;
};
#else
class Copies {
  public:
    explicit Copies(const Tile&) {}
    template <int W, class T>
    void start(const Tile& tile, const RowsParams& p, int leaf, int held) {
        for (int row = 0; row < tile.live; row++)
            __builtin_memcpy(tile.room + tile.place(p, held, row, (int)sizeof(T)),
                             p.memory[leaf] + tile.index(p, row, 0) * (int64_t)sizeof(T),
                             p.length * sizeof(T));
    }
    void wait(const Tile&) const {}
};
#endif

GPUNP_HD ::gpunp::ReduceParams fold_params(const RowFold& fold) {
    ::gpunp::ReduceParams p;
    p.flags = fold.flags;
    p.divisor = fold.divisor;
    p.correction = fold.correction;
    p.initial[0] = fold.initial[0];
    p.initial[1] = fold.initial[1];
    p.initial_integer = fold.initial_integer;
    p.out_dtype = fold.out_dtype;
    return p;
}

}  // namespace fusion

namespace reduction {

#if GPUNP_ON_DEVICE
// The elements of a held array: an address is a place in the room.
template <class Stored>
struct Held {
    using In = Stored;
    static constexpr bool in_memory = false;

    template <int N>
    static __device__ __forceinline__ void neighbors(In (&x)[N], const In* at, const ReduceParams&) {
        fusion::take(x, fusion::Tile::shared() + (uintptr_t)at);
    }
    static __device__ __forceinline__ In one(const In* at, const ReduceParams&) {
        return *reinterpret_cast<const In*>(fusion::Tile::shared() + (uintptr_t)at);
    }
};

// Folds the rows of a held array. All threads of the block call it.
template <class Op>
__device__ __forceinline__ void fold_held(const fusion::Tile& tile, const fusion::RowsParams& p, int number,
                                          int held, int value) {
    using In = typename Op::In;
    const ReduceParams q = fusion::fold_params(p.fold[number]);
    const int lanes = p.fold[number].lanes, lane = tile.thread & (lanes - 1);
    for (int first = 0; first < p.tile; first += REDUCE_BLOCK / lanes) {
        const int row = first + tile.thread / lanes;
        Stream<Op> s;
        s.start();
        if (row < tile.live) {
            const In* x = (const In*)(uintptr_t)tile.place(p, held, row, sizeof(In));
            read_run<Op>(s, x, p.length, 0, lane, lanes, q);
        }
        const typename Op::Acc a = fold_group<Op>(s.finish(), lanes);
        if (lane == 0 && row < tile.live)
            store_result((char*)tile.value(p, value, row), with_initial<Op>(a, q), q);
    }
}
#else
template <class Stored>
struct Held {
    using In = Stored;
    static constexpr bool in_memory = true;
};

template <class Op>
void fold_held(const fusion::Tile& tile, const fusion::RowsParams& p, int number, int held, int value) {
    using In = typename Op::In;
    ReduceParams q = fusion::fold_params(p.fold[number]);
    for (int row = 0; row < tile.live; row++) {
        const In* x = (const In*)(tile.room + tile.place(p, held, row, sizeof(In)));
        Cascade<Op> cascade;
        for (int i = 0; i < p.length; i += HOST_BLOCK) {
            const int n = p.length - i < HOST_BLOCK ? p.length - i : HOST_BLOCK;
            cascade.push(fold_block<Op>(x + i, n, i, q, (const typename Op::Acc*)nullptr));
        }
        q.out = (char*)tile.value(p, value, row);
        store<Op>(cascade.finish(), q, 0);
    }
}
#endif

}  // namespace reduction
}  // namespace gpunp

// The kernel `gpunp_rows` of a group: `function(p, tile)` runs the phases of a tile.
#if GPUNP_ON_DEVICE
#define GPUNP_ROWS_PHASES __device__ __forceinline__
#define GPUNP_ROWS_KERNEL(function, BLOCKS)                                           \
    extern "C" __global__ void __launch_bounds__(::gpunp::fusion::ROWS_BLOCK, BLOCKS) \
        gpunp_rows(const __grid_constant__::gpunp::fusion::RowsParams p) {            \
        function(p, ::gpunp::fusion::Tile(p));                                        \
    }
#else
#define GPUNP_ROWS_PHASES inline
#define GPUNP_ROWS_KERNEL(function, BLOCKS)                                                     \
    extern "C" void gpunp_rows(const void* params) {                                            \
        const auto& p = *static_cast<const ::gpunp::fusion::RowsParams*>(params);               \
        auto* room = new ::gpunp::Bytes16[(p.nbytes + 15) / 16];                                \
        for (int64_t row = 0; row < p.rows; row += p.tile)                                      \
            function(p, ::gpunp::fusion::Tile(p, reinterpret_cast<unsigned char*>(room), row)); \
        delete[] room;                                                                          \
    }
#endif
