// Streams, events, modules and launches of the stand-in driver.
#pragma once
#include "libcuda_images.h"
#include "libcuda_state.h"

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
    if (int error = refused(stream)) return error;
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
    if (sticky_error) return sticky_error;
    if (!stream_known(stream)) return BAD_HANDLE;
    if (int error = refused(stream)) return error;
    engine.drain();
    return OK;
}
API int cuStreamWaitEvent(void* stream, Event* event, unsigned) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    Capture* capture = capture_of(stream);
    if (capture && event->capture != capture) {
        capture->invalid = true;
        return CAPTURE_ISOLATION;
    }
    if (!capture && event->capture) {
        if ((uintptr_t)stream <= 2) return INVALID;
        ((Stream*)stream)->capture = event->capture;
        event->capture->joined.insert((Stream*)stream);
    } else if (capture && capture->origin == stream) {
        capture->unjoined.erase(event->stream);
    }
    return OK;
}
API int cuEventCreate(Event** out, unsigned) {
    ENTER();
    *out = new Event{current};
    return OK;
}
API int cuEventDestroy(Event* event) {
    ENTER();
    // As the driver, it does not wait: events that were not reached are leaked.
    if (event->reached >= event->recorded) delete event;
    return OK;
}
API int cuEventRecord(Event* event, void* stream) {
    ENTER();
    if (!stream_here(stream) || event->context != current) return BAD_HANDLE;
    event->capture = capture_of(stream);
    event->stream = (Stream*)stream;
    if (event->capture) return OK;
    long ticket = ++event->recorded;
    engine.push([=] {
        event->time = std::chrono::steady_clock::now();
        event->reached = ticket;
    });
    return OK;
}
API int cuEventQuery(Event* event) {
    ENTER();
    if (event->capture) return CAPTURED_EVENT;
    return event->reached >= event->recorded ? OK : NOT_READY;
}
API int cuEventSynchronize(Event* event) {
    ENTER();
    if (event->capture) return CAPTURED_EVENT;
    while (event->reached < event->recorded) usleep(10);
    return OK;
}
API int cuEventElapsedTime(float* out, Event* start, Event* end) {
    ENTER();
    for (Event* event : {start, end}) {
        if (event->recorded == 0) return BAD_HANDLE;
        if (event->reached < event->recorded) return NOT_READY;
    }
    *out = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return OK;
}

// Modules and launches.
API int cuModuleLoadData(Module** out, const void* image) {
    ENTER();
    std::string text((const char*)image);
    if (text.rfind("other arch", 0) == 0) return NO_BINARY;
    // The mark of a fatbin may precede the names.
    if (text.rfind("\x50\xed\x55\xba", 0) == 0) text = text.substr(4);
    *out = text.rfind(
               "\x7f"
               "ELF",
               0) == 0
               ? read_cubin((const char*)image)
               : read_names(text);
    return OK;
}
API int cuModuleLoadDataEx(Module** out, const void* image, unsigned, int*, void**) {
    return cuModuleLoadData(out, image);
}
// Modules are never freed: a test may launch what it unloaded by mistake, which is counted.
API int cuModuleUnload(Module*) {
    ENTER();
    return OK;
}
API int cuThreadExchangeStreamCaptureMode(int*) {
    ENTER_WITH(false);
    return OK;
}
API int cuModuleGetGlobal_v2(Pointer* out, size_t* size, Module* module, const char* name) {
    ENTER();
    auto it = module->globals.find(name);
    if (it == module->globals.end()) return MISSING;
    *out = it->second.first;
    *size = it->second.second;
    return OK;
}
API int cuModuleGetFunction(Function** out, Module* module, const char* name) {
    ENTER();
    auto it = module->functions.find(name);
    if (it == module->functions.end()) return MISSING;
    *out = &it->second;
    return OK;
}
// Dynamic shared memory, carveout; and whether clusters may have more than 8 blocks.
API int cuFuncSetAttribute(Function* function, int attribute, int value) {
    ENTER();
    if (attribute == 14) return OK;
    if (attribute == 9 ? value > 100 : attribute != 8 || value > 227 << 10) return INVALID;
    (attribute == 9 ? function->carveout : function->shared) = value;
    return OK;
}
API int cuFuncGetAttribute(int* out, int attribute, Function* function) {
    ENTER();
    // Threads per block, static shared, constant and local memory, registers, PTX, binary, cached.
    static const int values[] = {1024, 0, 0, 0, 32, 90, 90, 0};
    if (attribute > 9) return INVALID;
    *out = attribute == 8 ? function->shared : attribute == 9 ? function->carveout : values[attribute];
    return OK;
}
API int cuFuncGetParamInfo(Function* function, size_t index, size_t* offset, size_t* size) {
    ENTER();
    if (index >= function->parameters.size()) return INVALID;
    *offset = function->parameters[index].offset;
    *size = function->parameters[index].size;
    return OK;
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, Function*, int, size_t) {
    ENTER();
    *out = 2;
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
        queue(stream, [=] { __atomic_fetch_or(p.status, p.bits, __ATOMIC_SEQ_CST); });
    } else if (function->name == "fill") {
        FillParams p = *(FillParams*)params[0];
        queue(stream, [=] {
            check_device((Pointer)p.target, p.count);
            memset(p.target, p.value, p.count);
        });
    } else {
        queue(stream, [] {});
    }
    return OK;
}
struct LaunchAttribute {
    int id;
    unsigned value[17];
};
struct LaunchConfig {
    unsigned grid[3], block[3], shared;
    void* stream;
    LaunchAttribute* attributes;
    unsigned count;
};
API int cuLaunchKernelEx(const LaunchConfig* config, Function* function, void** params, void** extra) {
    if (launch_error) return launch_error;
    long attributes[4] = {0, 0, 0, 0};
    for (unsigned i = 0; i < config->count; i++) {
        const LaunchAttribute& attribute = config->attributes[i];
        // The values begin at a multiple of eight bytes.
        for (int d = 0; attribute.id == 4 && d < 3; d++) attributes[d] = attribute.value[1 + d];
        if (attribute.id == 2) attributes[3] = attribute.value[1];
    }
    std::string packed;
    for (size_t i = 0; i < function->parameters.size(); i++) {
        packed.resize(function->parameters[i].offset);
        packed.append((const char*)params[i], function->parameters[i].size);
    }
    int status =
        cuLaunchKernel(function, config->grid[0], config->grid[1], config->grid[2], config->block[0],
                       config->block[1], config->block[2], config->shared, config->stream, params, extra);
    if (status) return status;
    last_kernel = function->name;
    last_parameters = packed;
    memcpy(last_attributes, attributes, sizeof attributes);
    return OK;
}
