"""Control of profilers that wait for a program, such as ``nsys profile --capture-range=cudaProfilerApi``."""

import contextlib

from gpunp.cuda import runtime


def start():
    """Let the profiler begin to record."""
    runtime.profilerStart()


def stop():
    """Let the profiler end what `start` began."""
    runtime.profilerStop()


def initialize(config_file, output_file, output_mode):
    """Retired: CUDA 12 removed the files of its former profiler.

    Parameters
    ----------
    config_file, output_file, output_mode : object
        Ignored.

    Raises
    ------
    RuntimeError
        Always.
    """
    raise RuntimeError(
        "profiler.initialize: CUDA 12 removed its former profiler; run the program under nsys or ncu, and "
        "mark what to record with gpunp.profiler.profile()"
    )


@contextlib.contextmanager
def profile():
    """Context manager in which a profiler that waits for it records; see `gpunp.profiler.profile`."""
    start()
    try:
        yield
    finally:
        stop()
