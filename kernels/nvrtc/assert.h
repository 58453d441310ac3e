// NVRTC knows assert without a header.
#pragma once
