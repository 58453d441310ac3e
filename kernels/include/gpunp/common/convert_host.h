// Conversions of runs of elements on the host; kernels/host/convert.cpp has the loops for all pairs of
// dtypes.
#pragma once
#include "gpunp/config.h"

// Elements may be any number of bytes apart; runs do not overlap. Results are those of convert<>.
extern "C" void gpunp_convert_run(char* to, int to_dtype, int64_t to_stride, const char* from, int from_dtype,
                                  int64_t from_stride, int64_t count);
