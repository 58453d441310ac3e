// NVRTC knows malloc, free and abs without a header.
#pragma once
