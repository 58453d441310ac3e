// Labels of connected pixels on the host; included by label.h.
#pragma once
#include "gpunp/ndimage/label_params.h"

namespace gpunp {
namespace label {

template <class I>
I find_root(I* parents, I x) {
    while (parents[x] != x) x = parents[x] = parents[parents[x]];
    return x;
}
template <class I>
void unite(I* parents, int64_t first, int64_t second) {
    const I a = find_root(parents, (I)first), b = find_root(parents, (I)second);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

// All links within planes: the host has no tiles, and therefore no borders between them.
template <class I>
void label_tiles(const void* params) {
    const LabelParams& p = *static_cast<const LabelParams*>(params);
    I* parents = static_cast<I*>(p.parents);
    int64_t at = 0;
    for (int64_t plane = 0; plane < p.planes; plane++)
        for (int64_t row = 0; row < p.rows; row++)
            for (int64_t column = 0; column < p.columns; column++, at++) {
                const uint8_t* here = p.image + at;
                parents[at] = *here ? (I)at : (I)-1;
                if (!*here) continue;
                const uint8_t* above = here - p.columns;
                const bool left = column > 0, right = column + 1 < p.columns;
                if (p.links & LINK_LEFT && left && here[-1]) unite(parents, at, at - 1);
                if (row == 0) continue;
                if (p.links & LINK_UP && *above) unite(parents, at, at - p.columns);
                if (p.links & LINK_UP_LEFT && left && above[-1]) unite(parents, at, at - p.columns - 1);
                if (p.links & LINK_UP_RIGHT && right && above[1]) unite(parents, at, at - p.columns + 1);
            }
}

template <class I>
void label_planes(const void* params) {
    const LabelParams& p = *static_cast<const LabelParams*>(params);
    I* parents = static_cast<I*>(p.parents);
    for (int64_t plane = 0; plane < p.planes; plane++) {
        bool inside = true;
        int64_t rest = plane;
        for (int k = p.leading - 1; k >= 0; k--) {
            const int64_t at = rest % p.shape[k] + p.delta[k];
            inside &= at >= 0 && at < p.shape[k];
            rest /= p.shape[k];
        }
        if (!inside) continue;
        const int64_t first_row = p.row_delta < 0 ? 1 : 0, first_column = p.column_delta < 0 ? 1 : 0;
        for (int64_t row = first_row; row < p.rows - (p.row_delta > 0 ? 1 : 0); row++)
            for (int64_t column = first_column; column < p.columns - (p.column_delta > 0 ? 1 : 0); column++) {
                const int64_t at = (plane * p.rows + row) * p.columns + column;
                if (p.image[at] && p.image[at + p.offset]) unite(parents, at, at + p.offset);
            }
    }
}

template <class I>
void label_roots(const void* params) {
    const LabelParams& p = *static_cast<const LabelParams*>(params);
    I* parents = static_cast<I*>(p.parents);
    const int64_t size = p.planes * p.rows * p.columns;
    for (int64_t i = 0; i < size; i++) {
        uint32_t& word = p.bits[i / 32];
        int64_t& count = p.counts[i / LABEL_CHUNK];
        if (i % 32 == 0) word = 0;
        if (i % LABEL_CHUNK == 0) count = 0;
        if (parents[i] < 0) continue;
        parents[i] = find_root(parents, parents[i]);
        if (parents[i] != i) continue;
        word |= 1u << (i % 32);
        count++;
    }
}

// Number n of a root is ~n until all pixels have theirs.
template <class I>
void label_ranks(const void* params) {
    const LabelParams& p = *static_cast<const LabelParams*>(params);
    I* parents = static_cast<I*>(p.parents);
    const int64_t size = p.planes * p.rows * p.columns;
    I number = 0;
    for (int64_t i = 0; i < size; i++)
        if (p.bits[i / 32] >> (i % 32) & 1) parents[i] = ~++number;
}

template <class I>
void label_finish(const void* params) {
    const LabelParams& p = *static_cast<const LabelParams*>(params);
    I* parents = static_cast<I*>(p.parents);
    const int64_t size = p.planes * p.rows * p.columns;
    // Roots come before the pixels that point to them, so these find the number itself.
    for (int64_t i = 0; i < size; i++) parents[i] = parents[i] < 0 ? ~parents[i] : parents[parents[i]];
}

template <class I>
void bound_labels(const void* params) {
    const BoxesParams& p = *static_cast<const BoxesParams*>(params);
    const I* labels = static_cast<const I*>(p.labels);
    for (int64_t i = 0; i < p.size; i++) {
        const int64_t label = labels[i];
        if (label < 1 || label > p.most) continue;
        int64_t* box = p.boxes + label * 2 * p.ndim;
        int64_t rest = i;
        for (int k = p.ndim - 1; k >= 0; k--) {
            const int64_t at = rest % p.shape[k];
            rest /= p.shape[k];
            box -= 2;
            if (at < box[0]) box[0] = at;
            if (~at < box[1]) box[1] = ~at;
        }
    }
}

#define GPUNP_LABELS(name, I)                                                \
    GPUNP_HOST_KERNEL(label_tiles_##name, ::gpunp::label::label_tiles<I>);   \
    GPUNP_HOST_KERNEL(label_planes_##name, ::gpunp::label::label_planes<I>); \
    GPUNP_HOST_KERNEL(label_roots_##name, ::gpunp::label::label_roots<I>);   \
    GPUNP_HOST_KERNEL(label_ranks_##name, ::gpunp::label::label_ranks<I>);   \
    GPUNP_HOST_KERNEL(label_finish_##name, ::gpunp::label::label_finish<I>); \
    GPUNP_HOST_KERNEL(boxes_##name, ::gpunp::label::bound_labels<I>);

}  // namespace label
}  // namespace gpunp
