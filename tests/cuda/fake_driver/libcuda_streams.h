// Streams, events, modules and launches of the stand-in driver.
#pragma once
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
