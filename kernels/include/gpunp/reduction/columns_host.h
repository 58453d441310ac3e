// Host variant of a reduction over columns: rows are read in the order of memory, and fold into neighboring
// accumulators. Included by reduce_host.h.
#pragma once
#include "gpunp/reduction/reduce_host.h"

namespace gpunp {
namespace reduction {

constexpr int HOST_COLUMNS = 128;    // columns folded side by side
constexpr int WIDE_COLUMNS = 1024;   // the same, of operations on numbers
constexpr int MOMENT_COLUMNS = 512;  // and of variances
constexpr int NARROW_COLUMNS = 64;   // the fewest, if threads share them
constexpr int HOST_ROWS = 64;        // rows folded before accumulators are combined pairwise
constexpr int ROW_LEVELS = 4;        // a chunk has 2^4 times as many rows
constexpr int64_t CHUNK_ROWS = HOST_ROWS << ROW_LEVELS;
constexpr int64_t MOST_CHUNKED = 4096;  // results, if the rows are cut into chunks

// join() of moments of columns that count as many elements as each other, so that the divisions are one.
inline void join_columns(const Moments* a, Moments* b, int64_t n) {
    const double count = a->count + b->count, share = b->count / count, weight = a->count * share;
    for (int64_t k = 0; k < n; k++) {
        const double delta = b[k].mean - a[k].mean;
        b[k] = {count, a[k].mean + delta * share, a[k].deviations + b[k].deviations + delta * delta * weight};
    }
}

// Accumulators of n columns at every level of a cascade, as all columns count the same rows.
template <class Op>
struct Cascades {
    using Acc = typename Op::Acc;
    Acc* memory;  // `levels` times `width`
    int64_t width, n;
    uint64_t count = 0;
    bool even = false;  // the moments of all columns count as many elements as each other

    Acc* level(int i) const { return memory + i * width; }
    void push(Acc* a, int first) {
        int i = first;
        for (; count >> i & 1; i++) {
            const Acc* before = level(i);
            if constexpr (std::is_same_v<Acc, Moments>) {
                if (even) {
                    join_columns(before, a, n);
                    continue;
                }
            }
            for (int64_t k = 0; k < n; k++) a[k] = Op::combine(before[k], a[k]);
        }
        __builtin_memcpy((void*)level(i), (const void*)a, n * sizeof(Acc));
        count += (uint64_t)1 << first;
    }
    // Into a[n].
    void finish(Acc* a) const {
        for (int64_t k = 0; k < n; k++) a[k] = Op::identity();
        for (int i = 0; count >> i; i++) {
            if (!(count >> i & 1)) continue;
            const Acc* before = level(i);
            for (int64_t k = 0; k < n; k++) a[k] = Op::combine(before[k], a[k]);
        }
    }
};

template <class Op, FoldKind KIND>
struct ColumnFold {
    using In = typename Op::In;
    using C = typename Op::C;
    using Acc = typename Op::Acc;
    // Accumulators that are numbers fold in place, four rows at a time.
    static constexpr bool plain = std::is_arithmetic_v<Acc> && Elements<Op>::in_memory;
    // Those of floats by vectors, which compilers would not find.
    static constexpr bool vectors = plain && std::is_floating_point_v<Acc> && std::is_same_v<In, Acc> &&
                                    (KIND == FOLD_GREATEST || KIND == FOLD_LEAST || KIND == FOLD_SUM);
    static constexpr bool moments =
        std::is_same_v<Acc, Moments> && Elements<Op>::in_memory && std::is_arithmetic_v<In>;

    const ReduceParams& p;
    int64_t step;  // bytes between rows, if there is one reduced dimension

    explicit ColumnFold(const ReduceParams& params)
        : p(params), step(params.reduced_ndim == 1 ? params.dims[params.kept_ndim].stride : 0) {}

