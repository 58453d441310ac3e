// The CPU device's threads, for the host loops of kernels; kernels/host/pool.cpp defines them.
//
// A loop is cut into chunks that any thread may run in any order. Results have the same bits for every number
// of threads if what a chunk computes depends only on its range; loops whose results depend on where they are
// cut therefore iterate over parts of a fixed size, and combine the parts' results in order.
#pragma once
#include "gpunp/config.h"

#if !GPUNP_ON_DEVICE
#include <type_traits>

extern "C" {
// Calls body(context, begin, end) for chunks that cover [0, n), each of at least `grain` except the last.
// Runs alone, in one chunk, if n <= grain, within another such loop, and while another thread uses the pool.
void gpunp_pool_run(int64_t n, int64_t grain, void (*body)(void* context, int64_t begin, int64_t end),
                    void* context);
// The number of threads that share a loop, including the caller; n < 1: one for each processor that this
// process may use, which is also the default.
void gpunp_pool_set_threads(int n);
int gpunp_pool_threads(void);
// No grain is greater than this number; tests lower it, so that small loops are shared, too.
extern int64_t gpunp_pool_most_grain;
void gpunp_pool_set_most_grain(int64_t n);
// memmove and memset, by several threads if there are many bytes.
void gpunp_pool_copy(void* target, const void* source, size_t nbytes);
void gpunp_pool_fill(void* target, int value, size_t nbytes);
}

namespace gpunp {

// Loops shorter than this many elements, and than about as many nanoseconds, stay on the calling thread.
constexpr int64_t POOL_GRAIN = 1 << 15;

// The grain of a loop each of whose iterations costs about as much as `cost` elements of a simple one.
inline int64_t grain_of(int64_t cost) {
    return cost >= POOL_GRAIN ? 1 : POOL_GRAIN / (cost > 0 ? cost : 1);
}

// Whether a loop is too short to be shared.
inline bool is_short_loop(int64_t n, int64_t grain) {
    return n <= (grain < gpunp_pool_most_grain ? grain : gpunp_pool_most_grain);
}

// body(begin, end) for chunks that cover [0, n); bodies do not throw.
template <class F>
inline void parallel_for(int64_t n, int64_t grain, F&& body) {
    using Body = std::remove_reference_t<F>;
    if (is_short_loop(n, grain)) {
        if (n > 0) body((int64_t)0, n);
        return;
    }
    gpunp_pool_run(
        n, grain,
        [](void* context, int64_t begin, int64_t end) { (*static_cast<Body*>(context))(begin, end); },
        (void*)&body);
}

// A status word of a chunk, whose bits are added to those of the call at the end.
struct ChunkStatus {
    uint32_t* of_call;
    uint32_t bits = 0;

    explicit ChunkStatus(uint32_t* status) : of_call(status) {}
    ~ChunkStatus() { add(of_call, bits); }
    static void add(uint32_t* status, uint32_t bits) {
        if (bits) __atomic_fetch_or(status, bits, __ATOMIC_RELAXED);
    }
};

template <class P, class = void>
struct has_status : std::false_type {};
template <class P>
struct has_status<P, std::void_t<decltype(P::status)>> : std::true_type {};

// parallel_for over a kernel with parameters p: body(params, begin, end). If they have a status word, a chunk
// gets a copy of the parameters with a word of its own.
template <class P, class F>
inline void parallel_with(const P& p, int64_t n, int64_t grain, F&& body) {
    if (is_short_loop(n, grain)) {
        if (n > 0) body(p, (int64_t)0, n);
        return;
    }
    parallel_for(n, grain, [&](int64_t begin, int64_t end) {
        if constexpr (has_status<P>::value) {
            P own = p;
            ChunkStatus status(p.status);
            own.status = &status.bits;
            body(static_cast<const P&>(own), begin, end);
        } else {
            body(p, begin, end);
        }
    });
}

// one(params, i) for all i below n, each of which costs about as much as `cost` elements of a simple loop.
template <class P, class F>
inline void parallel_each(const P& p, int64_t n, int64_t cost, F&& one) {
    parallel_with(p, n, grain_of(cost), [&](const P& own, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) one(own, i);
    });
}

}  // namespace gpunp
#endif
