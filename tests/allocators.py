"""Every allocator of `gpunp.cuda` by a name: functions of the module, as it needs a driver."""

ALLOCATORS = {
    "memory": lambda cuda: lambda size: cuda.MemoryPointer(cuda.Memory(size), 0),
    "managed": lambda cuda: cuda.malloc_managed,
    "async": lambda cuda: cuda.malloc_async,
    "async pool": lambda cuda: cuda.MemoryAsyncPool().malloc,
    "pool": lambda cuda: cuda.MemoryPool().malloc,
    "pool of managed": lambda cuda: cuda.MemoryPool(cuda.malloc_managed).malloc,
    "python": lambda cuda: python_allocator(cuda).malloc,
    "pool of python": lambda cuda: cuda.MemoryPool(python_allocator(cuda).malloc).malloc,
}


def python_allocator(cuda):
    from gpunp.cuda import runtime

    return cuda.PythonFunctionAllocator(
        lambda size, device_id: runtime.malloc(size), lambda pointer, device_id: runtime.free(pointer)
    )
