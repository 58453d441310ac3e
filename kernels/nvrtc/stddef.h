// NVRTC knows size_t, ptrdiff_t and NULL without a header.
#pragma once

#ifndef offsetof
#define offsetof(type, member) (::size_t)((char*)&(((type*)0)->member) - (char*)0)
#endif

using max_align_t = long double;
