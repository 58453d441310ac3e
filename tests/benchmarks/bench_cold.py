"""Cold start of a program: imports, the context, and the first calls of functions and of a raw kernel."""

from ceilings import KERNEL
from rows import Above, row

PROGRAM = """
import time
start = time.perf_counter()
import numpy as np
{prepare}
for name in ("sqrt exp log sin cos tanh floor ceil square expm1 log1p absolute negative isnan "
             "sum mean std argmax").split():
    result = getattr(xp, name)(a)
for name in "add subtract multiply divide maximum minimum hypot".split():
    result = getattr(xp, name)(a, a)
float(result[0])
print(time.perf_counter() - start)
"""

HOST = "np.linspace(0.5, 1.5, 1000, dtype=np.float32)"
PREPARE = {
    "gpunp": f"import gpunp; xp = np; gpunp.Device({{device!r}}).use(); a = gpunp.asarray({HOST})",
    "CuPy": f"import cupy as xp; a = xp.asarray({HOST})",
    "PyTorch": f"import torch as xp; a = xp.from_numpy({HOST}).cuda()",
    "NumPy": f"xp = np; a = {HOST}",
}


@row(
    "cold_start",
    "import, context and first call of 25 functions, no kernel cached",
    "Cold start",
    Above(0.3, "context"),
    "process",
)
def cold_start(lib, size):
    return PROGRAM.format(prepare=PREPARE[lib.name].format(device=lib.device))


RAW_KERNEL = """
import time
import numpy as np
{prepare}
x, y = xp.ones(8, np.float32), xp.ones(8, np.float32)
float(y[0])
start = time.perf_counter()
xp.RawKernel({kernel!r}, "axpy")((1,), (8,), (x, y, np.float32(2), np.int32(8)))
result = float(y[0])
print(time.perf_counter() - start)
assert result == 3
"""
PREPARE_RAW = {
    "gpunp": "import gpunp as xp; xp.Device({device!r}).use()",
    "CuPy": "import cupy as xp",
}


def raw_kernel_program(lib):
    prepare = PREPARE_RAW[lib.name].format(device=lib.device)
    return RAW_KERNEL.format(prepare=prepare, kernel=KERNEL)


@row(
    "first_raw_kernel",
    "first call of a `RawKernel` of ten lines, no kernel cached",
    "Cold start",
    Above(15e-3, "NVRTC"),
    "process",
    needs_gpu=True,
)
def first_raw_kernel(lib, size):
    return raw_kernel_program(lib)


@row(
    "first_raw_kernel_cached",
    "the same from the disk cache, in a new process",
    "Cold start",
    Above(3e-3),
    "second process",
    needs_gpu=True,
)
def first_raw_kernel_cached(lib, size):
    return raw_kernel_program(lib)
