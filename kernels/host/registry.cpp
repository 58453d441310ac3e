// Defines the list in which the host kernels register.
#include "gpunp/kernel.h"

namespace gpunp {
HostKernel* host_kernels = nullptr;
}
