// The host loop of the elementwise skeleton: rows in pieces that stay in the L1 cache.
#pragma once

namespace gpunp {

constexpr int PIECE = 512;

// Out of line: shared by every functor, and each contains a switch over all dtypes.
#define GPUNP_SHARED __attribute__((noinline))

// A piece of one operand: in place if its layout is the functor's, else in a buffer.
template <class S>
struct Piece {
    alignas(64) S buffer[PIECE];

    GPUNP_SHARED const S* load(const ElementwiseParams& p, int k, const char* q, int64_t stride,
                               int64_t count) {
        if (p.role[k] == SCALAR) {
            S s;
            __builtin_memcpy(&s, p.scalar[k], sizeof(S));
            for (int64_t i = 0; i < count; i++) buffer[i] = s;
            return buffer;
        }
        if (p.dtype[k] != dtype_of<S>::value) {
            for (int64_t i = 0; i < count; i++) buffer[i] = load_as<S>(q + i * stride, p.dtype[k]);
            return buffer;
        }
        if (stride == (int64_t)sizeof(S)) return reinterpret_cast<const S*>(q);
        for (int64_t i = 0; i < count; i++) buffer[i] = *reinterpret_cast<const S*>(q + i * stride);
        return buffer;
    }
    S* target(const ElementwiseParams& p, int k, char* q, int64_t stride) {
        bool direct = p.dtype[k] == dtype_of<S>::value && stride == (int64_t)sizeof(S) && !p.mask;
        return direct ? reinterpret_cast<S*>(q) : buffer;
    }
    GPUNP_SHARED void store(const ElementwiseParams& p, int k, char* q, int64_t stride, const char* mask,
                            int64_t mask_stride, int64_t count) {
        for (int64_t i = 0; i < count; i++) {
            if (mask && !mask[i * mask_stride]) continue;
            if (p.dtype[k] == dtype_of<S>::value)
                *reinterpret_cast<S*>(q + i * stride) = buffer[i];
            else
                store_as<S>(q + i * stride, p.dtype[k], buffer[i]);
        }
    }
};
template <>
struct Piece<none> {
    none buffer[PIECE];
    const none* load(const ElementwiseParams&, int, const char*, int64_t, int64_t) { return buffer; }
    none* target(const ElementwiseParams&, int, char*, int64_t) { return buffer; }
    void store(const ElementwiseParams&, int, char*, int64_t, const char*, int64_t, int64_t) {}
};

template <class F>
void run_host_piece(const ElementwiseParams& p, char* const* data, const char* mask, int64_t count) {
    const int last = p.ndim - 1;
    Piece<typename F::I0> pa;
    Piece<typename F::I1> pb;
    Piece<typename F::I2> pc;
    Piece<typename F::O0> px;
    Piece<typename F::O1> py;
    const int kx = F::nin, ky = F::nin + F::nout - 1;
    const auto* a = pa.load(p, 0, data[0], p.strides[0][last], count);
    const auto* b = pb.load(p, 1, data[1], p.strides[1][last], count);
    const auto* c = pc.load(p, 2, data[2], p.strides[2][last], count);
    auto* x = px.target(p, kx, data[kx], p.strides[kx][last]);
    auto* y = py.target(p, ky, data[ky], p.strides[ky][last]);
    for (int64_t i = 0; i < count; i++) {
        // Masked elements are not computed: they could be errors, such as negative exponents of integers.
        if (mask && !mask[i * p.strides[MAX_OPERANDS][last]]) continue;
        operand_t<F, typename F::O0> r;
        operand_t<F, typename F::O1> s;
        F::apply(from_stored(a[i], tag<operand_t<F, typename F::I0>>{}),
                 from_stored(b[i], tag<operand_t<F, typename F::I1>>{}),
                 from_stored(c[i], tag<operand_t<F, typename F::I2>>{}), r, s, p.status);
        x[i] = store_value(tag<typename F::O0>{}, r);
        y[i] = store_value(tag<typename F::O1>{}, s);
    }
    if ((const void*)x == (const void*)px.buffer)
        px.store(p, kx, data[kx], p.strides[kx][last], mask, p.strides[MAX_OPERANDS][last], count);
    if (F::nout > 1 && (const void*)y == (const void*)py.buffer)
        py.store(p, ky, data[ky], p.strides[ky][last], mask, p.strides[MAX_OPERANDS][last], count);
}

// The loop over rows, whose pieces `piece` computes.
using HostPiece = void (*)(const ElementwiseParams& p, char* const* data, const char* mask, int64_t count);
GPUNP_SHARED inline void run_host_pieces(const void* params, HostPiece piece) {
    const ElementwiseParams& p = *static_cast<const ElementwiseParams*>(params);
    const int last = p.ndim - 1;
    const int64_t inner = p.shape[last];
    int64_t at[MAX_DIMS] = {};
    char* row[MAX_OPERANDS];
    for (int k = 0; k < MAX_OPERANDS; k++) row[k] = p.data[k];
    const char* mask = p.mask;
    for (int64_t done = 0; done < p.size; done += inner) {
        for (int64_t start = 0; start < inner; start += PIECE) {
            char* data[MAX_OPERANDS];
            for (int k = 0; k < MAX_OPERANDS; k++) data[k] = row[k] + start * p.strides[k][last];
            int64_t count = inner - start < PIECE ? inner - start : PIECE;
            piece(p, data, mask ? mask + start * p.strides[MAX_OPERANDS][last] : nullptr, count);
        }
        for (int d = last - 1; d >= 0; d--) {
            bool carry = ++at[d] == p.shape[d];
            int64_t step = carry ? 1 - p.shape[d] : 1;
            for (int k = 0; k < MAX_OPERANDS; k++) row[k] += step * p.strides[k][d];
            if (mask) mask += step * p.strides[MAX_OPERANDS][d];
            if (!carry) break;
            at[d] = 0;
        }
    }
}

template <class F>
void run_host(const void* params) {
    run_host_pieces(params, run_host_piece<F>);
}

}  // namespace gpunp

// One host function serves every variant: the engine looks up the plain symbol on the CPU device.
#define GPUNP_ELEMENTWISE_VECTOR(symbol, F)         \
    static void symbol##_host(const void* params) { \
        ::gpunp::run_host<F>(params);               \
    }                                               \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
#define GPUNP_ELEMENTWISE_STRIDED(symbol, F)
#define GPUNP_ELEMENTWISE_TILED(symbol, F)
