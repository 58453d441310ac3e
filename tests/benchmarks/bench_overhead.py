"""The host cost of a call, with arrays so small that the device's time does not matter."""

import importlib

import numpy as np
from ceilings import KERNEL, takes_arrays
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


@host("call_routed", "`scipy.ndimage.sobel(A)`, 8 x 8", Above(3e-6, "direct call"))
def call_routed(lib, size):
    names = {"gpunp": "scipy.ndimage", "CuPy": "cupyx.scipy.ndimage", "NumPy": "scipy.ndimage"}
    if lib.name not in names:
        raise NotImplementedError("it has no such function")
    return "sobel(a)", {"sobel": importlib.import_module(names[lib.name]).sobel, "a": lib.values(8, 8)}


@host("call_hooked", "a hooked function of Python, without a device array", Above(40e-9, "plain call"))
def call_hooked(lib, size):
    if lib.name != "gpunp":
        raise NotImplementedError("it hooks no functions")
    hooks = importlib.import_module("gpunp.dispatch.hooks")
    hooked = hooks.copy_of(takes_arrays, globals())
    hooks.hook(hooked, print, 1)
    return "hooked(shape)", {"hooked": hooked, "shape": (8, 8)}
