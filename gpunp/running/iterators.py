"""``np.nditer`` as a program sees it: over device arrays it visits copies, and what it writes comes back."""

import functools

import numpy

from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray

_WRITES = ("readwrite", "writeonly")


def _copies(operands):
    """Operands with host copies in place of device arrays, and pairs of both."""
    found, pairs = [], []
    for each in operands:
        if isinstance(each, ndarray):
            pairs.append((each, asnumpy(each)))
            each = pairs[-1][1]
        found.append(each)
    return found, pairs


class _WritingBack:
    """An iterator that writes its copies to the device when it ends or is closed.

    Parameters
    ----------
    iterator : numpy.nditer
    pairs : list of tuple of array
        Device arrays, and the copies that are visited.
    """

    def __init__(self, iterator, pairs):
        self.__dict__.update(_iterator=iterator, _pairs=pairs)

    def _write(self):
        for array, host in self._pairs:
            if array.flags.writeable:
                array[...] = host

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._iterator)
        except StopIteration:
            self._write()
            raise

    def __enter__(self):
        self._iterator.__enter__()
        return self

    def __exit__(self, *exc):
        self._iterator.__exit__(*exc)
        self._write()

    def iternext(self):
        """Go on; see `numpy.nditer.iternext`."""
        goes_on = self._iterator.iternext()
        if not goes_on:
            self._write()
        return goes_on

    def close(self):
        """Write back what was buffered, and the copies."""
        self._iterator.close()
        self._write()

    def __getattr__(self, name):
        return getattr(self._iterator, name)

    def __setattr__(self, name, value):
        setattr(self._iterator, name, value)

    def __getitem__(self, key):
        return self._iterator[key]

    def __setitem__(self, key, value):
        self._iterator[key] = value

    def __len__(self):
        return len(self._iterator)


@functools.wraps(numpy.nditer, updated=())
def nditer(op, *args, **kwargs):
    """See `numpy.nditer`."""
    operands = op if isinstance(op, list | tuple) else (op,)
    if not any(isinstance(each, ndarray) for each in operands):
        return numpy.nditer(op, *args, **kwargs)
    found, pairs = _copies(operands)
    made = numpy.nditer(found if isinstance(op, list | tuple) else found[0], *args, **kwargs)
    flags = repr(args[1] if len(args) > 1 else kwargs.get("op_flags"))
    return _WritingBack(made, pairs) if any(word in flags for word in _WRITES) else made
