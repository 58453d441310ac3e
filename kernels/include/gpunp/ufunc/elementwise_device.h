// Device variants of the elementwise skeleton: vector, strided, tiled.
#pragma once

namespace gpunp {

// Conversion by run-time dtype. Out of line, because every functor of a unit shares it.
template <class S>
__device__ __noinline__ S load_any(const char* p, int dtype) {
    return load_as<S>(p, dtype);
}
template <class S>
__device__ __noinline__ void store_any(char* p, int dtype, S value) {
    store_as<S>(p, dtype, value);
}

// Adds the byte offset of row `index`, over all dimensions up to `last`, of every operand and of the mask.
template <bool MASKED = true>
__device__ __forceinline__ void row_offsets(const ElementwiseParams& p, int last, int64_t index, int operands,
                                            int64_t (&offset)[MAX_OPERANDS + 1]) {
    const bool narrow = index <= 0x7fffffff;
#pragma unroll 1
    for (int d = last; d >= 0; d--) {
        const int64_t extent = p.shape[d];
        int64_t rest = 0;
        if (d > 0) rest = narrow ? (int64_t)((uint32_t)index / (uint32_t)extent) : index / extent;
        const int64_t at = index - rest * extent;
#pragma unroll
        for (int k = 0; k <= MAX_OPERANDS; k++)
            if (k < operands || (MASKED && k == MAX_OPERANDS)) offset[k] += at * p.strides[k][d];
        index = rest;
    }
}

template <class T>
struct bare {
    using type = T;
};
template <class T>
struct bare<T&> {
    using type = T;
};
template <class T>
using bare_t = typename bare<T>::type;

// Loads everything but whole aligned vectors of the functor's own type; elements past the end repeat the
// first, so that all may be computed. Out of line: shared by every functor of a unit.
template <class S, int V>
__device__ __noinline__ Vector<S, V> load_slowly(const char* q, int count, int dtype) {
    Vector<S, V> v = {};
    if (dtype == dtype_of<S>::value) {
#pragma unroll
        for (int i = 0; i < V; i++) v.at[i] = reinterpret_cast<const S*>(q)[i < count ? i : 0];
        return v;
    }
    // The vector is rotated, because registers cannot be indexed dynamically; unrolled, the loop would take
    // registers from all functors.
#pragma unroll 1
    for (int i = 0; i < V; i++) {
#pragma unroll
        for (int k = 0; k + 1 < V; k++) v.at[k] = v.at[k + 1];
        v.at[V - 1] = load_as<S>(q, dtype);
        if (i + 1 < count) q += dtype_size(dtype);
    }
    return v;
}
template <class S, int V>
__device__ __noinline__ void store_slowly(char* q, Vector<S, V> v, int count, int dtype) {
    if (dtype == dtype_of<S>::value) {
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < count) reinterpret_cast<S*>(q)[i] = v.at[i];
        return;
    }
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        store_as<S>(q, dtype, v.at[0]);
#pragma unroll
        for (int k = 0; k + 1 < V; k++) v.at[k] = v.at[k + 1];
        q += dtype_size(dtype);
    }
}

template <class S, int V, int K>
struct Lane {
    Vector<S, V> v;

