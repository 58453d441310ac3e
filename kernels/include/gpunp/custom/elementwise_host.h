// The elementwise loop on the host: rows along the last axis, which the compiler vectorizes.
#pragma once

namespace gpunp {
namespace custom {

// A row of one operand.
template <class Op>
struct Row {
    char* q;
    int64_t stride;

    char* at(int64_t j) const {
        if (Op::role == ELEMENTWISE_SPREAD) return q;
        if (Op::role == ELEMENTWISE_UNIT) return q + j * (int64_t)sizeof(typename Op::type);
        return q + j * stride;
    }
};

template <int RANK, int V, int U, bool WIDE, bool APART, class... Op>
struct Loop {
    struct Rows : Row<Op>... {
        int64_t index = 0;  // of the row's first element

        template <class F>
        void run(int64_t count, F&& body) {
            if constexpr (APART) {
                // The elements of a launch do not depend on one another: outputs that overlap inputs were
                // copied.
#pragma GCC ivdep
                for (int64_t j = 0; j < count; j++) run_one(body, j, Element<Op>{}...);
            } else {
                for (int64_t j = 0; j < count; j++) run_one(body, j, Element<Op>{}...);
            }
        }
        template <class F>
        inline __attribute__((always_inline)) void run_one(F&& body, int64_t j, Element<Op>... one) {
            (one.load(Row<Op>::at(j)), ...);
            body((ptrdiff_t)(index + j), one.at(Row<Op>::at(j))...);
            (one.store(Row<Op>::at(j)), ...);
        }
    };

    template <class P, class F>
    static void run(const P& p, F&& body) {
        const int64_t inner = p.extent(RANK - 1);
        int64_t at[RANK] = {};
        Rows rows;
        ((rows.Row<Op>::q = p.data(Op::number)), ...);
        ((rows.Row<Op>::stride = p.stride(Op::number, RANK - 1)), ...);
        while (true) {
            rows.run(inner, body);
            rows.index += inner;
            int d = RANK - 2;
            for (; d >= 0; d--) {
                const bool carry = ++at[d] == p.extent(d);
                const int64_t rows_on = carry ? 1 - p.extent(d) : 1;
                ((rows.Row<Op>::q += rows_on * p.stride(Op::number, d)), ...);
                if (!carry) break;
                at[d] = 0;
            }
            if (d < 0) break;
        }
    }
};

}  // namespace custom
}  // namespace gpunp

#define GPUNP_ELEMENTWISE_KERNEL(name, threads, ...)         \
    static inline void name##_of(const __VA_ARGS__& _p);     \
    extern "C" void name(const void* params) {               \
        name##_of(*static_cast<const __VA_ARGS__*>(params)); \
    }                                                        \
    static inline void name##_of(const __VA_ARGS__& _p)
