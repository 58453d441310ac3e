// The host loop of the elementwise skeleton: pieces that stay in the L1 cache, shared by the device's
// threads.
#pragma once
#include "gpunp/common/convert_host.h"
#include "gpunp/common/host_pool.h"
#include "gpunp/common/host_words.h"
#include "gpunp/math/host_vector_forms.h"
#include "gpunp/ufunc/elementwise_short_host.h"

namespace gpunp {

constexpr int PIECE = 1024;                       // elements of a piece that needs buffers
constexpr int DIRECT_PIECE = 1 << 14;             // of others
constexpr int TILE_ROWS = 64, TILE_COLUMNS = 16;  // of a piece, if an operand's memory runs across the rows

inline int64_t magnitude(int64_t x) {
    return x < 0 ? -x : x;
}

// A piece: some rows of some columns. Its rows are adjacent along the second-to-last dimension.
struct PieceShape {
    int64_t rows, columns;
    int64_t count() const { return rows * columns; }
};

// A piece of one operand: in place if its layout is the functor's, else in a buffer.
template <class S>
struct Piece {
    alignas(64) S buffer[PIECE];

    static bool in_place(const ElementwiseParams& p, int k, PieceShape shape) {
        const int last = p.ndim - 1;
        const int64_t row = shape.columns * (int64_t)sizeof(S);
        return p.role[k] != SCALAR && p.dtype[k] == dtype_of<S>::value &&
               p.strides[k][last] == (int64_t)sizeof(S) && (shape.rows == 1 || p.strides[k][last - 1] == row);
    }
    // `first`: of the pieces that use this buffer, which keeps the value of a scalar.
    GPUNP_SHARED const S* load(const ElementwiseParams& p, int k, const char* q, PieceShape shape,
                               bool first) {
        if (in_place(p, k, shape)) return reinterpret_cast<const S*>(q);
        if (p.role[k] == SCALAR) {
            if (!first) return buffer;
            S s;
            __builtin_memcpy(&s, p.scalar[k], sizeof(S));
            const int64_t count = p.size < PIECE ? p.size : PIECE;
            for (int64_t i = 0; i < count; i++) buffer[i] = s;
            return buffer;
        }
        const int last = p.ndim - 1;
        const int64_t stride = p.strides[k][last], row_stride = shape.rows > 1 ? p.strides[k][last - 1] : 0;
        if (stride == 0 && row_stride == 0 && p.dtype[k] == dtype_of<S>::value) {
            S s;
            __builtin_memcpy(&s, q, sizeof(S));
            for (int64_t i = 0; i < shape.count(); i++) buffer[i] = s;
            return buffer;
        }
        if (shape.rows > 1 && p.dtype[k] == dtype_of<S>::value && magnitude(row_stride) < magnitude(stride)) {
            for (int64_t i = 0; i < shape.columns; i++)
                for (int64_t r = 0; r < shape.rows; r++)
                    buffer[r * shape.columns + i] =
                        *reinterpret_cast<const S*>(q + i * stride + r * row_stride);
            return buffer;
        }
        S* to = buffer;
        for (int64_t r = 0; r < shape.rows; r++, q += row_stride, to += shape.columns) {
            if (p.dtype[k] != dtype_of<S>::value)
                gpunp_convert_run((char*)to, dtype_of<S>::value, sizeof(S), q, p.dtype[k], stride,
                                  shape.columns);
            else if (stride == (int64_t)sizeof(S))
                __builtin_memcpy((void*)to, q, shape.columns * sizeof(S));
            else if (stride == -(int64_t)sizeof(S))
                for (int64_t i = 0; i < shape.columns; i++) to[i] = reinterpret_cast<const S*>(q)[-i];
            else
                for (int64_t i = 0; i < shape.columns; i++)
                    to[i] = *reinterpret_cast<const S*>(q + i * stride);
        }
        return buffer;
    }
    S* target(const ElementwiseParams& p, int k, char* q, PieceShape shape) {
        return in_place(p, k, shape) ? reinterpret_cast<S*>(q) : buffer;
    }
    GPUNP_SHARED void store(const ElementwiseParams& p, int k, char* q, const char* mask, PieceShape shape) {
        const int last = p.ndim - 1;
        const int64_t stride = p.strides[k][last], row_stride = shape.rows > 1 ? p.strides[k][last - 1] : 0;
        if (!mask && shape.rows > 1 && p.dtype[k] == dtype_of<S>::value &&
            magnitude(row_stride) < magnitude(stride)) {
            for (int64_t i = 0; i < shape.columns; i++)
                for (int64_t r = 0; r < shape.rows; r++)
                    *reinterpret_cast<S*>(q + i * stride + r * row_stride) = buffer[r * shape.columns + i];
            return;
        }
        const S* from = buffer;
        for (int64_t r = 0; r < shape.rows; r++, q += row_stride, from += shape.columns) {
            if (mask) {
                const char* chosen = mask + r * shape.columns;
                for (int64_t i = 0; i < shape.columns; i++)
                    if (chosen[i])
                        gpunp_convert_run(q + i * stride, p.dtype[k], 0, (const char*)(from + i),
                                          dtype_of<S>::value, 0, 1);
            } else if (p.dtype[k] != dtype_of<S>::value) {
                gpunp_convert_run(q, p.dtype[k], stride, (const char*)from, dtype_of<S>::value, sizeof(S),
                                  shape.columns);
            } else if (stride == (int64_t)sizeof(S)) {
                __builtin_memcpy((void*)q, (const void*)from, shape.columns * sizeof(S));
            } else {
                for (int64_t i = 0; i < shape.columns; i++) *reinterpret_cast<S*>(q + i * stride) = from[i];
            }
        }
    }
};
template <>
struct Piece<none> {
    none buffer[PIECE];
    static bool in_place(const ElementwiseParams&, int, PieceShape) { return true; }
    const none* load(const ElementwiseParams&, int, const char*, PieceShape, bool) { return buffer; }
    none* target(const ElementwiseParams&, int, char*, PieceShape) { return buffer; }
    void store(const ElementwiseParams&, int, char*, const char*, PieceShape) {}
};

// The mask's bytes of a piece, side by side.
struct MaskPiece {
    char buffer[PIECE];

