// NVRTC knows size_t, ptrdiff_t and NULL without a header.
#pragma once

#ifndef offsetof
// The form that is a constant expression in NVIDIA's front end.
#define offsetof(type, member) ((::size_t)__INTADDR__(&(((type*)0)->member)))
#endif

using max_align_t = long double;
