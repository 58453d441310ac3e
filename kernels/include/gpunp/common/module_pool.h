// The pool for modules that are compiled at run time, which are not linked with it:
// gpunp/compiler/host_module.pyx fills in the kernels through which they use it. Without them loops run
// alone.
#pragma once
#include "gpunp/common/host_pool.h"

#if !GPUNP_ON_DEVICE
#include <string.h>

extern "C" {

// Of the unit "pool": pool_run, then pool_threads.
__attribute__((weak, visibility("default"))) void (*gpunp_module_pool[2])(const void* params) = {nullptr,
                                                                                                 nullptr};

// As in kernels/host/pool.cpp.
struct GpunpPoolParams {
    int64_t n, grain;
    void (*body)(void* context, int64_t begin, int64_t end);
    void* context;
};

__attribute__((weak)) void gpunp_pool_run(int64_t n, int64_t grain,
                                          void (*body)(void* context, int64_t begin, int64_t end),
                                          void* context) {
    const GpunpPoolParams params = {n, grain, body, context};
    if (gpunp_module_pool[0])
        gpunp_module_pool[0](&params);
    else if (n > 0)
        body(context, 0, n);
}

__attribute__((weak)) int gpunp_pool_threads(void) {
    int count = 1;
    if (gpunp_module_pool[1]) {
        int* const place = &count;
        gpunp_module_pool[1](&place);
    }
    return count;
}

__attribute__((weak)) int64_t gpunp_pool_most_grain = INT64_MAX;

__attribute__((weak)) void gpunp_pool_copy(void* target, const void* source, size_t nbytes) {
    memmove(target, source, nbytes);
}

}  // extern "C"
#endif
