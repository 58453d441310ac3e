// NVRTC knows memcpy and memset without a header.
#pragma once

static __device__ __forceinline__ void* memmove(void* target, const void* source, size_t count) {
    unsigned char* to = (unsigned char*)target;
    const unsigned char* from = (const unsigned char*)source;
    if (to <= from) {
        for (size_t i = 0; i < count; i++) to[i] = from[i];
    } else {
        for (size_t i = count; i-- > 0;) to[i] = from[i];
    }
    return target;
}

static __device__ __forceinline__ int memcmp(const void* a, const void* b, size_t count) {
    const unsigned char *x = (const unsigned char*)a, *y = (const unsigned char*)b;
    for (size_t i = 0; i < count; i++) {
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

static __device__ __forceinline__ size_t strlen(const char* text) {
    size_t count = 0;
    while (text[count]) count++;
    return count;
}
