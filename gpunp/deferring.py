"""What is deferred: the size of the operations, and whether there are such at all."""

import sys

from gpunp.device import flush_devices, set_limits

# Smaller operations cost the host more than they cost a device, so that deferring them would only delay them.
_least = 1 << 16
_deferring = True
# Whether fusion is asked about operations of any size.
_asking = False


def _apply():
    least = _least if _deferring else sys.maxsize
    set_limits(least, 0 if _asking else least)


def set_deferring(value):
    """Allow or forbid deferring for all devices and threads. What is deferred runs first.

    Parameters
    ----------
    value : bool
    """
    global _deferring
    flush_devices()
    _deferring = value
    _apply()


def set_least_elements(count):
    """Set the fewest elements of an operation that is deferred, on all devices. What is deferred runs first.

    Parameters
    ----------
    count : int
        At least 1. At first 65536.

    Returns
    -------
    int
        The number before.

    Raises
    ------
    ValueError
        If the number is not positive.
    """
    global _least
    if count < 1:
        raise ValueError(f"set_least_elements: the number must be positive, it is {count}")
    flush_devices()
    before, _least = _least, count
    _apply()
    return before


def set_asking(value):
    """Have fusion be asked about operations of any size, or only about those large enough.

    Parameters
    ----------
    value : bool
    """
    global _asking
    _asking = value
    _apply()


def refuse_nested_use():
    """Raise the error of code that runs within deferred operations and uses what they are about to write."""
    raise RuntimeError(
        "an array was used while its values were being computed, by a memory hook, an allocator, a handler "
        "of a signal or a finalizer, which ran within the call that needs them; use it after that call"
    )
