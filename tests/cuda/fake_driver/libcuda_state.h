// State of the stand-in driver: contexts, streams, blocks, pools, and the thread that runs queued work.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

enum {
    OK = 0,
    INVALID = 1,
    NO_MEMORY = 2,
    NO_DEVICE = 100,
    NO_CONTEXT = 201,
    NO_BINARY = 209,
    BAD_HANDLE = 400,
    MISSING = 500,
    NOT_READY = 600,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURED_EVENT = 907
};

typedef unsigned long long Pointer;

struct Context {
    int device;
};
// What a stream records: the work, the stream that began it, and streams with work that it has not waited
// for.
struct Capture {
    struct Stream* origin;
    std::vector<std::function<void()>> work;
    std::set<struct Stream*> joined, unjoined;
    bool invalid = false;
};
struct Stream {
    Context* context;
    unsigned flags;
    Capture* capture = nullptr;
};
struct Event {
    Context* context;
    Capture* capture = nullptr;  // of the stream that it was recorded on
    Stream* stream = nullptr;
    std::atomic<long> recorded{0}, reached{0};
    std::chrono::steady_clock::time_point time;
};
struct Function {
    std::string name;
    Context* context;
    int shared = 48 << 10, carveout = -1;
    struct Parameter {
        size_t offset, size;
    };
    std::vector<Parameter> parameters;
};
struct Module {
    std::map<std::string, Function> functions;
    std::map<std::string, std::pair<Pointer, size_t>> globals;
};
struct Pool {
    int device;
    size_t used = 0, reserved = 0;
    unsigned reached_by = 0;  // bit mask of the other devices that were granted access
};
struct Block {
    size_t size;
    Pool* pool;  // null for memory that is not of a pool
    int device = 0;
    bool managed = false;
};

int env_number(const char* name, int fallback) {
    const char* text = getenv(name);
    return text ? atoi(text) : fallback;
}

std::mutex lock;
std::map<std::string, long> calls;
Context contexts[8] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
thread_local Context* current = nullptr;
size_t total_memory = (size_t)1 << 30;
std::map<Pointer, Block> blocks;
std::map<Pointer, size_t> pinned;
std::set<Pool*> pools;
std::set<Stream*> streams;
long last_launch[9];
// Of the last launch by cuLaunchKernelEx: the kernel, its parameters in one buffer, cluster and cooperative.
std::string last_kernel, last_parameters;
long last_attributes[4];
int launch_error = 0, sticky_error = 0;
std::vector<uintptr_t> frees;

void die(const char* what) {
    fprintf(stderr, "fake driver: %s\n", what);
    abort();
}

// The device: one queue for all streams.
struct Engine {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    long queued = 0, finished = 0;
    bool started = false, held = false;

    void push(std::function<void()> work) {
        std::unique_lock<std::mutex> guard(mutex);
        if (!started) {
            started = true;
            std::thread([this] { run(); }).detach();
        }
        // As the driver, wait while the queue is full.
        changed.wait(guard, [&] { return held || queue.size() < 1024; });
        queue.push_back(std::move(work));
        queued++;
        changed.notify_all();
    }
    void run() {
        int delay = env_number("FAKE_DELAY_US", 20);
        for (;;) {
            std::function<void()> work;
            {
                std::unique_lock<std::mutex> guard(mutex);
                changed.wait(guard, [&] { return !queue.empty() && !held; });
                work = std::move(queue.front());
                queue.pop_front();
            }
            if (delay) usleep(delay);
            work();
            std::unique_lock<std::mutex> guard(mutex);
            finished++;
            changed.notify_all();
        }
    }
    void drain() {
        std::unique_lock<std::mutex> guard(mutex);
        long until = queued;
        changed.wait(guard, [&] { return finished >= until; });
    }
    bool idle() {
        std::unique_lock<std::mutex> guard(mutex);
        return finished == queued;
    }
};
Engine& engine = *new Engine;

// The capture of a stream, or null.
Capture* capture_of(void* handle) {
    return (uintptr_t)handle <= 2 ? nullptr : ((Stream*)handle)->capture;
}
// Queue work on a stream, or record it.
void queue(void* stream, std::function<void()> work) {
    Capture* capture = capture_of(stream);
    if (!capture) {
        engine.push(std::move(work));
        return;
    }
    capture->work.push_back(std::move(work));
    if (capture->origin != stream) capture->unjoined.insert((Stream*)stream);
}
// The error of a call that no graph can repeat, which ends the capture; 0 if the stream is not being
// captured.
int refused(void* stream) {
    Capture* capture = capture_of(stream);
    if (!capture) return OK;
    capture->invalid = true;
    return CAPTURE_UNSUPPORTED;
}

int enter(const char* name, bool needs_context = true) {
    std::lock_guard<std::mutex> guard(lock);
    calls[name]++;
    return needs_context && !current ? NO_CONTEXT : OK;
}
#define ENTER_WITH(needs_context)                 \
    int entered = enter(__func__, needs_context); \
    if (entered) return entered
#define ENTER() ENTER_WITH(true)

bool is_pinned(const void* p) {
    std::lock_guard<std::mutex> guard(lock);
    auto it = pinned.upper_bound((Pointer)p);
    return it != pinned.begin() && (Pointer)p < std::prev(it)->first + std::prev(it)->second;
}

// A device range must lie within one allocated block.
void check_device(Pointer p, size_t n) {
    std::lock_guard<std::mutex> guard(lock);
    auto it = blocks.upper_bound(p);
    if (it == blocks.begin() || p + n > std::prev(it)->first + std::prev(it)->second.size)
        die("device access outside of a living block");
}

bool stream_known(void* handle) {
    std::lock_guard<std::mutex> guard(lock);
    return (uintptr_t)handle <= 2 || streams.count((Stream*)handle);
}

// Work on a created stream must be queued while the stream's context is current.
bool stream_here(void* handle) {
    return stream_known(handle) && ((uintptr_t)handle <= 2 || ((Stream*)handle)->context == current);
}

// The pool of an address, or null if no block contains it.
Pool* pool_of(Pointer p) {
    std::lock_guard<std::mutex> guard(lock);
    auto it = blocks.upper_bound(p);
    if (it == blocks.begin() || p >= std::prev(it)->first + std::prev(it)->second.size) return nullptr;
    return std::prev(it)->second.pool;
}

// The block of an address, or null.
Block* block_of(Pointer p) {
    std::lock_guard<std::mutex> guard(lock);
    auto it = blocks.upper_bound(p);
    if (it == blocks.begin() || p >= std::prev(it)->first + std::prev(it)->second.size) return nullptr;
    return &std::prev(it)->second;
}

size_t reserved_on(int device) {
    size_t sum = 0;
    for (Pool* pool : pools) sum += pool->device == device ? pool->reserved : 0;
    return sum;
}

}  // namespace
