// A stand-in for libcuda.so.1 on machines without a GPU: device memory is host memory, and one thread
// runs what is queued, in order and later, so that missing synchronisation shows. It answers what gpunp
// calls and is strict about contexts, freed blocks and handles. The fake_* functions are for the tests.
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
    NOT_READY = 600
};

typedef unsigned long long Pointer;

struct Context {
    int device;
};
struct Stream {
    Context* context;
    unsigned flags;
};
struct Event {
    Context* context;
    std::atomic<long> recorded{0}, reached{0};
    std::chrono::steady_clock::time_point time;
};
struct Function {
    std::string name;
    Context* context;
    int shared = 48 << 10;
};
struct Module {
    std::map<std::string, Function> functions;
};
struct Pool {
    int device;
    size_t used = 0, reserved = 0;
    unsigned reached_by = 0;  // bits of other devices that were let at it
};
struct Block {
    size_t size;
    Pool* pool;
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

// Device ranges must lie in one living block.
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

// What is queued on a stream of its own must be queued in its context.
bool stream_here(void* handle) {
    return stream_known(handle) && ((uintptr_t)handle <= 2 || ((Stream*)handle)->context == current);
}

// Null where the driver knows no such memory.
Pool* pool_of(Pointer p) {
    std::lock_guard<std::mutex> guard(lock);
    auto it = blocks.upper_bound(p);
    if (it == blocks.begin() || p >= std::prev(it)->first + std::prev(it)->second.size) return nullptr;
    return std::prev(it)->second.pool;
}

size_t reserved_on(int device) {
    size_t sum = 0;
    for (Pool* pool : pools) sum += pool->device == device ? pool->reserved : 0;
    return sum;
}

}  // namespace

// For the tests.
API long fake_calls(const char* name) {
    std::lock_guard<std::mutex> guard(lock);
    return calls[name];
}
API void fake_set_memory(size_t bytes) {
    total_memory = bytes;
}
API void fake_last_launch(long* out) {
    memcpy(out, last_launch, sizeof last_launch);
}
API long fake_living_blocks() {
    std::lock_guard<std::mutex> guard(lock);
    return (long)blocks.size();
}
API void fake_drop_context() {
    current = nullptr;
}
API uintptr_t fake_last_free_stream() {
    return frees.empty() ? ~(uintptr_t)0 : frees.back();
}
// Holds the device back: queued work waits until it is let go.
API void fake_hold(int held) {
    std::unique_lock<std::mutex> guard(engine.mutex);
    engine.held = held;
    engine.changed.notify_all();
}

// Errors, version, devices.
API int cuGetErrorName(int error, const char** out) {
    switch (error) {
        case INVALID:
            *out = "CUDA_ERROR_INVALID_VALUE";
            break;
        case NO_MEMORY:
            *out = "CUDA_ERROR_OUT_OF_MEMORY";
            break;
        case NO_CONTEXT:
            *out = "CUDA_ERROR_INVALID_CONTEXT";
            break;
        case BAD_HANDLE:
            *out = "CUDA_ERROR_INVALID_HANDLE";
            break;
        case MISSING:
            *out = "CUDA_ERROR_NOT_FOUND";
            break;
        default:
            *out = "CUDA_ERROR_UNKNOWN";
    }
    return OK;
}
API int cuGetErrorString(int, const char** out) {
    *out = "as the fake driver says";
    return OK;
}
API int cuDriverGetVersion(int* out) {
    *out = env_number("FAKE_VERSION", 13000);
    return OK;
}
API int cuInit(unsigned) {
    ENTER_WITH(false);
    return env_number("FAKE_DEVICES", 2) ? OK : NO_DEVICE;
}
API int cuDeviceGetCount(int* out) {
    *out = env_number("FAKE_DEVICES", 2);
    return OK;
}
API int cuDeviceGet(int* out, int index) {
    *out = index;
    return OK;
}
API int cuDeviceGetName(char* out, int size, int device) {
    snprintf(out, size, "Fake GPU %d", device);
    return OK;
}
API int cuDeviceGetPCIBusId(char* out, int size, int device) {
    snprintf(out, size, "0000:%02x:00.0", device);
    return OK;
}
API int cuDeviceGetAttribute(int* out, int attribute, int) {
    switch (attribute) {
        case 16:
            *out = 132;
            break;
        case 38:
            *out = 50 << 20;
            break;
        case 39:
            *out = 2048;
            break;
        case 75:
            *out = 9;
            break;
        case 76:
            *out = 0;
            break;
        case 97:
            *out = 227 << 10;
            break;
        default:
            *out = 1;
    }
    return OK;
}
API int cuDevicePrimaryCtxRetain(Context** out, int device) {
    ENTER_WITH(false);
    *out = &contexts[device];
    return OK;
}
API int cuCtxGetCurrent(Context** out) {
    *out = current;
    return OK;
}
API int cuCtxSetCurrent(Context* context) {
    ENTER_WITH(false);
    current = context;
    return OK;
}
thread_local std::vector<Context*> pushed;
API int cuCtxPushCurrent(Context* context) {
    pushed.push_back(current);
    current = context;
    return OK;
}
API int cuCtxPopCurrent(Context** out) {
    *out = current;
    current = pushed.back();
    pushed.pop_back();
    return OK;
}
API int cuCtxSynchronize() {
    ENTER();
    engine.drain();
    return OK;
}
API int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    ENTER();
    *least = 0;
    *greatest = -5;
    return OK;
}