    // `count`: the valid elements, V if the whole vector is inside.
    __device__ __forceinline__ void load(const ElementwiseParams& p, int64_t offset, int count) {
        const char* q = p.data[K] + offset;
        if (p.role[K] == ALIGNED && count == V) {
            v = *reinterpret_cast<const Vector<S, V>*>(q);
        } else if (p.role[K] == SPREAD) {
            v.at[0] = *reinterpret_cast<const S*>(q);
        } else if (p.role[K] == SCALAR || p.role[K] == SPREAD) {
            // Only SCALAR comes here; the test for both takes two registers less.
            const S s = *reinterpret_cast<const S*>(p.scalar[K < MAX_INPUTS ? K : 0]);
#pragma unroll
            for (int i = 0; i < V; i++) v.at[i] = s;
        } else {
            v = load_slowly<S, V>(q, count, p.dtype[K]);
        }
    }
    // Spreads the element that serves the row. Not part of `load`: it would wait for the element before the
    // next vectors are loaded.
    __device__ __forceinline__ void spread(const ElementwiseParams& p) {
        if (p.role[K] == SPREAD) {
#pragma unroll
            for (int i = 1; i < V; i++) v.at[i] = v.at[0];
        }
    }
    __device__ __forceinline__ void store(const ElementwiseParams& p, int64_t offset, int count) const {
        char* q = p.data[K] + offset;
        if (p.role[K] == ALIGNED && count == V)
            *reinterpret_cast<Vector<S, V>*>(q) = v;
        else
            store_slowly<S, V>(q, v, count, p.dtype[K]);
    }
};
template <int V, int K>
struct Lane<none, V, K> {
    Vector<none, V> v;
    __device__ __forceinline__ void load(const ElementwiseParams&, int64_t, int) {}
    __device__ __forceinline__ void spread(const ElementwiseParams&) {}
    __device__ __forceinline__ void store(const ElementwiseParams&, int64_t, int) const {}
};

template <class F>
__device__ __forceinline__ void apply_stored(typename F::I0 a, typename F::I1 b, typename F::I2 c,
                                             typename F::O0& x, typename F::O1& y, uint32_t* status) {
    operand_t<F, typename F::O0> r;
    operand_t<F, typename F::O1> s;
    F::apply(from_stored(a, tag<operand_t<F, typename F::I0>>{}),
             from_stored(b, tag<operand_t<F, typename F::I1>>{}),
             from_stored(c, tag<operand_t<F, typename F::I2>>{}), r, s, status);
    x = store_value(tag<typename F::O0>{}, r);
    y = store_value(tag<typename F::O1>{}, s);
}

template <class F, int V>
struct Lanes {
    Lane<typename F::I0, V, 0> a;
    Lane<typename F::I1, V, 1> b;
    Lane<typename F::I2, V, 2> c;
    int64_t offset[MAX_OPERANDS + 1];
    int count;

    __device__ __forceinline__ void load(const ElementwiseParams& p) {
        a.load(p, offset[0], count);
        if (F::nin > 1) b.load(p, offset[1], count);
        if (F::nin > 2) c.load(p, offset[2], count);
    }
    __device__ __forceinline__ void finish(const ElementwiseParams& p) {
        a.spread(p);
        if (F::nin > 1) b.spread(p);
        if (F::nin > 2) c.spread(p);
        Lane<typename F::O0, V, F::nin> x;
        Lane<typename F::O1, V, F::nin + F::nout - 1> y;
#pragma unroll
        for (int i = 0; i < V; i++)
            apply_stored<F>(a.v.at[i], b.v.at[i], c.v.at[i], x.v.at[i], y.v.at[i], p.status);
        x.store(p, offset[F::nin], count);
        if (F::nout > 1) y.store(p, offset[F::nin + F::nout - 1], count);
    }
};

// Of three inputs with a result of more than 16 bytes, two vectors would take so many registers that fewer
// bytes are in flight: np.where of 2^28 float32 takes 651 us on an H200, and 599 by one.
template <class F>
GPUNP_HD constexpr int vectors_at_once() {
    return F::nin > 2 && vector_width<F>() * size_of<typename F::O0>() > 16 ? 1 : vectors_each<F>();
}

// What the host puts in place of the strides of a mask, which vector kernels do not have: the number of
// vectors; multiplier and shift that divide the number of a vector, below 2^31, by the vectors of a row.
enum VectorWord { VECTOR_CHUNKS, VECTOR_MAGIC, VECTOR_SHIFT };

