#include "gpunp/kernel.h"

namespace gpunp {
HostKernel* host_kernels = nullptr;
}
