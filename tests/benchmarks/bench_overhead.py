"""The host cost of a call, with arrays so small that the device's time does not matter."""

import numpy as np
from ceilings import KERNEL
from rows import Above, row

CHAPTER = "Host cost of a call, 8 elements"


def host(name, title, goal, **keywords):
    return row(name, title, CHAPTER, goal, "host", **keywords)


@host("call_operator", "`a + b`", Above(2.5e-6, "launch"))
def call_operator(lib, size):
    return "a + b", {"a": lib.values(8), "b": lib.values(8)}


@host("call_add", "`np.add(a, b)`", Above(3.5e-6, "launch"))
def call_add(lib, size):
    return "xp.add(a, b)", {"a": lib.values(8), "b": lib.values(8)}


@host("call_sum", "`np.sum(a)`", Above(4e-6, "launch"))
def call_sum(lib, size):
    return "xp.sum(a)", {"a": lib.values(8)}


@host("call_slice", "`a[1:5]`", Above(0.4e-6))
def call_slice(lib, size):
    return "a[1:5]", {"a": lib.values(8)}


@host("call_transpose", "`A.T`", Above(0.4e-6))
def call_transpose(lib, size):
    return "a.T", {"a": lib.values(4, 2)}


@host("call_empty", "`gpunp.empty(8)`", Above(1e-6))
def call_empty(lib, size):
    if lib.dialect == "torch":
        return "empty(8, device=device)", {"empty": lib.xp.empty, "device": lib.xp.device("cuda")}
    return "empty(8)", {"empty": getattr(lib, "module", lib.xp).empty}


@host("call_raw_kernel", "`RawKernel`, 4 arguments", Above(1.5e-6, "launch"), needs_gpu=True)
def call_raw_kernel(lib, size):
    kernel = getattr(lib, "module", lib.xp).RawKernel(KERNEL, "axpy")
    names = {"x": lib.values(8), "y": lib.values(8), "a": np.float32(2), "n": np.int32(8)}
    return "kernel((1,), (8,), (x, y, a, n))", {**names, "kernel": kernel}
