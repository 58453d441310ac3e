// The CPU device's threads. One loop at a time runs on the pool: a call that finds it taken runs alone, so
// that programs with threads of their own neither wait for one another nor start more threads than there are
// processors.
//
// A worker joins the current loop by counting itself in `state`, which has the loop's number, whether it is
// open, and the number of workers in it. The caller works too, closes the loop when no chunk is left, and
// waits for the workers in it. Workers spin for some microseconds between loops, then sleep.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "gpunp/common/host_pool.h"
#include "gpunp/common/host_stream.h"
#include "gpunp/kernel.h"

namespace {

constexpr uint64_t OPEN = 1ull << 31, WORKERS = OPEN - 1, NEXT_LOOP = 1ull << 32;
constexpr int SPINS = 2000;  // of an idle worker
constexpr int MOST_THREADS = 1024;
constexpr int CHUNKS_EACH = 4;  // per thread, so that slower threads do not keep the others waiting

using Body = void (*)(void* context, int64_t begin, int64_t end);

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

constexpr size_t LEAST_STREAMED = 32 << 20;  // bytes of a copy that the caches do not hold
constexpr size_t STREAM_PIECE = 1 << 10;     // after which the lines of the next piece are fetched

void copy_streamed(char* to, const char* from, size_t nbytes) {
    for (size_t done = 0; done < nbytes; done += STREAM_PIECE) {
        const size_t piece = nbytes - done < STREAM_PIECE ? nbytes - done : STREAM_PIECE;
        gpunp::fetch_ahead(from + done + piece, STREAM_PIECE);
        gpunp::stream_copy(to + done, from + done, piece);
    }
    gpunp::finish_streams();
}

struct Pool {
    alignas(64) std::atomic<uint64_t> state{0};
    alignas(64) std::atomic<int64_t> next{0};  // the first element of the next chunk
    alignas(64) std::atomic<int> sleeping{0};
    // The loop, which does not change while `state` is open or has workers.
    Body body;
    void* context;
    int64_t n, chunk;
    int wanted;  // workers numbered from this on do not join
    int started = 0;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
};

// Not freed: workers use it until the process ends. A child of fork() leaves its parent's behind.
std::atomic<Pool*> pool{nullptr};
std::atomic<bool> taken{false};
std::atomic<int> threads{0};  // 0: not set
thread_local bool inside = false;

int processors() {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

void run_chunks(Pool& p) {
    while (true) {
        const int64_t begin = p.next.fetch_add(p.chunk, std::memory_order_relaxed);
        if (begin >= p.n) return;
        p.body(p.context, begin, p.n - begin < p.chunk ? p.n : begin + p.chunk);
    }
}

struct Worker {
    Pool* pool;
    int number;
};

// Waits for a loop other than number `last`, and returns `state` with it.
uint64_t wait_for_loop(Pool& p, uint64_t last) {
    uint64_t state = 0;
    for (int i = 0; i < SPINS; i++) {
        state = p.state.load(std::memory_order_acquire);
        if (state & OPEN && state / NEXT_LOOP != last) return state;
        pause();
    }
    pthread_mutex_lock(&p.mutex);
    p.sleeping.fetch_add(1);
    while (true) {
        state = p.state.load();
        if (state & OPEN && state / NEXT_LOOP != last) break;
        pthread_cond_wait(&p.wake, &p.mutex);
    }
    p.sleeping.fetch_sub(1);
    pthread_mutex_unlock(&p.mutex);
    return state;
}

void* work(void* argument) {
    Worker* const worker = static_cast<Worker*>(argument);
    Pool& p = *worker->pool;
    const int number = worker->number;
    delete worker;
#ifdef __linux__
    pthread_setname_np(pthread_self(), "gpunp");
#endif
    inside = true;
    uint64_t last = 0;
    while (true) {
        uint64_t state = wait_for_loop(p, last);
        last = state / NEXT_LOOP;
        while (state & OPEN && state / NEXT_LOOP == last)
            if (p.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) {
                if (number < p.wanted) run_chunks(p);
                p.state.fetch_sub(1, std::memory_order_release);
                break;
            }
    }
    return nullptr;
}

// Starts workers up to `count`; fewer if the system refuses. They leave signals to the program's threads.
void start_workers(Pool& p, int count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (p.started < count) {
        pthread_t thread;
        Worker* worker = new Worker{&p, p.started};
        if (pthread_create(&thread, &attributes, work, worker) != 0) {
            delete worker;
            break;
        }
        p.started++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// A child of fork() has only the thread that called it: it starts anew.
void after_fork() {
    pool.store(nullptr);
    taken.store(false);
    inside = false;
}

Pool& the_pool() {
    Pool* p = pool.load(std::memory_order_acquire);
    if (!p) {
        static const int registered = pthread_atfork(nullptr, nullptr, after_fork);
        (void)registered;
        p = new Pool;
        pool.store(p, std::memory_order_release);
    }
    return *p;
}

void run_shared(int count, int64_t n, int64_t chunk, Body body, void* context) {
    Pool& p = the_pool();
    const int64_t chunks = (n + chunk - 1) / chunk;
    const int workers = (int)(chunks < count ? chunks : count) - 1;
    if (p.started < workers) start_workers(p, workers);
    p.body = body;
    p.context = context;
    p.n = n;
    p.chunk = chunk;
    p.wanted = count - 1;
    p.next.store(0, std::memory_order_relaxed);
    const uint64_t loop = (p.state.load(std::memory_order_relaxed) / NEXT_LOOP + 1) * NEXT_LOOP;
    p.state.store(loop | OPEN);
    if (p.sleeping.load() > 0) {
        pthread_mutex_lock(&p.mutex);
        if (workers < p.started)
            for (int i = 0; i < workers; i++) pthread_cond_signal(&p.wake);
        else
            pthread_cond_broadcast(&p.wake);
        pthread_mutex_unlock(&p.mutex);
    }
    inside = true;
    run_chunks(p);
    inside = false;
    p.state.fetch_and(~OPEN, std::memory_order_relaxed);
    for (int i = 0; p.state.load(std::memory_order_acquire) & WORKERS; i++) {
        if (i < SPINS)
            pause();
        else
            sched_yield();
    }
}

}  // namespace

extern "C" {

int64_t gpunp_pool_most_grain = INT64_MAX;

void gpunp_pool_set_most_grain(int64_t n) {
    gpunp_pool_most_grain = n < 1 ? INT64_MAX : n;
}

void gpunp_pool_set_threads(int n) {
    threads.store(n < 1 ? 0 : n > MOST_THREADS ? MOST_THREADS : n);
}

int gpunp_pool_threads(void) {
    int count = threads.load(std::memory_order_relaxed);
    if (count == 0) {
        int unset = 0;
        count = processors();
        if (!threads.compare_exchange_strong(unset, count)) count = unset ? unset : count;
    }
    return count;
}

void gpunp_pool_run(int64_t n, int64_t grain, Body body, void* context) {
    if (n <= 0) return;
    if (grain > gpunp_pool_most_grain) grain = gpunp_pool_most_grain;
    if (grain < 1) grain = 1;
    const int count = n > grain && !inside ? gpunp_pool_threads() : 1;
    if (count <= 1 || taken.exchange(true, std::memory_order_acquire)) {
        body(context, 0, n);
        return;
    }
    const int64_t parts = (int64_t)count * CHUNKS_EACH, even = (n + parts - 1) / parts;
    run_shared(count, n, even > grain ? even : grain, body, context);
    taken.store(false, std::memory_order_release);
}

// Copies that overlap are rare, and run alone. Large ones go past the caches, which takes two thirds of the
// time.
void gpunp_pool_copy(void* target, const void* source, size_t nbytes) {
    char* const to = static_cast<char*>(target);
    const char* const from = static_cast<const char*>(source);
    if (to < from + nbytes && from < to + nbytes) {
        memmove(target, source, nbytes);
        return;
    }
    if (nbytes >= LEAST_STREAMED) {
        gpunp::parallel_for((int64_t)nbytes, 1 << 18, [=](int64_t begin, int64_t end) {
            copy_streamed(to + begin, from + begin, end - begin);
        });
        return;
    }
    gpunp::parallel_for((int64_t)nbytes, 1 << 18,
                        [=](int64_t begin, int64_t end) { memcpy(to + begin, from + begin, end - begin); });
}

void gpunp_pool_fill(void* target, int value, size_t nbytes) {
    char* const to = static_cast<char*>(target);
    gpunp::parallel_for((int64_t)nbytes, 1 << 18,
                        [=](int64_t begin, int64_t end) { memset(to + begin, value, end - begin); });
}

}  // extern "C"

// For modules that are not linked with the pool, such as fusion's and those compiled at run time: kernels of
// the CPU device.
namespace {
struct PoolParams {
    int64_t n, grain;
    Body body;
    void* context;
};
void run_as_kernel(const void* params) {
    const PoolParams& p = *static_cast<const PoolParams*>(params);
    gpunp_pool_run(p.n, p.grain, p.body, p.context);
}
struct ThreadsParams {
    int* count;
};
void tell_threads(const void* params) {
    *static_cast<const ThreadsParams*>(params)->count = gpunp_pool_threads();
}
}  // namespace
#define GPUNP_UNIT "pool"
GPUNP_HOST_KERNEL(pool_run, run_as_kernel);
GPUNP_HOST_KERNEL(pool_threads, tell_threads);
