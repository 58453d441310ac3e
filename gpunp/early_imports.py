"""Imports that a thread makes while the CUDA driver creates the first context.

The driver takes 0.1 to 0.3 s for that, in which Python has nothing to do. The first call of a kernel that is
in the disk cache needs 14 modules. Their import takes 4 ms on the host of an H100, the rest of the call less.
"""

import _thread
from importlib import import_module

# What a raw kernel from the disk cache needs; these import the others.
MODULES = (
    "gpunp.custom.raw",
    "gpunp.custom.cuda_function",
    "gpunp.compiler.request",
    "gpunp.compiler.cache",
    "gpunp.compiler.cuda_module",
)
# Seconds for which the context, once it is there, waits for the imports at most: they may wait for a module
# that the thread of the context is importing.
_LONGEST_WAIT = 0.1

_started = False


class EarlyImports:
    """A block in which a thread imports modules, unless it has done so before or the disk cache has no files.

    The thread has ended after the block, but for imports that take very long. What cannot be imported raises
    its error where it is needed.
    """

    def __init__(self):
        self._running = _thread.allocate_lock()

    def __enter__(self):
        global _started
        if _started:
            return
        _started = True
        self._running.acquire()
        try:
            _thread.start_new_thread(self._run, ())
        except RuntimeError:
            # The system has no thread left.
            self._running.release()

    def __exit__(self, *exc):
        self._running.acquire(timeout=_LONGEST_WAIT)

    def _run(self):
        try:
            if import_module("gpunp.compiler.cache_folder").has_files():
                for name in MODULES:
                    import_module(name)
                # Keeps the path, which takes 0.1 s to find where NVRTC is in no usual place.
                import_module("gpunp.compiler.toolkit").nvrtc_path()
        except Exception:
            return
        finally:
            self._running.release()
