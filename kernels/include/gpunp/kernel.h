// Names of kernels: a __global__ symbol of a fatbin, or an entry in the host library's table.
#pragma once
#include "gpunp/config.h"

#if !GPUNP_ON_DEVICE
namespace gpunp {

struct HostKernel {
    const char* unit;
    const char* symbol;
    void (*function)(const void* params);
    HostKernel* next;
};

// Head of the list of all kernels linked into the host library.
extern HostKernel* host_kernels;

struct HostKernelRegistration {
    HostKernel entry;
    HostKernelRegistration(const char* unit, const char* symbol, void (*function)(const void*))
        : entry{unit, symbol, function, host_kernels} {
        host_kernels = &entry;
    }
};

}  // namespace gpunp

// Registers `function` under this unit (the build defines GPUNP_UNIT) and `symbol`.
#define GPUNP_HOST_KERNEL(symbol, function) \
    static ::gpunp::HostKernelRegistration registration_##symbol(GPUNP_UNIT, #symbol, function)
#endif
