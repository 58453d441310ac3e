"""The memory pool functions of ``gpunp``, which look up the devices when called: importing needs no CUDA."""

from gpunp import cuda
from gpunp.device import Device, get_device


def get_default_memory_pool(device=None):
    """Return the pool that arrays of a device come from.

    Parameters
    ----------
    device : Device, str or int, optional
        By default the current one; an integer is a CUDA device.

    Returns
    -------
    gpunp.cuda.MemoryPool or gpunp.cpu.pool.MemoryPool
        The pools of both kinds of devices have the same methods; see `gpunp.cuda.get_default_memory_pool`.
    """
    if not isinstance(device, int):
        device = get_device(device)
    if isinstance(device, Device) and device.is_cpu:
        from gpunp.cpu.pool import get_default_memory_pool as of_cpu

        return of_cpu()
    return cuda.get_default_memory_pool(device)


def get_default_pinned_memory_pool():
    """Return the pool of page-locked host memory; see `gpunp.cuda.get_default_pinned_memory_pool`.

    Returns
    -------
    gpunp.cuda.PinnedMemoryPool
    """
    return cuda.get_default_pinned_memory_pool()