    GPUNP_SHARED const char* load(const ElementwiseParams& p, const char* q, PieceShape shape) {
        const int last = p.ndim - 1;
        const int64_t stride = p.strides[MAX_OPERANDS][last],
                      row_stride = shape.rows > 1 ? p.strides[MAX_OPERANDS][last - 1] : 0;
        for (int64_t r = 0; r < shape.rows; r++)
            for (int64_t i = 0; i < shape.columns; i++)
                buffer[r * shape.columns + i] = q[r * row_stride + i * stride];
        return buffer;
    }
};

// Memory of a chunk: its pieces use the same buffers.
struct Scratch {
    void* memory;
    bool first;  // the first piece that uses it
};

template <class F>
struct PieceBuffers {
    Piece<typename F::I0> a;
    Piece<typename F::I1> b;
    Piece<typename F::I2> c;
    Piece<typename F::O0> x;
    Piece<typename F::O1> y;
    MaskPiece mask;
};

template <class F, class Block>
void run_host_piece(const ElementwiseParams& p, char* const* data, const char* mask, PieceShape shape,
                    Scratch scratch) {
    auto& buffers = *static_cast<PieceBuffers<F>*>(scratch.memory);
    auto& px = buffers.x;
    auto& py = buffers.y;
    const int kx = F::nin, ky = F::nin + F::nout - 1;
    const int64_t count = shape.count();
    const auto* a = buffers.a.load(p, 0, data[0], shape, scratch.first);
    const auto* b = buffers.b.load(p, 1, data[1], shape, scratch.first);
    const auto* c = buffers.c.load(p, 2, data[2], shape, scratch.first);
    auto* x = px.target(p, kx, data[kx], shape);
    auto* y = py.target(p, ky, data[ky], shape);
    const auto one = element_of<F>(a, b, c, x, y, p.status);
    if constexpr (Block::exists) {
        if (mask) {
            // The same function as without a mask, so that the bits are the same.
            typename F::O0 all[PIECE];
            Block::run(a, b, all, count);
            mask = buffers.mask.load(p, mask, shape);
            for (int64_t i = 0; i < count; i++)
                if (mask[i]) x[i] = all[i];
        }
    } else if (mask) {
        mask = buffers.mask.load(p, mask, shape);
        // Masked elements are not computed: they could be errors, such as negative exponents of integers.
        for (int64_t i = 0; i < count; i++)
            if (mask[i]) one(i);
    }
    if (!mask) run_elements<F, Block>(a, b, c, x, y, count, p.status);
    if ((const void*)x == (const void*)px.buffer) px.store(p, kx, data[kx], mask, shape);
    if (F::nout > 1 && (const void*)y == (const void*)py.buffer) py.store(p, ky, data[ky], mask, shape);
}

// A piece whose elements are equal, because all inputs are scalars; its rows are contiguous.
template <class F>
void fill_host_piece(const ElementwiseParams& p, char* const* data, const char*, PieceShape shape, Scratch) {
    typename F::I0 a{};
    typename F::I1 b{};
    typename F::I2 c{};
    if (F::nin > 0) __builtin_memcpy((void*)&a, p.scalar[0], sizeof a);
    if (F::nin > 1) __builtin_memcpy((void*)&b, p.scalar[1], sizeof b);
    if (F::nin > 2) __builtin_memcpy((void*)&c, p.scalar[2], sizeof c);
    operand_t<F, typename F::O0> r;
    operand_t<F, typename F::O1> s;
    F::apply(from_stored(a, tag<operand_t<F, typename F::I0>>{}),
             from_stored(b, tag<operand_t<F, typename F::I1>>{}),
             from_stored(c, tag<operand_t<F, typename F::I2>>{}), r, s, p.status);
    const typename F::O0 value = store_value(tag<typename F::O0>{}, r);
    const int64_t row_stride = shape.rows > 1 ? p.strides[F::nin][p.ndim - 2] : 0;
    for (int64_t r = 0; r < shape.rows; r++) {
        auto* x = reinterpret_cast<typename F::O0*>(data[F::nin] + r * row_stride);
        for (int64_t i = 0; i < shape.columns; i++) x[i] = value;
    }
}

// The loop over pieces, which `piece` computes.
using HostPiece = void (*)(const ElementwiseParams& p, char* const* data, const char* mask, PieceShape shape,
                           Scratch scratch);

// How the elements are cut into pieces; `most` is the shape of all but the last ones of rows and columns.
struct PiecePlan {
    PieceShape most;
    int64_t row_pieces, column_pieces, pieces;
};

inline PiecePlan plan_pieces(const ElementwiseParams& p, PieceShape most) {
    const int last = p.ndim - 1;
    const int64_t rows = last > 0 ? p.shape[last - 1] : 1, columns = p.shape[last];
    PiecePlan plan{most, (rows + most.rows - 1) / most.rows, (columns + most.columns - 1) / most.columns, 0};
    plan.pieces = p.size / (rows * columns) * plan.row_pieces * plan.column_pieces;
    return plan;
}

// Pieces [begin, end) in C order.
GPUNP_SHARED inline void run_some_pieces(const ElementwiseParams& p, const PiecePlan& plan, HostPiece piece,
                                         size_t scratch_bytes, int64_t begin, int64_t end) {
    void* scratch = __builtin_alloca_with_align(scratch_bytes, 64 * 8);
    const int last = p.ndim - 1;
    const int64_t height = last > 0 ? p.shape[last - 1] : 1, width = p.shape[last];
    int64_t at[MAX_DIMS] = {}, rest = begin;
    int64_t column = rest % plan.column_pieces;
    rest /= plan.column_pieces;
    int64_t row = rest % plan.row_pieces;
    rest /= plan.row_pieces;
    for (int d = last - 2; d >= 0; d--) {
        at[d] = rest % p.shape[d];
        rest /= p.shape[d];
    }
    char* outer[MAX_OPERANDS + 1];
    for (int k = 0; k <= MAX_OPERANDS; k++) {
        int64_t offset = 0;
        for (int d = 0; d < last - 1; d++) offset += at[d] * p.strides[k][d];
        outer[k] = (k < MAX_OPERANDS ? p.data[k] : const_cast<char*>(p.mask)) + offset;
    }
    for (int64_t i = begin; i < end; i++) {
        char* data[MAX_OPERANDS + 1];
        const int64_t down = row * plan.most.rows, along = column * plan.most.columns;
        for (int k = 0; k <= MAX_OPERANDS; k++)
            data[k] = outer[k] + along * p.strides[k][last] + (last > 0 ? down * p.strides[k][last - 1] : 0);
        const PieceShape shape = {height - down < plan.most.rows ? height - down : plan.most.rows,
                                  width - along < plan.most.columns ? width - along : plan.most.columns};
        piece(p, data, p.mask ? data[MAX_OPERANDS] : nullptr, shape, {scratch, i == begin});
        if (++column < plan.column_pieces) continue;
        column = 0;
        if (++row < plan.row_pieces) continue;
        row = 0;
        for (int d = last - 2; d >= 0; d--) {
            const bool carry = ++at[d] == p.shape[d];
            const int64_t step = carry ? 1 - p.shape[d] : 1;
            for (int k = 0; k <= MAX_OPERANDS; k++) outer[k] += step * p.strides[k][d];
            if (!carry) break;
            at[d] = 0;
        }
    }
}

// The dimension along which an operand's memory runs if that is not the last one, else -1.
inline int dimension_across(const ElementwiseParams& p, int operands) {
    const int last = p.ndim - 1;

    for (int k = 0; k < operands; k++) {
        if (p.role[k] == SCALAR || magnitude(p.strides[k][last]) < 64) continue;
        for (int d = last - 1; d >= 0; d--)
            if (p.shape[d] >= TILE_COLUMNS && magnitude(p.strides[k][d]) > 0 &&
                magnitude(p.strides[k][d]) < 64)
                return d;
    }
    return -1;
}

// `direct`: no operand needs a buffer. `cost`: of an element, in those of a simple loop.
GPUNP_SHARED inline void run_host_pieces(const void* params, HostPiece piece, size_t scratch_bytes,
                                         int operands, bool direct, int cost) {
    const ElementwiseParams& p = *static_cast<const ElementwiseParams*>(params);
    if (p.size == 0) return;
    const int last = p.ndim - 1;
    const int64_t columns = p.shape[last];
    ElementwiseParams turned;
    const ElementwiseParams* work = &p;
    PieceShape most = {1, direct && !p.mask ? DIRECT_PIECE : PIECE};
    const int across = last > 0 && !direct && columns >= TILE_COLUMNS ? dimension_across(p, operands) : -1;
    if (across >= 0) {
        most = {TILE_ROWS, TILE_COLUMNS};
        if (across != last - 1) {
            turned = p;
            turned.shape[last - 1] = p.shape[across];
            turned.shape[across] = p.shape[last - 1];
            for (int k = 0; k <= MAX_OPERANDS; k++) {
                turned.strides[k][last - 1] = p.strides[k][across];
                turned.strides[k][across] = p.strides[k][last - 1];
            }
            work = &turned;
        }
    } else if (last > 0 && columns < SHORT_ROW) {
        most = {PIECE / columns, columns};
    }
    const PiecePlan plan = plan_pieces(*work, most);
    parallel_with(*work, plan.pieces, grain_of(cost * p.size / plan.pieces),
                  [&](const ElementwiseParams& own, int64_t begin, int64_t end) {
                      run_some_pieces(own, plan, piece, scratch_bytes, begin, end);
                  });
}

template <class F, class Block>
void run_host(const void* params) {
    const ElementwiseParams& p = *static_cast<const ElementwiseParams*>(params);
    if constexpr (F::nin > 0) {
        static constexpr ShortLoop loop = short_loop<F, Block>();
        if (run_short(p, loop)) return;
    }
    const PieceShape row = {1, 0};
    const bool direct =
        Piece<typename F::I0>::in_place(p, 0, row) && Piece<typename F::I1>::in_place(p, 1, row) &&
        Piece<typename F::I2>::in_place(p, 2, row) && Piece<typename F::O0>::in_place(p, F::nin, row) &&
        Piece<typename F::O1>::in_place(p, F::nin + F::nout - 1, row);
    if constexpr (F::nin > 0 && F::nin < 3 && F::nout == 1) {
        bool constant = !p.mask && Piece<typename F::O0>::in_place(p, F::nin, row);
        for (int k = 0; k < F::nin; k++) constant = constant && p.role[k] == SCALAR;
        if (constant) {
            run_host_pieces(params, fill_host_piece<F>, 1, F::nin + F::nout, true, 1);
            return;
        }
    }
    run_host_pieces(params, run_host_piece<F, Block>, sizeof(PieceBuffers<F>), F::nin + F::nout, direct, 1);
}

}  // namespace gpunp

// One host function serves every variant: the engine looks up the plain symbol on the CPU device.
#define GPUNP_ELEMENTWISE_VECTOR(symbol, F)                                              \
    static void symbol##_host(const void* params) {                                      \
        ::gpunp::run_host<F, ::gpunp::BlockForm<::gpunp::symbol_code(#symbol)>>(params); \
    }                                                                                    \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#define GPUNP_ELEMENTWISE_STRIDED(symbol, F)
#define GPUNP_ELEMENTWISE_TILED(symbol, F)
