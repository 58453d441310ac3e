"""What is counted while a program runs: transfers, host copies and fallbacks, by lines."""

import sys
import threading

# A name in the globals of every module of the program.
MARK = "__gpunp_place__"
_OWN = ("gpunp", "gpunp_scipy", "numpy", "importlib")


class Total:
    """What happened at a line, of one kind.

    Attributes
    ----------
    count : int
    nbytes : int
    seconds : float
    names : set of str
        The functions that ran on host copies, or that asked for them.
    """

    __slots__ = ("count", "names", "nbytes", "seconds")

    def __init__(self, count=0, nbytes=0, seconds=0.0, names=()):
        self.count, self.nbytes, self.seconds, self.names = count, nbytes, seconds, {*names}


# By file and line, and by kind: "upload", "download", "host copy", "fallback", "no device memory",
# "kept on the device" and "kept on the host" for arrays that were used there again and again, and
# "moved to the host" and "moved to the device" before and behind loops over their rows, "shared with the
# host" for arrays that others may write, and "upload of shared memory" when the device uses these.
TOTALS = {}
_lock = threading.Lock()


def place_of_program():
    """The file and line of the innermost frame of the program, else of the innermost frame of others."""
    frame, other = sys._getframe(1), None
    while frame is not None:
        if MARK in frame.f_globals:
            return frame.f_code.co_filename, frame.f_lineno
        if other is None and frame.f_globals.get("__name__", "").partition(".")[0] not in _OWN:
            other = frame
        frame = frame.f_back
    return (other.f_code.co_filename, other.f_lineno) if other is not None else ("", 0)


def count(kind, name, nbytes, seconds):
    """Add an event to the totals of the line that caused it.

    Parameters
    ----------
    kind : str
    name : str
        The function that ran on the host, or an empty string.
    nbytes : int
    seconds : float
    """
    place = place_of_program()
    with _lock:
        total = TOTALS.setdefault(place, {}).setdefault(kind, Total())
        total.count += 1
        total.nbytes += nbytes
        total.seconds += seconds
        if name:
            total.names.add(name)


def reset():
    """Forget all totals."""
    with _lock:
        TOTALS.clear()


def summed(kind):
    """The total of a kind over all lines.

    Parameters
    ----------
    kind : str

    Returns
    -------
    Total
    """
    result = Total()
    with _lock:
        found = [kinds[kind] for kinds in TOTALS.values() if kind in kinds]
    for total in found:
        result.count += total.count
        result.nbytes += total.nbytes
        result.seconds += total.seconds
        result.names |= total.names
    return result
