// Where CUDA's own headers are not installed. Those are found first.
#pragma once
#include "gpunp/custom/cucomplex.h"
