// Measures the driver and the device without any library on top of them; prints one line of JSON.
//
//     ceilings context           seconds from loading libcuda to a usable context
//     ceilings all BYTES         also launch cost, copy and read bandwidth, pinned transfers
//
// Only the driver is used, through dlopen, so building this requires only a C++ compiler.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

using Address = unsigned long long;
using Handle = void*;

void* library = nullptr;

// Calls a driver function by name and stops the program if it fails.
template <typename... Args>
void call(const char* name, Args... args) {
    auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    if (function == nullptr) {
        std::fprintf(stderr, "libcuda has no %s\n", name);
        std::exit(1);
    }
    if (int error = function(args...)) {
        std::fprintf(stderr, "%s failed with CUDA error %d\n", name, error);
        std::exit(1);
    }
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// `empty` takes 64 bytes of parameters, as a library's kernel would. In `read` each thread loads four 16-byte
// vectors, 256 vectors apart, and stores only if their exclusive or has a value that never occurs.
const char* const kKernels = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry empty(.param .align 8 .b8 params[64])
{
    ret;
}

.visible .entry read(.param .u64 data, .param .u64 result)
{
    .reg .pred %p<2>;
    .reg .b32 %r<24>;
    .reg .b64 %a<4>;
    ld.param.u64 %a1, [data];
    mov.u32 %r1, %ctaid.x;
    shl.b32 %r2, %r1, 10;
    mov.u32 %r3, %tid.x;
    add.u32 %r4, %r2, %r3;
    mul.wide.u32 %a2, %r4, 16;
    add.u64 %a1, %a1, %a2;
    ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%a1];
    ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%a1 + 4096];
    ld.global.v4.u32 {%r13, %r14, %r15, %r16}, [%a1 + 8192];
    ld.global.v4.u32 {%r17, %r18, %r19, %r20}, [%a1 + 12288];
    xor.b32 %r5, %r5, %r6;
    xor.b32 %r7, %r7, %r8;
    xor.b32 %r9, %r9, %r10;
    xor.b32 %r11, %r11, %r12;
    xor.b32 %r13, %r13, %r14;
    xor.b32 %r15, %r15, %r16;
    xor.b32 %r17, %r17, %r18;
    xor.b32 %r19, %r19, %r20;
    xor.b32 %r5, %r5, %r7;
    xor.b32 %r9, %r9, %r11;
    xor.b32 %r13, %r13, %r15;
    xor.b32 %r17, %r17, %r19;
    xor.b32 %r5, %r5, %r9;
    xor.b32 %r13, %r13, %r17;
    xor.b32 %r5, %r5, %r13;
    setp.ne.u32 %p1, %r5, 305419896;
    @%p1 ret;
    ld.param.u64 %a3, [result];
    st.global.u32 [%a3], %r5;
    ret;
}
)";

struct Driver {
    Handle context = nullptr;
    Handle empty = nullptr;
    Handle read = nullptr;
    Handle start = nullptr;
    Handle stop = nullptr;

    void open() {
        call("cuInit", 0u);
        call("cuDevicePrimaryCtxRetain", &context, 0);
        call("cuCtxSetCurrent", context);
    }

    void load() {
        Handle module = nullptr;
        call("cuModuleLoadData", &module, kKernels);
        call("cuModuleGetFunction", &empty, module, "empty");
        call("cuModuleGetFunction", &read, module, "read");
        call("cuEventCreate", &start, 0u);
        call("cuEventCreate", &stop, 0u);
    }

    void synchronize() { call("cuCtxSynchronize"); }

    // Seconds of one call: the median of several groups of calls between two events.
    double time(int repeats, const std::function<void()>& body) {
        std::vector<double> samples;
        body();
        for (int sample = 0; sample < 9; ++sample) {
            call("cuEventRecord", start, Handle(nullptr));
            for (int i = 0; i < repeats; ++i) body();
            call("cuEventRecord", stop, Handle(nullptr));
            call("cuEventSynchronize", stop);
            float milliseconds = 0;
            call("cuEventElapsedTime", &milliseconds, start, stop);
            samples.push_back(milliseconds * 1e-3 / repeats);
        }
        return median(samples);
    }

    // Host seconds of one launch: the median over groups small enough for the launch queue.
    double launch_cost() {
        auto launch =
            reinterpret_cast<int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                     unsigned, Handle, void**, void**)>(dlsym(library, "cuLaunchKernel"));
        char params[64] = {};
        void* arguments[] = {params};
        std::vector<double> samples;
        const int launches = 200;
        for (int sample = 0; sample < 51; ++sample) {
            synchronize();
            double begin = now();
            for (int i = 0; i < launches; ++i) {
                if (launch(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) != 0) std::exit(1);
            }
            samples.push_back((now() - begin) / launches);
        }
        synchronize();
        return median(samples);
    }
};

}  // namespace

int main(int count, char** words) {
    double begin = now();
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    Driver driver;
    driver.open();
    Address first = 0;
    // A context is usable once memory can be allocated in it.
    call("cuMemAlloc_v2", &first, size_t(256));
    double context = now() - begin;
    if (count < 3 || std::strcmp(words[1], "all") != 0) {
        std::printf("{\"context\": %.6f}\n", context);
        return 0;
    }

    driver.load();
    size_t bytes = std::strtoull(words[2], nullptr, 10) & ~size_t(16383);
    size_t small = std::min(bytes, size_t(256) << 20);
    Address source = 0;
    Address target = 0;
    void* host = nullptr;
    call("cuMemAlloc_v2", &source, bytes);
    call("cuMemAlloc_v2", &target, bytes);
    call("cuMemAllocHost_v2", &host, small);
    std::memset(host, 1, small);
    call("cuMemsetD32_v2", source, 0x3f800000u, bytes / 4);
    Handle stream = nullptr;

    double copy = driver.time(10, [&] { call("cuMemcpyDtoDAsync_v2", target, source, bytes, stream); });
    double read = driver.time(10, [&] {
        void* arguments[] = {&source, &first};
        call("cuLaunchKernel", driver.read, unsigned(bytes >> 14), 1u, 1u, 256u, 1u, 1u, 0u, stream,
             arguments, static_cast<void**>(nullptr));
    });
    const void* host_source = host;
    double up = driver.time(2, [&] { call("cuMemcpyHtoDAsync_v2", target, host_source, small, stream); });
    double down = driver.time(2, [&] { call("cuMemcpyDtoHAsync_v2", host, source, small, stream); });
    double launch = driver.launch_cost();

    char name[256] = {};
    int version = 0;
    call("cuDeviceGetName", name, 256, 0);
    call("cuDriverGetVersion", &version);
    std::printf(
        "{\"context\": %.6f, \"launch\": %.9f, \"copy\": %.6e, \"read\": %.6e, \"pinned up\": %.6e, "
        "\"pinned down\": %.6e, \"device\": \"%s\", \"driver\": \"%d.%d\"}\n",
        context, launch, 2.0 * bytes / copy, bytes / read, small / up, small / down, name, version / 1000,
        version % 1000 / 10);
    return 0;
}
