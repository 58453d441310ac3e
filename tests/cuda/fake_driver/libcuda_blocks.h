// Memory outside of pools, arrays for textures, textures and surfaces, of the stand-in driver.
#pragma once
#include "libcuda_state.h"

namespace {

int allocate(Pointer* out, size_t size, bool managed) {
    void* memory = nullptr;
    std::lock_guard<std::mutex> guard(lock);
    if (size > total_memory || posix_memalign(&memory, 512, size)) return NO_MEMORY;
    blocks[(Pointer)memory] = Block{size, nullptr, current->device, managed};
    *out = (Pointer)memory;
    return OK;
}
Pool* default_pool(int device) {
    static Pool* found[8] = {};
    std::lock_guard<std::mutex> guard(lock);
    if (!found[device]) pools.insert(found[device] = new Pool{device});
    return found[device];
}
Pool* chosen[8] = {};
// CUDA_ARRAY3D_DESCRIPTOR.
struct Shape {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
    size_t element() const {
        int bits = format == 1 || format == 8 ? 8 : format == 2 || format == 9 || format == 16 ? 16 : 32;
        return bits / 8 * channels;
    }
};
struct Array {
    Shape shape;
    std::vector<char> memory;
};
// One side of CUDA_MEMCPY3D, without what only CUDA uses.
struct Side {
    size_t x, y, z, lod;
    int type;
    char* host;
    char* device;
    Array* array;
    void* reserved;
    size_t pitch, height;
    char* at(size_t row, size_t plane) const {
        if (type == 3)
            return array->memory.data() +
                   ((plane + z) * std::max<size_t>(array->shape.height, 1) + row + y) * array->shape.width *
                       array->shape.element() +
                   x;
        return (type == 1 ? host : device) + ((plane + z) * height + row + y) * pitch + x;
    }
};
struct Copy3D {
    Side source, target;
    size_t width, height, depth;
    void run() const {
        for (size_t plane = 0; plane < depth; plane++)
            for (size_t row = 0; row < height; row++)
                memcpy(target.at(row, plane), source.at(row, plane), width);
    }
};
struct Side2D {
    size_t x, y;
    int type;
    char* host;
    char* device;
    Array* array;
    size_t pitch;
    Side side() const { return Side{x, y, 0, 0, type, host, device, array, nullptr, pitch, 0}; }
};
struct Copy2D {
    Side2D source, target;
    size_t width, height;
    Copy3D copy() const { return Copy3D{source.side(), target.side(), width, height, 1}; }
};
long living_objects = 0;

}  // namespace

