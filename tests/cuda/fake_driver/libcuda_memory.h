// Memory, pools and copies of the stand-in driver.
#pragma once
#include "libcuda_state.h"

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
    return attribute == 4 && *(uint64_t*)value ? OK : INVALID;
}
API int cuMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
    ENTER_WITH(false);
    if (attribute != 5 && attribute != 7) return INVALID;
    *(uint64_t*)value = attribute == 5 ? pool->reserved : pool->used;
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
    if (capture_of(stream)) die("memory that a graph allocates");
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
        if (capture_of(stream)) die("memory that a graph frees");
        it->second.pool->used -= it->second.size;
    }
    queue(stream, [=] {
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
    Block* block = block_of(pointer);
    bool host = is_pinned((void*)pointer);
    if (!block && !host) return INVALID;
    switch (attribute) {
        case 2:  // the type of memory
            if (!host && !block->managed) return INVALID;
            *(int*)out = block ? 2 : 1;
            return OK;
        case 3:  // the address on the device
            *(Pointer*)out = pointer;
            return OK;
        case 4:  // the address on the host
            if (block && !block->managed) return INVALID;
            *(Pointer*)out = pointer;
            return OK;
        case 8:  // whether it is managed
            *(int*)out = block && block->managed;
            return OK;
        case 9:  // the device
            *(int*)out = block ? block->pool ? block->pool->device : block->device : 0;
            return OK;
        default:
            return INVALID;
    }
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
    queue(stream, [=] {
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
        queue(stream, [=] {
            check_device(target, size);
            memcpy((void*)target, source, size);
        });
    } else {
        enter("staged_by_driver");
        std::string copy((const char*)source, size);
        queue(stream, [=] {
            check_device(target, size);
            memcpy((void*)target, copy.data(), size);
        });
    }
    return OK;
}
API int cuMemcpyDtoHAsync(void* target, Pointer source, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    queue(stream, [=] {
        check_device(source, size);
        memcpy(target, (void*)source, size);
    });
    if (!is_pinned(target) && !capture_of(stream)) {
        enter("staged_by_driver");
        engine.drain();
    }
    return OK;
}
API int cuMemcpyDtoDAsync(Pointer target, Pointer source, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    queue(stream, [=] {
        check_device(source, size);
        check_device(target, size);
        memmove((void*)target, (void*)source, size);
    });
    return OK;
}
API int cuMemsetD8Async(Pointer target, unsigned char value, size_t size, void* stream) {
    ENTER();
    if (!stream_known(stream)) return BAD_HANDLE;
    queue(stream, [=] {
        check_device(target, size);
        memset((void*)target, value, size);
    });
    return OK;
}
