// Connected regions of an image, numbered in the order of their first pixels.
//
// Union-find by positions: tiles in shared memory, then across tiles and planes in global memory, always
// hooking the later of two roots under the earlier one. Roots are then counted, and each pixel gets the
// number of its root. Of the links between two runs of pixels, one is used.
#pragma once
#include "gpunp/kernel.h"
#include "gpunp/ndimage/label_params.h"

#if GPUNP_ON_DEVICE
#include "gpunp/ndimage/label_device.h"
#else
#include "gpunp/ndimage/label_host.h"
#endif
