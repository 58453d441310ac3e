"""How many threads share the loops of the CPU device.

This is a module in C of an unusual name because threadpoolctl finds the libraries whose threads it limits by the
names of their files. Nothing here starts a thread or loads the kernels.
"""
import os
import sys
import warnings

# The number that was set, or None as long as the default holds.
cdef object _chosen = None
cdef object _default = None


def _quota(text):
    """Processors in the text of ``cpu.max``, or None without a limit."""
    limit, _, period = text.partition(" ")
    if not limit.isdigit() or not period.strip().isdigit() or int(period) == 0:
        return None
    return max(1, -(-int(limit) // int(period)))


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def quota_of_group(root="/sys/fs/cgroup", membership="/proc/self/cgroup"):
    """Return how many processors the control group of this process may use, or None without a limit.

    Parameters
    ----------
    root : str
        Where the groups are mounted.
    membership : str
        The file that names the groups of this process.

    Returns
    -------
    int or None
        Rounded up to whole processors; the least along the path of the group.
    """
    found = []
    for line in _read(membership).splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            base, old = root, False
        elif "cpu" in controllers.split(","):
            base, old = os.path.join(root, "cpu"), True
        else:
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for depth in range(len(parts) + 1):
            folder = os.path.join(base, *parts[:depth])
            if old:
                text = (f"{_read(os.path.join(folder, 'cpu.cfs_quota_us'))} "
                        f"{_read(os.path.join(folder, 'cpu.cfs_period_us'))}")
            else:
                text = _read(os.path.join(folder, "cpu.max"))
            found.append(_quota(text))
    return min(filter(None, found), default=None)


def available():
    """Return how many processors this process may use.

    Returns
    -------
    int
        Those of its affinity, at most what the quota of its control group allows.
    """
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        count = os.cpu_count() or 1
    quota = quota_of_group()
    return count if quota is None else max(1, min(count, quota))


def checked(value, name="gpunp.config.threads"):
    """Return a number of threads as an int.

    Parameters
    ----------
    value : int
    name : str
        What it is called in errors.

    Raises
    ------
    TypeError
        Unless it is an integer.
    ValueError
        If it is not positive.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}; write for example 4")
    count = value.__index__()
    if not 1 <= count <= 1024:
        raise ValueError(f"{name} must be from 1 to 1024, not {count}")
    return count


def _from_environment():
    text = os.environ.get("GPUNP_NUM_THREADS", "").strip()
    if text:
        try:
            return checked(int(text), "GPUNP_NUM_THREADS")
        except ValueError:
            warnings.warn(f"GPUNP_NUM_THREADS is ignored: it must be an integer from 1 to 1024, not {text!r}",
                          RuntimeWarning, stacklevel=3)
    count = available()
    # A list of numbers is for nested loops; the first is that of the outermost.
    text = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(count, int(text)) if text.isdigit() and int(text) else count


def get():
    """Return how many threads share a loop, including the one that calls.

    Returns
    -------
    int
    """
    global _default
    if _chosen is not None:
        return _chosen
    if _default is None:
        _default = min(_from_environment(), 1024)
    return _default


def chosen():
    """Return the number that was set, or None as long as the default holds.

    Returns
    -------
    int or None
    """
    return _chosen


def set(value):
    """Set how many threads share a loop.

    Parameters
    ----------
    value : int or None
        None restores the default.
    """
    global _chosen
    _chosen = None if value is None else checked(value)
    device = sys.modules.get("gpunp.cpu.device")
    if device is not None:
        device.set_pool_threads(get())
