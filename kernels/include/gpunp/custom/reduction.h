// The header that sources of users' reduction kernels include, written by gpunp/custom/reduction_source.py.
#pragma once
#include "gpunp/custom/prelude.h"
#include "gpunp/custom/reduction_elements.h"
#if GPUNP_ON_DEVICE
#include "gpunp/custom/reduction_device.h"
#else
#include "gpunp/custom/reduction_host.h"
#endif
