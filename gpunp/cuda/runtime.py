"""Functions named as in CUDA's runtime API; devices are numbers, not objects."""

from gpunp.cuda import driver
from gpunp.device import Device, get_device


def getDeviceCount():
    """Number of CUDA devices.

    Returns
    -------
    int
    """
    return driver.device_count()


def getDevice():
    """Number of the current CUDA device; 0 where the CPU device is current.

    Returns
    -------
    int
    """
    device = get_device()
    return 0 if device.is_cpu else device.id


def setDevice(device):
    """Make a CUDA device the current one of the calling thread.

    Parameters
    ----------
    device : int
        Its number, from 0.
    """
    Device("cuda", device).use()


def deviceSynchronize():
    """Wait for the work queued on the current stream of the current device."""
    get_device().synchronize()


def driverGetVersion():
    """The version of CUDA that the driver supports, 13000 for 13.0.

    Returns
    -------
    int
    """
    major, minor = driver.driver_version()
    return 1000 * major + 10 * minor


def memGetInfo():
    """Free and total bytes of the current CUDA device.

    Returns
    -------
    tuple of int
        Free and total bytes.
    """
    return Device("cuda", getDevice()).memory_info


def getDeviceProperties(device):
    """Some properties of a CUDA device, by the runtime's names.

    Parameters
    ----------
    device : int

    Returns
    -------
    dict
        ``name``, ``major``, ``minor``, ``multiProcessorCount`` and ``totalGlobalMem``.
    """
    found = Device("cuda", device)
    major, minor = found.compute_capability
    return {
        "name": found.name.encode(),
        "major": major,
        "minor": minor,
        "multiProcessorCount": found.multiprocessors,
        "totalGlobalMem": found.memory_info[1],
    }
