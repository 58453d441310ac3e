"""What calls of the driver cost in this process, without Python and without any library on top of it."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).with_name("driver_costs.cpp")
SAMPLES = 31


@functools.cache
def library():
    """The compiled functions of driver_costs.cpp."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise RuntimeError("the driver's costs are measured by a C++ function: install g++ or set CXX")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "driver_costs.so"
        command = [compiler, "-O2", "-std=c++17", "-shared", "-fPIC", SOURCE, "-o", path, "-ldl"]
        subprocess.run(command, check=True)
        loaded = ctypes.CDLL(str(path))
    loaded.driver_seconds.restype = ctypes.c_double
    loaded.driver_seconds.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    return loaded


def seconds(name, count=200):
    """The median seconds of one of the calls of driver_costs.cpp, on the default stream or a new one."""
    import gpunp
    from gpunp import cuda
    from gpunp.cuda import driver

    # What ours use: memory of the default stream, events and functions on streams beside it.
    memory = name in ("async", "managed", "memory")
    stream = cuda.Stream.null if memory else cuda.Stream(non_blocking=True)
    event = cuda.Event(disable_timing=True).record(cuda.Stream(non_blocking=True))
    driver.make_current()
    samples = []
    for _ in range(SAMPLES):
        found = library().driver_seconds(name.encode(), count, stream.ptr or None, event.ptr)
        if found < 0:
            raise RuntimeError(f"the driver's call for {name!r} failed with error {-found:.0f}")
        samples.append(found)
        gpunp.cuda.Device(0).synchronize()
    return median(samples)