    const In* row(const char* base, int64_t j) const {
        if (p.reduced_ndim == 1) return (const In*)(base + j * step);
        return (const In*)(base + reduce_offset(p.dims + p.kept_ndim, p.reduced_ndim, j, false).in);
    }
    // Folds rows [first, first + 4 j) into a[n], which has values; returns the number of columns that it did.
    int64_t fold_vectors(Acc* a, const char* base, int64_t n, int64_t first, int64_t end) const {
        constexpr int N = NATIVE<Acc>;
        using V = vector_t<Acc, N>;
        const int64_t whole = n / N * N;
        int64_t j = first;
        for (; j + 4 <= end; j += 4) {
            const In *x = row(base, j), *y = row(base, j + 1), *z = row(base, j + 2), *w = row(base, j + 3);
            for (int64_t k = 0; k < whole; k += N) {
                V b = combine_vectors<KIND>(load_vector<V>(a + k), load_vector<V>(x + k));
                b = combine_vectors<KIND>(b, load_vector<V>(y + k));
                b = combine_vectors<KIND>(b, load_vector<V>(z + k));
                b = combine_vectors<KIND>(b, load_vector<V>(w + k));
                __builtin_memcpy(a + k, &b, sizeof b);
            }
        }
        for (; j < end; j++) {
            const In* x = row(base, j);
            for (int64_t k = 0; k < whole; k += N) {
                const V b = combine_vectors<KIND>(load_vector<V>(a + k), load_vector<V>(x + k));
                __builtin_memcpy(a + k, &b, sizeof b);
            }
        }
        return whole;
    }
    // Whether no column leaves out elements.
    bool even() const { return moments && !(p.flags & REDUCE_SKIP_NAN); }
    int64_t most_columns() const { return plain ? WIDE_COLUMNS : even() ? MOMENT_COLUMNS : HOST_COLUMNS; }
    // Folds rows [first, end) into a[n] as Stream does, side by side.
    void fold_moments(Acc* a, const char* base, int64_t n, int64_t first, int64_t end) const {
        double sum[MOMENT_COLUMNS], squares[MOMENT_COLUMNS], shift[MOMENT_COLUMNS];
        const In* x = row(base, first);
        for (int64_t k = 0; k < n; k++) {
            shift[k] = convert<double>(x[k]);
            sum[k] = shift[k] - shift[k];
            squares[k] = sum[k] * sum[k];
        }
        int64_t j = first + 1;
        for (; j + 2 <= end; j += 2) {
            const In *y = row(base, j), *z = row(base, j + 1);
            for (int64_t k = 0; k < n; k++) {
                const double d = convert<double>(y[k]) - shift[k], e = convert<double>(z[k]) - shift[k];
                sum[k] = (sum[k] + d) + e;
                squares[k] = (squares[k] + d * d) + e * e;
            }
        }
        for (; j < end; j++) {
            const In* y = row(base, j);
            for (int64_t k = 0; k < n; k++) {
                const double d = convert<double>(y[k]) - shift[k];
                sum[k] += d;
                squares[k] += d * d;
            }
        }
        const double count = (double)(end - first);
        for (int64_t k = 0; k < n; k++) {
            const double mean = sum[k] / count, rest = squares[k] - sum[k] * mean;
            a[k] = {count, shift[k] + mean, rest < 0 ? 0 : rest};
        }
    }
    // Folds rows [first, end) into a[n].
    void fold_rows(Acc* a, const char* base, int64_t n, int64_t first, int64_t end) const {
        if constexpr (plain) {
            // Copies, as the accumulators could else be part of the parameters for all that the compiler
            // knows.
            const ReduceParams own = p;
            for (int64_t k = 0; k < n; k++) a[k] = Op::identity();
            int64_t j = first, done = 0;
            if constexpr (vectors)
                if (!(p.flags & REDUCE_SKIP_NAN)) done = fold_vectors(a, base, n, first, end);
            if (done == n) return;
            if (!(p.flags & REDUCE_SKIP_NAN)) {
                ReduceParams all = own;
                all.flags = 0;
                for (; j + 4 <= end; j += 4) {
                    const In *x = row(base, j), *y = row(base, j + 1), *z = row(base, j + 2),
                             *w = row(base, j + 3);
#pragma GCC ivdep
                    for (int64_t k = done; k < n; k++) {
                        Acc b = Op::combine(a[k], Op::map(convert<C>(x[k]), all));
                        b = Op::combine(b, Op::map(convert<C>(y[k]), all));
                        b = Op::combine(b, Op::map(convert<C>(z[k]), all));
                        a[k] = Op::combine(b, Op::map(convert<C>(w[k]), all));
                    }
                }
            }
            for (; j < end; j++) {
                const In* x = row(base, j);
#pragma GCC ivdep
                for (int64_t k = done; k < n; k++) a[k] = Op::combine(a[k], Op::map(convert<C>(x[k]), own));
            }
        } else {
            if constexpr (moments) {
                if (even()) {
                    fold_moments(a, base, n, first, end);
                    return;
                }
            }
            Stream<Op> s[HOST_COLUMNS];
            In buffer[HOST_COLUMNS];
            for (int64_t k = 0; k < n; k++) s[k].start();
            for (int64_t j = first; j < end; j++) {
                const In* x = read_block<Op>(buffer, row(base, j), (int)n, p);
                for (int64_t k = 0; k < n; k++) s[k].push(convert<C>(x[k]), j, p);
            }
            for (int64_t k = 0; k < n; k++) a[k] = s[k].finish();
        }
    }
    // Adds rows [first, end), of which the first is a multiple of HOST_ROWS.
    void fold(Cascades<Op>& cascades, const char* base, int64_t first, int64_t end) const {
        alignas(64) char room[(plain ? WIDE_COLUMNS : MOMENT_COLUMNS) * sizeof(Acc)];
        Acc* a = reinterpret_cast<Acc*>(room);
        for (int64_t j = first; j < end; j += HOST_ROWS) {
            fold_rows(a, base, cascades.n, j, end - j < HOST_ROWS ? end : j + HOST_ROWS);
            cascades.push(a, 0);
        }
    }
};

// Columns of a strip: few enough strips to read long runs of memory, and enough for all threads.
inline int64_t strip_columns(int64_t width, int64_t others, int64_t most) {
    const int64_t parts = 4 * gpunp_pool_threads();
    int64_t strip = width * others / parts / 16 * 16;
    if (gpunp_pool_threads() == 1 || strip > most) strip = most;
    if (strip < NARROW_COLUMNS) strip = NARROW_COLUMNS;
    return strip < width ? strip : width;
}

template <class Op, FoldKind KIND>
void run_columns(const void* params) {
    using In = typename Op::In;
    using Acc = typename Op::Acc;
    const ReduceParams& p = *static_cast<const ReduceParams*>(params);
    const int64_t width = p.dims[0].extent, outer = width ? p.outputs / width : 0;
    if (outer == 0) return;
    const bool split = p.reduced > CHUNK_ROWS && p.outputs <= MOST_CHUNKED;
    const int64_t chunks = split ? (p.reduced + CHUNK_ROWS - 1) / CHUNK_ROWS : 1;
    const int levels = 64 - __builtin_clzll(p.reduced / HOST_ROWS + 2);  // of a cascade of all rows
    const int64_t rows = chunks > 1 ? CHUNK_ROWS : p.reduced;
    const ColumnFold<Op, KIND> fold(p);
    const int64_t strip = strip_columns(width, outer * chunks, fold.most_columns());
    const int64_t strips = (width + strip - 1) / strip;
    const auto base_of = [&](int64_t o, int64_t column) {
        return p.in + reduce_offset(p.dims + 1, p.kept_ndim - 1, o, false).in + column * (int64_t)sizeof(In);
    };
    const auto write = [&](const Cascades<Op>& cascades, int64_t o, int64_t column, Acc* a) {
        const int64_t out = reduce_offset(p.dims + 1, p.kept_ndim - 1, o, false).out;
        cascades.finish(a);
        for (int64_t k = 0; k < cascades.n; k++)
            store<Op>(a[k], p, out + (column + k) * p.dims[0].out_stride);
    };
    // With chunks: the levels of each chunk, of which a whole one has only the last.
    const auto room = [](int64_t count) { return static_cast<Acc*>(::operator new(count * sizeof(Acc))); };
    Acc* parts = chunks > 1 ? room(outer * chunks * (ROW_LEVELS + 1) * width) : nullptr;
    parallel_for(outer * strips * chunks, grain_of(strip * rows), [&](int64_t begin, int64_t end) {
        Acc* memory = chunks > 1 ? nullptr : room((levels + 1) * strip);
        for (int64_t i = begin; i < end; i++) {
            const int64_t chunk = i % chunks, column = i / chunks % strips * strip, o = i / chunks / strips;
            const int64_t n = width - column < strip ? width - column : strip;
            Cascades<Op> cascades{memory, strip, n, 0, fold.even()};
            if (chunks > 1) {
                cascades.memory = parts + (o * chunks + chunk) * (ROW_LEVELS + 1) * width + column;
                cascades.width = width;
            }
            const int64_t first = chunk * rows;
            fold.fold(cascades, base_of(o, column), first,
                      p.reduced - first < rows ? p.reduced : first + rows);
            if (chunks == 1) write(cascades, o, column, memory + levels * strip);
        }
        ::operator delete(memory);
    });
    if (chunks == 1) return;
    parallel_for(outer * strips, grain_of(strip * chunks), [&](int64_t begin, int64_t end) {
        Acc* memory = room((levels + 1) * strip);
        Acc* a = memory + levels * strip;
        for (int64_t i = begin; i < end; i++) {
            const int64_t column = i % strips * strip, o = i / strips;
            Cascades<Op> all{memory, strip, width - column < strip ? width - column : strip, 0, fold.even()};
            for (int64_t chunk = 0; chunk < chunks; chunk++) {
                const Acc* part = parts + (o * chunks + chunk) * (ROW_LEVELS + 1) * width + column;
                const int64_t left = p.reduced - chunk * rows;
                const uint64_t count = left < rows ? (left + HOST_ROWS - 1) / HOST_ROWS : rows / HOST_ROWS;
                for (int level = ROW_LEVELS; level >= 0; level--) {
                    if (!(count >> level & 1)) continue;
                    __builtin_memcpy((void*)a, (const void*)(part + level * width), all.n * sizeof(Acc));
                    all.push(a, level);
                }
            }
            write(all, o, column, a);
        }
        ::operator delete(memory);
    });
    ::operator delete(parts);
}

}  // namespace reduction
}  // namespace gpunp
