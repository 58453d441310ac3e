// The host loop of long functions; included by elementwise_long.h.
#pragma once
#include "gpunp/ufunc/elementwise.h"

namespace gpunp {

constexpr int LONG_FUNCTION_COST = 64;  // of an element, in those of a simple loop

template <class Inputs, class Outputs>
struct LongBuffers;
template <class... I, class... O>
struct LongBuffers<types<I...>, types<O...>> {
    Slots<indices_of<types<I...>>, Piece<I>...> inputs;
    Slots<indices_of<types<O...>>, Piece<O>...> outputs;
    MaskPiece mask;
};

template <class F, class... I, class... O, int... K, int... L>
void run_long_piece(const ElementwiseParams& p, char* const* data, const char* mask, PieceShape shape,
                    Scratch scratch, types<I...>, types<O...>, indices<K...>, indices<L...>) {
    constexpr int nin = sizeof...(I);
    auto& buffers = *static_cast<LongBuffers<types<I...>, types<O...>>*>(scratch.memory);
    auto& outputs = buffers.outputs;
    Slots<indices<K...>, const I*...> from = {
        {get<K>(buffers.inputs).load(p, K, data[K], shape, scratch.first)}...};
    Slots<indices<L...>, O*...> to = {{get<L>(outputs).target(p, nin + L, data[nin + L], shape)}...};
    if (mask) mask = buffers.mask.load(p, mask, shape);
    for (int64_t i = 0; i < shape.count(); i++)
        if (!mask || mask[i]) F::apply(get<K>(from)[i]..., get<L>(to)[i]...);
    auto store = [&](int k, auto& piece, const void* target) {
        if (target == (const void*)piece.buffer) piece.store(p, k, data[k], mask, shape);
    };
    (store(nin + L, get<L>(outputs), get<L>(to)), ...);
}

template <class F>
void run_long(const void* params) {
    using I = typename F::Inputs;
    using O = typename F::Outputs;
    run_host_pieces(
        params,
        [](const ElementwiseParams& p, char* const* data, const char* mask, PieceShape shape,
           Scratch scratch) {
            run_long_piece<F>(p, data, mask, shape, scratch, I{}, O{}, indices_of<I>{}, indices_of<O>{});
        },
        sizeof(LongBuffers<I, O>), I::count + O::count, false, LONG_FUNCTION_COST);
}

}  // namespace gpunp

#define GPUNP_ELEMENTWISE_LONG(symbol, F)           \
    static void symbol##_host(const void* params) { \
        ::gpunp::run_long<F>(params);               \
    }                                               \
    GPUNP_HOST_KERNEL(symbol, symbol##_host);