// Streams and events.
API int cuStreamCreateWithPriority(Stream** out, unsigned flags, int) {
    ENTER();
    *out = new Stream{current, flags};
    std::lock_guard<std::mutex> guard(lock);
    streams.insert(*out);
    return OK;
}
API int cuStreamDestroy(Stream* stream) {
    ENTER();
    std::lock_guard<std::mutex> guard(lock);
    if (!streams.erase(stream)) die("a stream was destroyed twice");
    return OK;
}
API int cuStreamQuery(void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    return engine.idle() ? OK : NOT_READY;
}
API int cuStreamGetDevice(Stream* stream, int* out) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    *out = ((Stream*)stream)->context->device;
    return OK;
}
API int cuStreamSynchronize(void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    engine.drain();
    return OK;
}
API int cuStreamWaitEvent(void* stream, Event*, unsigned) {
    ENTER();
    return stream_known(stream) ? OK : BAD_HANDLE;
}
API int cuEventCreate(Event** out, unsigned) {
    ENTER();
    *out = new Event{current};
    return OK;
}
API int cuEventDestroy(Event* event) {
    ENTER();
    engine.drain();
    delete event;
    return OK;
}
API int cuEventRecord(Event* event, void* stream) {
    ENTER();
    if (!stream_here(stream) || event->context != current) return BAD_HANDLE;
    long ticket = ++event->recorded;
    engine.push([=] {
        event->time = std::chrono::steady_clock::now();
        event->reached = ticket;
    });
    return OK;
}
API int cuEventQuery(Event* event) {
    ENTER();
    return event->reached >= event->recorded ? OK : NOT_READY;
}
API int cuEventSynchronize(Event* event) {
    ENTER();
    while (event->reached < event->recorded) usleep(10);
    return OK;
}
API int cuEventElapsedTime(float* out, Event* start, Event* end) {
    ENTER();
    *out = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return OK;
}

// Modules and launches.
API int cuModuleLoadData(Module** out, const void* image) {
    ENTER();
    std::string text((const char*)image);
    if (text.rfind("other arch", 0) == 0) return NO_BINARY;
    *out = new Module;
    size_t start = 0;
    while (start < text.size()) {
        size_t end = text.find(' ', start);
        if (end == std::string::npos) end = text.size();
        std::string name = text.substr(start, end - start);
        (*out)->functions[name].name = name;
        (*out)->functions[name].context = current;
        start = end + 1;
    }
    return OK;
}
API int cuModuleGetFunction(Function** out, Module* module, const char* name) {
    ENTER();
    auto it = module->functions.find(name);
    if (it == module->functions.end()) return MISSING;
    *out = &it->second;
    return OK;
}
API int cuFuncSetAttribute(Function* function, int attribute, int value) {
    ENTER();
    if (attribute != 8 || value > 227 << 10) return INVALID;
    function->shared = value;
    return OK;
}
struct StatusParams {
    uint32_t* status;
    uint32_t bits;
};
struct FillParams {
    unsigned char* target;
    uint64_t count;
    int value;
};
API int cuLaunchKernel(Function* function, unsigned x, unsigned y, unsigned z, unsigned block,
                       unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** params,
                       void**) {
    ENTER();
    if (!stream_here(stream) || function->context != current) return BAD_HANDLE;
    if (!x || !y || !z || !block || block > 1024 || (int)shared > function->shared) return INVALID;
    long launch[9] = {x, y, z, block, block_y, block_z, shared, (long)stream, current->device};
    memcpy(last_launch, launch, sizeof launch);
    if (function->name == "set_status") {
        StatusParams p = *(StatusParams*)params[0];
        engine.push([=] { __atomic_fetch_or(p.status, p.bits, __ATOMIC_SEQ_CST); });
    } else if (function->name == "fill") {
        FillParams p = *(FillParams*)params[0];
        engine.push([=] {
            check_device((Pointer)p.target, p.count);
            memset(p.target, p.value, p.count);
        });
    }
    return OK;
}

