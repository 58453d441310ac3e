// The elementwise loop on the device: each thread loads whole vectors, computes, and stores them.
#pragma once

namespace gpunp {
namespace custom {

template <int BYTES>
struct word_type;
template <>
struct word_type<1> {
    using type = unsigned char;
};
template <>
struct word_type<2> {
    using type = unsigned short;
};
template <>
struct word_type<4> {
    using type = unsigned;
};
template <>
struct word_type<8> {
    using type = uint2;
};
template <>
struct word_type<16> {
    using type = uint4;
};

// Moves V elements between aligned memory and registers, in words of at most 16 bytes.
template <int BYTES>
__device__ __forceinline__ void move_in(void* registers, const char* q) {
    constexpr int WIDTH = BYTES < 16 ? BYTES : 16;
    using Word = typename word_type<WIDTH>::type;
#pragma unroll
    for (int w = 0; w < BYTES / WIDTH; w++) {
        const Word word = reinterpret_cast<const Word*>(q)[w];
        __builtin_memcpy(static_cast<char*>(registers) + w * WIDTH, &word, WIDTH);
    }
}
template <int BYTES>
__device__ __forceinline__ void move_out(char* q, const void* registers) {
    constexpr int WIDTH = BYTES < 16 ? BYTES : 16;
    using Word = typename word_type<WIDTH>::type;
#pragma unroll
    for (int w = 0; w < BYTES / WIDTH; w++) {
        Word word;
        __builtin_memcpy(&word, static_cast<const char*>(registers) + w * WIDTH, WIDTH);
        reinterpret_cast<Word*>(q)[w] = word;
    }
}

// The V neighboring elements of one operand.
template <class Op, int V>
struct Lane {
    using T = typename Op::type;
    char* q;
    Element<Op> element[Op::role == ELEMENTWISE_SPREAD ? 1 : V];

    __device__ __forceinline__ T& at(int j, int64_t step) {
        return element[Op::role == ELEMENTWISE_SPREAD ? 0 : j].at(q + j * step);
    }
    __device__ __forceinline__ void load(int64_t step) {
        if constexpr (Op::role == ELEMENTWISE_ALIGNED) {
            move_in<V*(int)sizeof(T)>(element, q);
        } else if constexpr (Op::role == ELEMENTWISE_SPREAD) {
            element[0].load(q);
        } else {
#pragma unroll
            for (int j = 0; j < V; j++) element[j].load(q + j * step);
        }
    }
    __device__ __forceinline__ void store(int64_t step) const {
        if constexpr (!Op::output) {
        } else if constexpr (Op::role == ELEMENTWISE_ALIGNED) {
            move_out<V*(int)sizeof(T)>(q, element);
        } else {
#pragma unroll
            for (int j = 0; j < V; j++) element[j].store(q + j * step);
        }
    }
};

template <bool WIDE>
struct chunk_type {
    using type = uint32_t;
};
template <>
struct chunk_type<true> {
    using type = int64_t;
};

template <int RANK, int V, bool WIDE, class... Op>
struct Lanes : Lane<Op, V>... {
    int64_t index;  // of the first element
    int64_t left;   // elements of the row from there on; none if the chunk does not exist

    template <class P>
    __device__ __forceinline__ void place(const P& p, int64_t chunk) {
        left = 0;
        if (chunk >= p.chunks()) return;
        const int64_t inner = p.extent(RANK - 1);
        int64_t column = chunk * V;
        index = column;
        if constexpr (RANK == 1) {
            ((Lane<Op, V>::q = p.data(Op::number) + column * step_of<Op, RANK>(p)), ...);
        } else {
            using Chunk = typename chunk_type<WIDE>::type;
            const Chunk across = (Chunk)((inner + V - 1) / V);
            Chunk row = (Chunk)chunk / across;
            column = (int64_t)((Chunk)chunk - row * across) * V;
            index = (int64_t)row * inner + column;
            ((Lane<Op, V>::q = p.data(Op::number) + column * step_of<Op, RANK>(p)), ...);
#pragma unroll
            for (int d = RANK - 2; d >= 0; d--) {
                const Chunk extent = (Chunk)p.extent(d);
                const Chunk rest = d > 0 ? row / extent : 0;
                const int64_t at = row - rest * extent;
                ((Lane<Op, V>::q += at * p.stride(Op::number, d)), ...);
                row = rest;
            }
        }
        left = inner - column;
    }
    template <class P>
    __device__ __forceinline__ void load(const P& p) {
        (Lane<Op, V>::load(step_of<Op, RANK>(p)), ...);
    }
    // All V elements.
    template <class P, class F>
    __device__ __forceinline__ void run(const P& p, F&& body) {
#pragma unroll
        for (int j = 0; j < V; j++) body((ptrdiff_t)(index + j), Lane<Op, V>::at(j, step_of<Op, RANK>(p))...);
        (Lane<Op, V>::store(step_of<Op, RANK>(p)), ...);
    }
    // One by one, as many as there are.
    template <class P, class F>
    __device__ __forceinline__ void run_each(const P& p, F&& body) {
        const int count = left < V ? (int)left : V;
#pragma unroll 1
        for (int j = 0; j < count; j++) {
            run_one(p, body, index + j, Element<Op>{}...);
            ((Lane<Op, V>::q += step_of<Op, RANK>(p)), ...);
        }
    }
    template <class P, class F>
    __device__ __forceinline__ void run_one(const P&, F&& body, int64_t i, Element<Op>... one) {
        (one.load(Lane<Op, V>::q), ...);
        body((ptrdiff_t)i, one.at(Lane<Op, V>::q)...);
        (one.store(Lane<Op, V>::q), ...);
    }
};

template <int RANK, int V, int U, bool WIDE, bool APART, class... Op>
struct Loop {
    template <class P, class F>
    static __device__ __forceinline__ void run(const P& p, F&& body) {
        const int64_t first = (int64_t)blockIdx.x * (blockDim.x * U) + threadIdx.x;
        Lanes<RANK, V, WIDE, Op...> lanes[U];
        bool whole = true;
#pragma unroll
        for (int u = 0; u < U; u++) {
            lanes[u].place(p, first + u * blockDim.x);
            whole = whole && lanes[u].left >= V;
        }
        // Loads and operations are under one condition: else the compiler would move parts of the operation
        // to the loads, and contract it in some elements and not in others.
        if (whole) {
#pragma unroll
            for (int u = 0; u < U; u++) lanes[u].load(p);
#pragma unroll
            for (int u = 0; u < U; u++) lanes[u].run(p, body);
        } else {
#pragma unroll 1
            for (int u = 0; u < U; u++) {
                Lanes<RANK, V, WIDE, Op...> lane;
                lane.place(p, first + u * blockDim.x);
                lane.run_each(p, body);
            }
        }
    }
};

}  // namespace custom
}  // namespace gpunp

#define GPUNP_ELEMENTWISE_KERNEL(name, threads, ...) \
    extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ __VA_ARGS__ _p)
