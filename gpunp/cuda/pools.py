"""The memory pool functions of ``gpunp``, which look up `gpunp.cuda` when called: importing needs no CUDA."""

from gpunp import cuda


def get_default_memory_pool(device=None):
    """Return the pool that arrays of a CUDA device come from; see `gpunp.cuda.get_default_memory_pool`.

    Parameters
    ----------
    device : Device or int, optional
        A CUDA device; by default the current one.

    Returns
    -------
    gpunp.cuda.MemoryPool
    """
    return cuda.get_default_memory_pool(device)


def get_default_pinned_memory_pool():
    """Return the pool of page-locked host memory; see `gpunp.cuda.get_default_pinned_memory_pool`.

    Returns
    -------
    gpunp.cuda.PinnedMemoryPool
    """
    return cuda.get_default_pinned_memory_pool()