// Memory.
API int cuMemGetInfo(size_t* free_bytes, size_t* total) {
    ENTER();
    std::lock_guard<std::mutex> guard(lock);
    *total = total_memory;
    *free_bytes = total_memory - reserved_on(current->device);
    return OK;
}
API int cuMemPoolCreate(Pool** out, const void* props) {
    ENTER_WITH(false);
    // allocType, handleTypes, location.type, location.id
    const int* fields = (const int*)props;
    if (fields[0] != 1 || fields[2] != 1) return INVALID;
    *out = new Pool{fields[3]};
    std::lock_guard<std::mutex> guard(lock);
    pools.insert(*out);
    return OK;
}
API int cuMemPoolDestroy(Pool* pool) {
    ENTER_WITH(false);
    std::lock_guard<std::mutex> guard(lock);
    if (pool->used) die("a pool was destroyed with memory in use");
    pools.erase(pool);
    return OK;
}
API int cuMemPoolSetAttribute(Pool*, int attribute, void* value) {
    ENTER_WITH(false);
    return attribute == 4 && *(uint64_t*)value == ~(uint64_t)0 ? OK : INVALID;
}
API int cuMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
    ENTER_WITH(false);
    if (attribute != 5) return INVALID;
    *(uint64_t*)value = pool->reserved;
    return OK;
}
API int cuMemPoolTrimTo(Pool* pool, size_t) {
    ENTER_WITH(false);
    std::lock_guard<std::mutex> guard(lock);
    pool->reserved = pool->used;
    return OK;
}
API int cuMemAllocFromPoolAsync(Pointer* out, size_t size, Pool* pool, void* stream) {
    ENTER();
    if (!stream_here(stream)) return BAD_HANDLE;
    if (current->device != pool->device) return INVALID;
    std::lock_guard<std::mutex> guard(lock);
    size_t grow = pool->used + size > pool->reserved ? pool->used + size - pool->reserved : 0;
    if (size > total_memory || reserved_on(pool->device) + grow > total_memory) return NO_MEMORY;
    void* memory = nullptr;
    if (posix_memalign(&memory, 512, size)) return NO_MEMORY;
    pool->used += size;
    pool->reserved += grow;
    blocks[(Pointer)memory] = Block{size, pool};
    *out = (Pointer)memory;
    return OK;
}
API int cuMemFreeAsync(Pointer pointer, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    {
        std::lock_guard<std::mutex> guard(lock);
        frees.push_back((uintptr_t)stream);
        auto it = blocks.find(pointer);
        if (it == blocks.end()) die("a block was freed twice, or never allocated");
        it->second.pool->used -= it->second.size;
    }
    engine.push([=] {
        std::lock_guard<std::mutex> guard(lock);
        blocks.erase(pointer);
        free((void*)pointer);
    });
    return OK;
}
API int cuMemHostAlloc(void** out, size_t size, unsigned) {
    ENTER();
    if (posix_memalign(out, 4096, size)) return NO_MEMORY;
    std::lock_guard<std::mutex> guard(lock);
    pinned[(Pointer)*out] = size;
    return OK;
}
API int cuMemHostGetDevicePointer(Pointer* out, void* host, unsigned) {
    *out = (Pointer)host;
    return OK;
}
API int cuMemHostRegister(void* host, size_t size, unsigned) {
    ENTER();
    std::lock_guard<std::mutex> guard(lock);
    pinned[(Pointer)host] = size;
    return OK;
}
API int cuMemHostUnregister(void* host) {
    ENTER();
    std::lock_guard<std::mutex> guard(lock);
    if (!pinned.erase((Pointer)host)) die("memory was unregistered that is not registered");
    return OK;
}
API int cuPointerGetAttribute(void* out, int attribute, Pointer pointer) {
    ENTER();
    if (attribute == 9) {
        Pool* pool = pool_of(pointer);
        if (pool) *(int*)out = pool->device;
        return pool ? OK : INVALID;
    }
    if (attribute != 2 || !is_pinned((void*)pointer)) return INVALID;
    *(int*)out = 1;
    return OK;
}
API int cuDeviceCanAccessPeer(int* out, int, int) {
    *out = env_number("FAKE_PEERS", 1);
    return OK;
}
API int cuMemPoolSetAccess(Pool* pool, const int* map, size_t count) {
    ENTER_WITH(false);
    // location.type, location.id, flags
    if (count != 1 || map[0] != 1 || map[1] == pool->device || map[2] != 3) return INVALID;
    pool->reached_by |= 1u << map[1];
    return OK;
}
API int cuMemcpyPeerAsync(Pointer target, Context* target_context, Pointer source, Context* source_context,
                          size_t size, void* stream) {
    ENTER();
    if (!stream_here(stream)) return BAD_HANDLE;
    Pool *from = pool_of(source), *to = pool_of(target);
    if (!from || !to || from->device != source_context->device || to->device != target_context->device)
        return INVALID;
    if (from->reached_by >> to->device & to->reached_by >> from->device & 1) enter("copied_directly");
    engine.push([=] {
        check_device(source, size);
        check_device(target, size);
        memcpy((void*)target, (void*)source, size);
    });
    return OK;
}
API int cuMemcpyHtoDAsync(Pointer target, const void* source, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    if (is_pinned(source)) {
        engine.push([=] {
            check_device(target, size);
            memcpy((void*)target, source, size);
        });
    } else {
        enter("staged_by_driver");
        std::string copy((const char*)source, size);
        engine.push([=] {
            check_device(target, size);
            memcpy((void*)target, copy.data(), size);
        });
    }
    return OK;
}
API int cuMemcpyDtoHAsync(void* target, Pointer source, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    engine.push([=] {
        check_device(source, size);
        memcpy(target, (void*)source, size);
    });
    if (!is_pinned(target)) {
        enter("staged_by_driver");
        engine.drain();
    }
    return OK;
}
API int cuMemcpyDtoDAsync(Pointer target, Pointer source, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    engine.push([=] {
        check_device(source, size);
        check_device(target, size);
        memmove((void*)target, (void*)source, size);
    });
    return OK;
}
API int cuMemsetD8Async(Pointer target, unsigned char value, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    engine.push([=] {
        check_device(target, size);
        memset((void*)target, value, size);
    });
    return OK;
}

