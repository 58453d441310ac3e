// The header that generated units of reductions include.
#pragma once
#if defined(__CUDACC__)
#include "gpunp/reduction/reduce_device.h"
#else
#include "gpunp/reduction/reduce_host.h"
#endif
