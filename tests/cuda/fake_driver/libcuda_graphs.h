// Captures, graphs and functions of the host, of the stand-in driver.
#pragma once
#include "libcuda_state.h"

namespace {

struct Graph {
    std::vector<std::function<void()>> work;
};
struct Executable {
    std::vector<std::function<void()>> work;
};

}  // namespace

API int cuStreamBeginCapture(Stream* stream, int mode) {
    ENTER();
    if (!stream_here(stream)) return BAD_HANDLE;
    if ((uintptr_t)stream <= 2 || stream->capture || mode > 2) return INVALID;
    stream->capture = new Capture{stream};
    return OK;
}
API int cuStreamIsCapturing(Stream* stream, int* status) {
    ENTER();
    Capture* capture = capture_of(stream);
    *status = !capture ? 0 : capture->invalid ? 2 : 1;
    return OK;
}
API int cuStreamEndCapture(Stream* stream, Graph** out) {
    ENTER();
    *out = nullptr;
    Capture* capture = capture_of(stream);
    if (!capture || capture->origin != stream) return INVALID;
    bool invalid = capture->invalid, unjoined = !capture->unjoined.empty();
    stream->capture = nullptr;
    for (Stream* other : capture->joined) other->capture = nullptr;
    if (invalid) return CAPTURE_INVALIDATED;
    if (unjoined) return CAPTURE_UNJOINED;
    *out = new Graph{capture->work};
    // Captures are never freed: events may name them.
    return OK;
}
API int cuGraphInstantiate(Executable** out, Graph* graph, unsigned long long) {
    ENTER();
    *out = new Executable{graph->work};
    return OK;
}
API int cuGraphGetNodes(Graph* graph, void**, size_t* count) {
    *count = graph->work.size();
    return OK;
}
API int cuGraphLaunch(Executable* executable, void* stream) {
    ENTER();
    if (!stream_here(stream)) return BAD_HANDLE;
    for (auto& work : executable->work) queue(stream, work);
    return OK;
}
API int cuGraphUpload(Executable*, void* stream) {
    ENTER();
    return stream_here(stream) ? OK : BAD_HANDLE;
}
API int cuGraphDebugDotPrint(Graph* graph, const char* path, unsigned) {
    ENTER();
    FILE* file = fopen(path, "w");
    if (!file) return INVALID;
    fprintf(file, "digraph { // %zu nodes\n}\n", graph->work.size());
    fclose(file);
    return OK;
}
API int cuGraphDestroy(Graph* graph) {
    ENTER();
    delete graph;
    return OK;
}
API int cuGraphExecDestroy(Executable* executable) {
    ENTER();
    delete executable;
    return OK;
}
API int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    ENTER();
    if (!stream_here(stream)) return BAD_HANDLE;
    queue(stream, [=] { function(data); });
    return OK;
}
