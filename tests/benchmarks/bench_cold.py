"""Cold start of a program: imports, the context, and the first calls of 25 functions."""

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
