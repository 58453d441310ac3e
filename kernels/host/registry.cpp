// Defines the list in which the host kernels of one level register.
#include "gpunp/kernel.h"

namespace gpunp {
HostKernel* host_kernels = nullptr;
}
