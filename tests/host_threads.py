"""The threads of the CPU device in tests."""

import contextlib
import ctypes


def pool_library():
    """The library that has the pool, by ctypes."""
    import gpunp.cpu.device

    return ctypes.CDLL(gpunp.cpu.device.__file__)


@contextlib.contextmanager
def shared_by(threads, most_grain=0):
    """Let loops be shared by a number of threads.

    Parameters
    ----------
    threads : int
        How many.
    most_grain : int, default 0
        Loops of more steps than this are shared, even if they are short; 0 for the usual length.
    """
    library = pool_library()
    before = library.gpunp_pool_threads()
    library.gpunp_pool_set_threads(threads)
    library.gpunp_pool_set_most_grain(ctypes.c_int64(most_grain))
    try:
        yield
    finally:
        library.gpunp_pool_set_threads(before)
        library.gpunp_pool_set_most_grain(ctypes.c_int64(0))