#define ENTRY(name) {#name, (void*)name}
API int cuGetProcAddress_v2(const char* name, void** out, int, uint64_t, int* status) {
    static const std::map<std::string, void*> table = {ENTRY(cuGetErrorName),
                                                       ENTRY(cuGetErrorString),
                                                       ENTRY(cuDriverGetVersion),
                                                       ENTRY(cuInit),
                                                       ENTRY(cuDeviceGetCount),
                                                       ENTRY(cuDeviceGet),
                                                       ENTRY(cuDeviceGetName),
                                                       ENTRY(cuDeviceGetPCIBusId),
                                                       ENTRY(cuDeviceGetAttribute),
                                                       ENTRY(cuDevicePrimaryCtxRetain),
                                                       ENTRY(cuCtxGetCurrent),
                                                       ENTRY(cuCtxSetCurrent),
                                                       ENTRY(cuCtxPushCurrent),
                                                       ENTRY(cuCtxPopCurrent),
                                                       ENTRY(cuCtxSynchronize),
                                                       ENTRY(cuCtxGetStreamPriorityRange),
                                                       ENTRY(cuStreamCreateWithPriority),
                                                       ENTRY(cuStreamDestroy),
                                                       ENTRY(cuStreamQuery),
                                                       ENTRY(cuStreamGetDevice),
                                                       ENTRY(cuStreamSynchronize),
                                                       ENTRY(cuStreamWaitEvent),
                                                       ENTRY(cuEventCreate),
                                                       ENTRY(cuEventDestroy),
                                                       ENTRY(cuEventRecord),
                                                       ENTRY(cuEventQuery),
                                                       ENTRY(cuEventSynchronize),
                                                       ENTRY(cuEventElapsedTime),
                                                       ENTRY(cuModuleLoadData),
                                                       ENTRY(cuModuleGetFunction),
                                                       ENTRY(cuFuncSetAttribute),
                                                       ENTRY(cuLaunchKernel),
                                                       ENTRY(cuMemGetInfo),
                                                       ENTRY(cuMemPoolCreate),
                                                       ENTRY(cuMemPoolDestroy),
                                                       ENTRY(cuMemPoolSetAttribute),
                                                       ENTRY(cuMemPoolGetAttribute),
                                                       ENTRY(cuMemPoolTrimTo),
                                                       ENTRY(cuMemAllocFromPoolAsync),
                                                       ENTRY(cuMemFreeAsync),
                                                       ENTRY(cuMemHostAlloc),
                                                       ENTRY(cuMemHostGetDevicePointer),
                                                       ENTRY(cuMemHostRegister),
                                                       ENTRY(cuMemHostUnregister),
                                                       ENTRY(cuPointerGetAttribute),
                                                       ENTRY(cuMemcpyHtoDAsync),
                                                       ENTRY(cuMemcpyDtoHAsync),
                                                       ENTRY(cuDeviceCanAccessPeer),
                                                       ENTRY(cuMemPoolSetAccess),
                                                       ENTRY(cuMemcpyPeerAsync),
                                                       ENTRY(cuMemcpyDtoDAsync),
                                                       ENTRY(cuMemsetD8Async)};
    auto it = table.find(name);
    *out = it == table.end() ? nullptr : it->second;
    if (status) *status = *out ? 0 : 1;
    return *out ? OK : MISSING;
}
