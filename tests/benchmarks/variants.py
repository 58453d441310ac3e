"""Programs in several variants: gpunp with fusion off and on, PyTorch with a compiler and without, NumPy."""

import contextlib
import functools
import gc
import os
import tempfile
import time
from dataclasses import replace
from statistics import median

from libraries import Numpy
from rows import FULL

# Seconds for which a program is repeated, so that kernels compiled in the background are there.
SETTLING, QUICK_SETTLING = 1.5, 0.02
# A program that takes longer is run twice only.
LONGEST = 1.0
# NumPy's program is enlarged until a run takes as long.
NUMPY_SECONDS = 0.3
PAIRS = 31
CACHES = (
    "GPUNP_CACHE_DIR",
    "CUPY_CACHE_DIR",
    "CUDA_CACHE_PATH",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
)


@functools.cache
def empty_caches():
    """Let all compilers of this process use new folders on disk from now on."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    os.environ.update(dict.fromkeys(CACHES, folder.name))
    return folder


def attempt(function, *arguments):
    """What a function returns, or its exception as text."""
    try:
        return function(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def unchanged(function):
    """A compiler that leaves functions as they are."""
    return function


def compiled_by_torch(torch):
    """PyTorch's compiler, without anything that it knows from earlier programs."""
    torch._dynamo.reset()
    return torch.compile


def fusion(library, setting):
    """A block in which gpunp's fusion is off or on."""
    return library.module.config.using(fusion=setting)


def can_fuse(library):
    return hasattr(library.module.config, "fusion")


def settle(run, size):
    """Repeat a run for a while."""
    end = time.perf_counter() + (SETTLING if size == FULL else QUICK_SETTLING)
    run()
    while time.perf_counter() < end:
        run()


def figures(row, library, size, compiler, setting):
    """The first run, the steady state and the peak memory of one variant."""
    try:
        with fusion(library, setting) if setting else contextlib.nullcontext():
            return body_figures(row.build(library, size, compiler()), library, size)
    finally:
        gc.collect()
        library.free()


def body_figures(body, library, size):
    """The same for what a row builds."""

    def run():
        start = time.perf_counter()
        # A result that nobody holds may never be computed.
        _result = body()
        library.synchronize()
        return time.perf_counter() - start

    library.synchronize()
    found = {"first": run()}
    settle(run, size)
    library.reset_peak()
    again = run()
    found["peak"] = library.peak_bytes()
    if again > LONGEST:
        return {**found, "steady": again, "wall": again}
    found["wall"] = library.wall_seconds(body, size.repeats)
    found["steady"] = library.device_seconds(body, size.repeats)
    return found


def numpy_figures(row, size):
    """NumPy's time on the host, from one run with as many elements as it processes in a short time."""
    library = Numpy("cpu")
    for shift in (10, 8, 6, 4, 2, 0):
        smaller = replace(size, elements=size.elements >> shift, side=size.side >> shift // 2)
        body = row.build(library, smaller, unchanged)
        start = time.perf_counter()
        body()
        seconds = time.perf_counter() - start
        if seconds > NUMPY_SECONDS:
            break
    return {"steady": seconds * (1 << shift)}


def program_figures(row, libraries, size):
    """The times of a program with all libraries, and the details of all variants."""
    empty_caches()
    tasks = {}
    for library in libraries:
        setting = "on" if library.name == "gpunp" and can_fuse(library) else None
        if setting:
            tasks["gpunp off"] = (figures, row, library, size, lambda: unchanged, "off")
        tasks[library.name] = (figures, row, library, size, lambda: unchanged, setting)
        if library.name == "PyTorch":
            compiler = functools.partial(compiled_by_torch, library.xp)
            tasks["torch.compile"] = (figures, row, library, size, compiler, None)
    if "NumPy" not in tasks:
        tasks["NumPy"] = (numpy_figures, row, size)
    details = {name: attempt(*task) for name, task in tasks.items()}
    times = {name: found if isinstance(found, str) else found["steady"] for name, found in details.items()}
    return {**times, "details": details}


def pair_figures(row, library, size):
    """The times of gpunp with fusion off and on, from samples that alternate."""
    settings = {"gpunp off": "off", "gpunp": "on"} if can_fuse(library) else {"gpunp": None}
    samples = {name: [] for name in settings}

    def run(name, index):
        setting = settings[name]
        with fusion(library, setting) if setting else contextlib.nullcontext():
            return sample(index)

    try:
        sample = row.build(library, size)
        for name in settings:
            settle(functools.partial(run, name, 0), size)
        for index in range(1, PAIRS + 1):
            # Either goes first as often, so that neither always follows the other.
            for name in sorted(settings, reverse=index % 2 == 0):
                samples[name].append(run(name, index))
        return {name: median(seconds) for name, seconds in samples.items()}
    except Exception as error:
        return {"gpunp": f"{type(error).__name__}: {error}"}
    finally:
        gc.collect()
        library.free()
