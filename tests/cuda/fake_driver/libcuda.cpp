// A stand-in for libcuda.so.1 on machines without a GPU: device memory is host memory, and one thread runs
// queued work asynchronously and in order, so that missing synchronization is detected. It has the functions
// that gpunp calls and checks contexts, freed blocks and handles. The fake_* functions are for the tests.
#include "libcuda_blocks.h"
#include "libcuda_graphs.h"
#include "libcuda_memory.h"
#include "libcuda_state.h"
#include "libcuda_streams.h"

// Functions for the tests.
API long fake_calls(const char* name) {
    std::lock_guard<std::mutex> guard(lock);
    return calls[name];
}
// Overrides of device attributes, by the number of a CU_DEVICE_ATTRIBUTE; all others are those of an H100.
static std::map<int, int> attributes;
API void fake_set_attribute(int attribute, int value) {
    attributes[attribute] = value;
}
API void fake_set_memory(size_t bytes) {
    total_memory = bytes;
}
API void fake_last_launch(long* out) {
    memcpy(out, last_launch, sizeof last_launch);
}
// The last launch by cuLaunchKernelEx: cluster and cooperative, and its parameters in one buffer, whose size
// is returned.
API size_t fake_last_parameters(char* out, size_t size) {
    memcpy(out, last_parameters.data(), std::min(size, last_parameters.size()));
    return last_parameters.size();
}
API const char* fake_last_kernel() {
    return last_kernel.c_str();
}
API void fake_last_attributes(long* out) {
    memcpy(out, last_attributes, sizeof last_attributes);
}
// Errors that launches return from now on, and that synchronizations of streams return.
API void fake_set_errors(int of_launches, int of_synchronizations) {
    launch_error = of_launches;
    sticky_error = of_synchronizations;
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
// Holds the device (1) or releases it (0); queued work does not run while it is held.
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
        case 700:
            *out = "CUDA_ERROR_ILLEGAL_ADDRESS";
            break;
        case 710:
            *out = "CUDA_ERROR_ASSERT";
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
    if (attributes.count(attribute)) {
        *out = attributes[attribute];
        return OK;
    }
    switch (attribute) {
        // Limits of blocks and grids: threads, x, y and z.
        case 1:
        case 2:
        case 3:
            *out = 1024;
            break;
        case 4:
            *out = 64;
            break;
        case 5:
            *out = 0x7FFFFFFF;
            break;
        case 6:
        case 7:
            *out = 65535;
            break;
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
        case 81:
            *out = 228 << 10;
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
// NVRTC looks for this function without a check.
API int cuGetExportTable(const void**, const void*) {
    return MISSING;
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

#define ENTRY(name) {#name, (void*)name}
static const std::map<std::string, void*> table = {
    ENTRY(cuGetErrorName),
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
    ENTRY(cuStreamBeginCapture),
    ENTRY(cuStreamIsCapturing),
    ENTRY(cuStreamEndCapture),
    {"cuGraphInstantiateWithFlags", (void*)cuGraphInstantiate},
    ENTRY(cuGraphGetNodes),
    ENTRY(cuGraphLaunch),
    ENTRY(cuGraphUpload),
    ENTRY(cuGraphDebugDotPrint),
    ENTRY(cuGraphDestroy),
    ENTRY(cuGraphExecDestroy),
    ENTRY(cuLaunchHostFunc),
    ENTRY(cuMemAllocManaged),
    ENTRY(cuMemFreeHost),
    ENTRY(cuDeviceGetDefaultMemPool),
    ENTRY(cuDeviceGetMemPool),
    ENTRY(cuDeviceSetMemPool),
    ENTRY(cuMemAllocAsync),
    ENTRY(cuMemcpy),
    ENTRY(cuMemcpyAsync),
    ENTRY(cuMemcpyPeer),
    ENTRY(cuArrayDestroy),
    ENTRY(cuTexObjectCreate),
    ENTRY(cuTexObjectDestroy),
    ENTRY(cuSurfObjectCreate),
    ENTRY(cuSurfObjectDestroy),
    ENTRY(cuProfilerStart),
    ENTRY(cuProfilerStop),
    ENTRY(cuCtxGetLimit),
    ENTRY(cuCtxSetLimit),
    ENTRY(cuCtxEnablePeerAccess),
    ENTRY(cuCtxDisablePeerAccess),
    ENTRY(cuDeviceGetByPCIBusId),
    ENTRY(cuStreamCreate),
    {"cuMemAlloc", (void*)cuMemAlloc_v2},
    {"cuMemFree", (void*)cuMemFree_v2},
    {"cuMemAdvise", (void*)cuMemAdvise_v2},
    {"cuMemPrefetchAsync", (void*)cuMemPrefetchAsync_v2},
    {"cuMemsetD8", (void*)cuMemsetD8_v2},
    {"cuMemcpy2DUnaligned", (void*)cuMemcpy2DUnaligned_v2},
    {"cuMemcpy2DAsync", (void*)cuMemcpy2DAsync_v2},
    {"cuMemcpy3D", (void*)cuMemcpy3D_v2},
    {"cuMemcpy3DAsync", (void*)cuMemcpy3DAsync_v2},
    {"cuArray3DCreate", (void*)cuArray3DCreate_v2},
    {"cuArray3DGetDescriptor", (void*)cuArray3DGetDescriptor_v2},
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
    ENTRY(cuThreadExchangeStreamCaptureMode),
    ENTRY(cuModuleUnload),
    ENTRY(cuModuleLoadDataEx),
    {"cuModuleGetGlobal", (void*)cuModuleGetGlobal_v2},
    ENTRY(cuFuncSetAttribute),
    ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    ENTRY(cuLaunchKernelEx),
    ENTRY(cuFuncGetParamInfo),
    ENTRY(cuFuncGetAttribute),
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
API int cuGetProcAddress_v2(const char* name, void** out, int, uint64_t, int* status) {
    auto it = table.find(name);
    *out = it == table.end() ? nullptr : it->second;
    if (status) *status = *out ? 0 : 1;
    return *out ? OK : MISSING;
}
