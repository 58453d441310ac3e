// Seconds of the driver's own calls, without Python: a library that benchmarks load into their process.
#include <dlfcn.h>

#include <chrono>
#include <cstring>

namespace {

using Address = unsigned long long;
using Handle = void*;

void nothing(void*) {}

struct Driver {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    int failed = library == nullptr ? -1 : 0;

    // Calls a function of the driver by name, and keeps the first error.
    template <typename... Args>
    void call(void* function, Args... args) {
        int error = function ? reinterpret_cast<int (*)(Args...)>(function)(args...) : -1;
        if (error && !failed) failed = error;
    }
    void* find(const char* name) const { return library ? dlsym(library, name) : nullptr; }
};

// Calls a body several times; the seconds of one call.
template <typename Body>
double repeated(int count, Body body) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count;
}

double allocation(Driver& driver, int count, const char* allocate, const char* release) {
    void *first = driver.find(allocate), *second = driver.find(release);
    bool managed = std::strcmp(allocate, "cuMemAllocManaged") == 0;
    return repeated(count, [&] {
        Address address = 0;
        if (managed) {
            driver.call(first, &address, size_t{1000}, 1u);
        } else {
            driver.call(first, &address, size_t{1000});
        }
        driver.call(second, address);
    });
}

}  // namespace

// The seconds of a call of `name` in the current context and on a stream; `event` is recorded already.
// A negative number is an error of the driver; -1 is a name that is not known.
extern "C" double driver_seconds(const char* name, int count, Handle stream, Handle event) {
    Driver driver;
    double seconds = -1;
    if (std::strcmp(name, "async") == 0) {
        void *allocate = driver.find("cuMemAllocAsync"), *release = driver.find("cuMemFreeAsync");
        seconds = repeated(count, [&] {
            Address address = 0;
            driver.call(allocate, &address, size_t{1000}, stream);
            driver.call(release, address, stream);
        });
    } else if (std::strcmp(name, "managed") == 0) {
        seconds = allocation(driver, count, "cuMemAllocManaged", "cuMemFree_v2");
    } else if (std::strcmp(name, "memory") == 0) {
        seconds = allocation(driver, count, "cuMemAlloc_v2", "cuMemFree_v2");
    } else if (std::strcmp(name, "record") == 0) {
        void* record = driver.find("cuEventRecord");
        seconds = repeated(count, [&] { driver.call(record, event, stream); });
    } else if (std::strcmp(name, "wait") == 0) {
        void* wait = driver.find("cuStreamWaitEvent");
        seconds = repeated(count, [&] { driver.call(wait, stream, event, 0u); });
    } else if (std::strcmp(name, "function") == 0) {
        void* launch = driver.find("cuLaunchHostFunc");
        seconds =
            repeated(count, [&] { driver.call(launch, stream, &nothing, static_cast<void*>(nullptr)); });
    } else if (std::strcmp(name, "function and wait") == 0) {
        void *launch = driver.find("cuLaunchHostFunc"), *synchronize = driver.find("cuStreamSynchronize");
        seconds = repeated(count, [&] {
            driver.call(launch, stream, &nothing, static_cast<void*>(nullptr));
            driver.call(synchronize, stream);
        });
    }
    return driver.failed ? -driver.failed : seconds;
}
