"""The limits with which rows are compared, measured in the same run."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path
from statistics import median

import numpy as np
from libraries import HOST_SAMPLES, QUEUED_CALLS, host_values

SOURCE = Path(__file__).with_name("ceilings.cpp")
# A ten-line kernel, whose first call is measured.
KERNEL = r"""
extern "C" __global__ void axpy(const float* x, float* y,
                                float a, int n) {
    // The threads of the grid share the elements.
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int step = gridDim.x * blockDim.x;
    for (; i < n; i += step) {
        y[i] += a * x[i];
    }
}
"""
# The time in which NVRTC itself, called from C, is loaded and compiles this kernel.
COMPILATION = """
import ctypes, glob, sys, time
library, architecture, source = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
start = time.perf_counter()
for builtins in glob.glob(library.replace("libnvrtc", "libnvrtc-builtins") + "*"):
    ctypes.CDLL(builtins)
nvrtc = ctypes.CDLL(library)
program, size = ctypes.c_void_p(), ctypes.c_size_t()
# NVRTC has a cache of its own, which would spare all but the first of these processes the compilation.
options = (ctypes.c_char_p * 3)(b"-arch=sm_" + architecture, b"-std=c++17", b"--no-cache")
assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None) == 0
assert nvrtc.nvrtcCompileProgram(program, 3, options) == 0
assert nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
assert nvrtc.nvrtcGetCUBIN(program, ctypes.create_string_buffer(size.value)) == 0
print(time.perf_counter() - start)
"""


def measure_cuda(size):
    """Launch cost, bandwidths and the time to create a context, from a program that uses only the driver."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        raise SystemExit("the ceilings are measured by a C++ program: install g++ or set CXX")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "ceilings"
        subprocess.run([compiler, "-O2", "-std=c++17", SOURCE, "-o", program, "-ldl"], check=True)
        found = run_program(program, "all", str(4 * size.elements))
        found["context"] = median(run_program(program, "context")["context"] for _ in range(size.repeats))
    found["NVRTC"] = compilation_seconds(size.repeats)
    # Both are bandwidths of the same memory: the larger one is closer to the limit of reading.
    found["read"] = max(found["read"], found["copy"])
    return found


def compilation_seconds(repeats):
    """The time in which NVRTC is loaded and compiles a small kernel, as the median over new processes."""
    import gpunp
    from gpunp.compiler.toolkit import nvrtc_path

    words = [nvrtc_path(), str(gpunp.Device("cuda", 0).architecture), KERNEL]
    return median(
        json.loads(subprocess.check_output([sys.executable, "-P", "-c", COMPILATION, *words], text=True))
        for _ in range(repeats)
    )


def run_program(*command):
    """Run a program and parse the JSON that it prints."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def call_seconds():
    """The host times of calls that a call through SciPy's functions is compared with."""
    import gpunp
    import gpunp_scipy.ndimage

    image, device = gpunp.ones((8, 8), np.float32), gpunp.get_device()
    direct = timeit.Timer("sobel(a)", globals={"sobel": gpunp_scipy.ndimage.sobel, "a": image})
    plain = timeit.Timer("call(shape)", globals={"call": takes_arrays, "shape": (8, 8)})
    return {"direct call": queued_seconds(direct, device), "plain call": queued_seconds(plain, device)}


def takes_arrays(a, axis=-1):
    """A function of Python that costs nothing but its call."""


def queued_seconds(timer, device):
    """Host time per call, while the device still executes earlier calls."""
    samples = []
    for _ in range(HOST_SAMPLES + 1):
        device.synchronize()
        samples.append(timer.timeit(QUEUED_CALLS) / QUEUED_CALLS)
    device.synchronize()
    return median(samples[1:])


def measure_cpu(size):
    """The same limits for the CPU device, measured with NumPy."""
    source = host_values(size.elements)
    target = source.copy()
    copy = median(timeit.repeat(lambda: np.copyto(target, source), number=1, repeat=9))
    read = median(timeit.repeat(source.sum, number=1, repeat=9))
    return {
        "context": 0.0,
        "launch": 0.0,
        "NVRTC": 0.0,
        "copy": 2 * source.nbytes / copy,
        "read": source.nbytes / read,
        "pinned up": source.nbytes / copy,
        "pinned down": source.nbytes / copy,
        "device": "CPU device",
        "driver": "none",
    }


def cold_seconds(program, repeats, filled):
    """The seconds that a program prints, as the median over new processes with empty kernel caches.

    Python's bytecode cache is filled, as after an installation, by a first process that is not counted.
    It fills the caches of kernels as well if they are to be ``filled``.
    """
    samples = []
    with tempfile.TemporaryDirectory() as bytecode, tempfile.TemporaryDirectory() as kept:
        for _ in range(repeats + 1):
            with contextlib.nullcontext(kept) if filled else tempfile.TemporaryDirectory() as folder:
                caches = {"CUPY_CACHE_DIR": folder, "CUDA_CACHE_PATH": folder, "GPUNP_CACHE_DIR": folder}
                environment = {**os.environ, **caches, "PYTHONPYCACHEPREFIX": bytecode}
                environment.pop("PYTHONDONTWRITEBYTECODE", None)
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    capture_output=True,
                    text=True,
                    cwd=folder,
                    env=environment,
                )
            if done.returncode:
                raise RuntimeError(done.stderr.strip().splitlines()[-1])
            samples.append(float(done.stdout))
    return median(samples[1:])
