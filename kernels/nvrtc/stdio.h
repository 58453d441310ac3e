// NVRTC knows printf without a header.
#pragma once
