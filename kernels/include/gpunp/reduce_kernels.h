// What a generated unit of reductions includes.
#pragma once
#if defined(__CUDACC__)
#include "gpunp/reduce_device.h"
#else
#include "gpunp/reduce_host.h"
#endif
