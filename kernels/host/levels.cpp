// What the processor supports, and the kernels of each level.
#include "gpunp/levels.h"

#if GPUNP_LEVELS
namespace gpunp_v3 {
extern gpunp::HostKernel* host_kernels;
}
namespace gpunp_v4 {
extern gpunp::HostKernel* host_kernels;
}
#endif

namespace gpunp {

int highest_host_level() {
#if GPUNP_LEVELS
    if (__builtin_cpu_supports("x86-64-v4")) return LEVEL_V4;
    if (__builtin_cpu_supports("x86-64-v3")) return LEVEL_V3;
#endif
    return LEVEL_BASELINE;
}

HostKernel* host_kernels_of(int level) {
#if GPUNP_LEVELS
    if (level == LEVEL_V3) return gpunp_v3::host_kernels;
    if (level == LEVEL_V4) return gpunp_v4::host_kernels;
#endif
    return level == LEVEL_BASELINE ? host_kernels : nullptr;
}

}  // namespace gpunp