// Unit-stride or constant operands along the last dimension, all of the functor's own types.
template <class F>
__device__ __forceinline__ void run_vector(const ElementwiseParams& p) {
    constexpr int V = vector_width<F>();
    constexpr int N = F::nin + F::nout;
    const int64_t inner = p.shape[p.ndim - 1];
    const int64_t row_chunks = (inner + V - 1) / V;
    const int64_t chunks = p.strides[MAX_OPERANDS][VECTOR_CHUNKS];
    const uint32_t magic = (uint32_t)p.strides[MAX_OPERANDS][VECTOR_MAGIC];
    const uint32_t shift = (uint32_t)p.strides[MAX_OPERANDS][VECTOR_SHIFT];
    constexpr int UNROLL = vectors_at_once<F>();
    const int64_t first = (int64_t)blockIdx.x * (ELEMENTWISE_BLOCK * UNROLL) + threadIdx.x;
    Lanes<F, V> lanes[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        int64_t chunk = first + u * ELEMENTWISE_BLOCK;
        Lanes<F, V>& lane = lanes[u];
        lane.count = 0;
        if (chunk >= chunks) continue;
        int64_t column = chunk;
#pragma unroll
        for (int k = 0; k <= MAX_OPERANDS; k++) lane.offset[k] = 0;
        if (p.ndim > 1) {
            const uint32_t narrow = (uint32_t)chunk;
            const int64_t row = chunks <= 0x7fffffff ? (int64_t)((__umulhi(narrow, magic) + narrow) >> shift)
                                                     : chunk / row_chunks;
            column = chunk - row * row_chunks;
            row_offsets<false>(p, p.ndim - 2, row, N, lane.offset);
        }
        int64_t left = inner - column * V;
        lane.count = left < V ? (int)left : V;
#pragma unroll
        for (int k = 0; k < N; k++) lane.offset[k] += column * V * p.strides[k][p.ndim - 1];
        lane.load(p);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        if (lanes[u].count > 0) lanes[u].finish(p);
}

// Any strides, any dtypes, optionally masked: one element per thread.
template <class F>
__device__ __forceinline__ void run_strided(const ElementwiseParams& p) {
    constexpr int N = F::nin + F::nout;
    const int64_t index = (int64_t)blockIdx.x * ELEMENTWISE_BLOCK + threadIdx.x;
    if (index >= p.size) return;
    int64_t offset[MAX_OPERANDS + 1] = {};
    row_offsets(p, p.ndim - 1, index, N, offset);
    if (p.mask && !p.mask[offset[MAX_OPERANDS]]) return;
    typename F::I0 a;
    typename F::I1 b;
    typename F::I2 c;
    typename F::O0 x;
    typename F::O1 y;
    auto get = [&](auto& target, int k) {
        using S = bare_t<decltype(target)>;
        if (p.role[k] == SCALAR)
            target = *reinterpret_cast<const S*>(p.scalar[k]);
        else if (p.dtype[k] == dtype_of<S>::value)
            target = *reinterpret_cast<const S*>(p.data[k] + offset[k]);
        else
            target = load_any<S>(p.data[k] + offset[k], p.dtype[k]);
    };
    auto put = [&](auto value, int k) {
        using S = decltype(value);
        if (p.dtype[k] == dtype_of<S>::value)
            *reinterpret_cast<S*>(p.data[k] + offset[k]) = value;
        else
            store_any<S>(p.data[k] + offset[k], p.dtype[k], value);
    };
    get(a, 0);
    if constexpr (F::nin > 1) get(b, 1);
    if constexpr (F::nin > 2) get(c, 2);
    apply_stored<F>(a, b, c, x, y, p.status);
    put(x, F::nin);
    if constexpr (F::nout > 1) put(y, F::nin + 1);
}

// The last two dimensions in square register tiles: an operand may be contiguous along either. A warp covers
// 8 vectors along the second-to-last dimension and 4 along the last, so that both kinds of operand move whole
// 64- or 128-byte segments without shared memory.
template <class F>
__device__ __forceinline__ void run_tiled(const ElementwiseParams& p) {
    constexpr int V = vector_width<F>() > ELEMENTWISE_TILE_WIDTH ? ELEMENTWISE_TILE_WIDTH : vector_width<F>();
    constexpr int N = F::nin + F::nout;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t rows = p.shape[p.ndim - 2], columns = p.shape[p.ndim - 1];
    const int64_t tiles_across = (columns + 16 * V - 1) / (16 * V);
    const int64_t tile_row = blockIdx.x / tiles_across, tile_column = blockIdx.x % tiles_across;
    const int64_t row = (tile_row * 16 + (warp / 4) * 8 + lane % 8) * V;
    const int64_t column = (tile_column * 16 + (warp % 4) * 4 + lane / 8) * V;
    if (row >= rows || column >= columns) return;
    int64_t offset[MAX_OPERANDS + 1] = {};
    if (p.ndim > 2) row_offsets(p, p.ndim - 3, blockIdx.y, N, offset);
#pragma unroll
    for (int k = 0; k < N; k++)
        offset[k] += row * p.strides[k][p.ndim - 2] + column * p.strides[k][p.ndim - 1];
    const bool whole = p.vector_ok && row + V <= rows && column + V <= columns;
    typename F::I0 a[V][V];
    typename F::I1 b[V][V];
    auto get = [&](auto& tile, int k) {
        using S = bare_t<decltype(tile[0][0])>;
        const char* q = p.data[k] + offset[k];
        const int64_t down = p.strides[k][p.ndim - 2], across = p.strides[k][p.ndim - 1];
        if (p.role[k] == SCALAR) {
            S s = *reinterpret_cast<const S*>(p.scalar[k]);
#pragma unroll
            for (int i = 0; i < V * V; i++) tile[i / V][i % V] = s;
        } else if (whole && p.role[k] == ACROSS) {
#pragma unroll
            for (int j = 0; j < V; j++) {
                Vector<S, V> v = *reinterpret_cast<const Vector<S, V>*>(q + j * across);
#pragma unroll
                for (int i = 0; i < V; i++) tile[i][j] = v.at[i];
            }
        } else if (whole && p.role[k] == ALIGNED) {
#pragma unroll
            for (int i = 0; i < V; i++)
                *reinterpret_cast<Vector<S, V>*>(tile[i]) =
                    *reinterpret_cast<const Vector<S, V>*>(q + i * down);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
#pragma unroll
                for (int j = 0; j < V; j++)
                    if (row + i < rows && column + j < columns)
                        tile[i][j] = *reinterpret_cast<const S*>(q + i * down + j * across);
        }
    };
    get(a, 0);
    if constexpr (F::nin > 1) get(b, 1);
    char* q = p.data[F::nin] + offset[F::nin];
    const int64_t down = p.strides[F::nin][p.ndim - 2];
#pragma unroll
    for (int i = 0; i < V; i++) {
        Vector<typename F::O0, V> x;
        none unused;
#pragma unroll
        for (int j = 0; j < V; j++)
            if (whole || (row + i < rows && column + j < columns)) {
                if constexpr (F::nin > 1)
                    apply_stored<F>(a[i][j], b[i][j], none{}, x.at[j], unused, p.status);
                else
                    apply_stored<F>(a[i][j], none{}, none{}, x.at[j], unused, p.status);
            }
        if (whole) {
            *reinterpret_cast<Vector<typename F::O0, V>*>(q + i * down) = x;
        } else {
#pragma unroll
            for (int j = 0; j < V; j++)
                if (row + i < rows && column + j < columns)
                    reinterpret_cast<typename F::O0*>(q + i * down)[j] = x.at[j];
        }
    }
}

}  // namespace gpunp

#define GPUNP_ELEMENTWISE_VECTOR(symbol, F)                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::ELEMENTWISE_BLOCK)   \
        symbol##_vector(const __grid_constant__::gpunp::ElementwiseParams p) { \
        ::gpunp::run_vector<F>(p);                                             \
    }
#define GPUNP_ELEMENTWISE_STRIDED(symbol, F)                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::ELEMENTWISE_BLOCK)    \
        symbol##_strided(const __grid_constant__::gpunp::ElementwiseParams p) { \
        ::gpunp::run_strided<F>(p);                                             \
    }
#define GPUNP_ELEMENTWISE_TILED(symbol, F)                                    \
    extern "C" __global__ void __launch_bounds__(::gpunp::ELEMENTWISE_BLOCK)  \
        symbol##_tiled(const __grid_constant__::gpunp::ElementwiseParams p) { \
        ::gpunp::run_tiled<F>(p);                                             \
    }
