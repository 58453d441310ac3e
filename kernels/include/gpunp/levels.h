// Levels of vector instructions for which the host kernels are built.
#pragma once
#include "gpunp/kernel.h"

namespace gpunp {

enum HostLevel { LEVEL_BASELINE, LEVEL_V3, LEVEL_V4, LEVELS };

// The highest level that this build and this processor have.
int highest_host_level();

// The kernels of a level; above the baseline, only those that it does better.
HostKernel* host_kernels_of(int level);

}  // namespace gpunp