// Arrays, textures and surfaces that are alive.
API long fake_living_objects() {
    return living_objects;
}
API int cuMemAlloc_v2(Pointer* out, size_t size) {
    ENTER();
    return allocate(out, size, false);
}
API int cuMemAllocManaged(Pointer* out, size_t size, unsigned flags) {
    ENTER();
    return flags == 1 || flags == 2 ? allocate(out, size, true) : INVALID;
}
API int cuMemFree_v2(Pointer pointer) {
    ENTER();
    engine.drain();
    std::lock_guard<std::mutex> guard(lock);
    auto it = blocks.find(pointer);
    if (it == blocks.end() || it->second.pool) return INVALID;
    blocks.erase(it);
    free((void*)pointer);
    return OK;
}
API int cuMemFreeHost(void* pointer) {
    ENTER();
    engine.drain();
    std::lock_guard<std::mutex> guard(lock);
    if (!pinned.erase((Pointer)pointer)) return INVALID;
    free(pointer);
    return OK;
}
API int cuMemAdvise_v2(Pointer pointer, size_t, int, long) {
    ENTER();
    Block* block = block_of(pointer);
    return block && block->managed ? OK : INVALID;
}
API int cuMemPrefetchAsync_v2(Pointer pointer, size_t, long, unsigned, void* stream) {
    ENTER();
    Block* block = block_of(pointer);
    return block && block->managed && stream_known(stream) ? OK : INVALID;
}
API int cuDeviceGetDefaultMemPool(Pool** out, int device) {
    *out = default_pool(device);
    return OK;
}
API int cuDeviceGetMemPool(Pool** out, int device) {
    *out = chosen[device] ? chosen[device] : default_pool(device);
    return OK;
}
API int cuDeviceSetMemPool(int device, Pool* pool) {
    chosen[device] = pool;
    return OK;
}
API int cuMemAllocFromPoolAsync(Pointer* out, size_t size, Pool* pool, void* stream);
API int cuMemAllocAsync(Pointer* out, size_t size, void* stream) {
    ENTER();
    Pool* pool;
    cuDeviceGetMemPool(&pool, current->device);
    return cuMemAllocFromPoolAsync(out, size, pool, stream);
}
API int cuMemcpy(Pointer target, Pointer source, size_t size) {
    ENTER();
    engine.drain();
    memmove((void*)target, (void*)source, size);
    return OK;
}
API int cuMemcpyAsync(Pointer target, Pointer source, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    queue(stream, [=] { memmove((void*)target, (void*)source, size); });
    return OK;
}
API int cuMemcpyPeer(Pointer target, Context*, Pointer source, Context*, size_t size) {
    return cuMemcpy(target, source, size);
}
API int cuMemsetD8_v2(Pointer target, unsigned char value, size_t size) {
    ENTER();
    engine.push([=] {
        check_device(target, size);
        memset((void*)target, value, size);
    });
    return OK;
}
API int cuMemcpy2DUnaligned_v2(const Copy2D* copy) {
    ENTER();
    engine.drain();
    copy->copy().run();
    return OK;
}
API int cuMemcpy2DAsync_v2(const Copy2D* copy, void* stream) {
    ENTER();
    Copy3D work = copy->copy();
    queue(stream, [=] { work.run(); });
    return OK;
}
API int cuMemcpy3D_v2(const Copy3D* copy) {
    ENTER();
    engine.drain();
    copy->run();
    return OK;
}
API int cuMemcpy3DAsync_v2(const Copy3D* copy, void* stream) {
    ENTER();
    Copy3D work = *copy;
    queue(stream, [=] { work.run(); });
    return OK;
}
API int cuArray3DCreate_v2(Array** out, const Shape* shape) {
    ENTER();
    size_t rows = std::max<size_t>(shape->height, 1) * std::max<size_t>(shape->depth, 1);
    *out = new Array{*shape, std::vector<char>(shape->width * rows * shape->element())};
    living_objects++;
    return OK;
}
API int cuArray3DGetDescriptor_v2(Shape* out, Array* array) {
    *out = array->shape;
    return OK;
}
API int cuArrayDestroy(Array* array) {
    ENTER();
    engine.drain();
    delete array;
    living_objects--;
    return OK;
}
API int cuTexObjectCreate(unsigned long long* out, const void*, const void*, const void*) {
    ENTER();
    *out = 100 + ++living_objects;
    return OK;
}
API int cuTexObjectDestroy(unsigned long long) {
    ENTER();
    living_objects--;
    return OK;
}
API int cuSurfObjectCreate(unsigned long long* out, const void*) {
    ENTER();
    *out = 100 + ++living_objects;
    return OK;
}
API int cuSurfObjectDestroy(unsigned long long) {
    ENTER();
    living_objects--;
    return OK;
}
API int cuProfilerStart() {
    ENTER();
    return OK;
}
API int cuProfilerStop() {
    ENTER();
    return OK;
}
API int cuCtxGetLimit(size_t* out, int limit) {
    ENTER();
    *out = limit == 0 ? 1024 : 8 << 20;
    return OK;
}
API int cuCtxSetLimit(int, size_t) {
    ENTER();
    return OK;
}
API int cuCtxEnablePeerAccess(Context* peer, unsigned) {
    ENTER();
    return peer == current ? INVALID : OK;
}
API int cuCtxDisablePeerAccess(Context*) {
    ENTER();
    return OK;
}
API int cuDeviceGetByPCIBusId(int* out, const char* address) {
    unsigned domain, bus;
    if (sscanf(address, "%x:%x:", &domain, &bus) != 2) return INVALID;
    *out = (int)bus;
    return OK;
}
API int cuStreamCreateWithPriority(Stream** out, unsigned flags, int);
API int cuStreamCreate(Stream** out, unsigned flags) {
    return cuStreamCreateWithPriority(out, flags, 0);
}
