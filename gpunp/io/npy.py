"""Files in NumPy's binary formats, ``.npy`` and ``.npz``.

Writing copies the elements to the host; reading creates device arrays.
"""

from collections.abc import Mapping

import numpy
from numpy.lib.npyio import NpzFile as HostNpzFile

from gpunp.array.convert import asarray, asnumpy
from gpunp.device import get_device
from gpunp.dispatch.registry import implements


@implements(numpy.save, chapter="io")
def save(file, arr, allow_pickle=True):
    """Write an array to a ``.npy`` file; see `numpy.save`."""
    numpy.save(file, asnumpy(arr), allow_pickle)


def _on_host(args, kwds):
    return [asnumpy(value) for value in args], {name: asnumpy(value) for name, value in kwds.items()}


@implements(numpy.savez, chapter="io")
def savez(file, *args, allow_pickle=True, **kwds):
    """Write arrays to an ``.npz`` file; see `numpy.savez`."""
    args, kwds = _on_host(args, kwds)
    numpy.savez(file, *args, allow_pickle=allow_pickle, **kwds)


@implements(numpy.savez_compressed, chapter="io")
def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Write arrays to a compressed ``.npz`` file; see `numpy.savez_compressed`."""
    args, kwds = _on_host(args, kwds)
    numpy.savez_compressed(file, *args, allow_pickle=allow_pickle, **kwds)


class NpzFile(Mapping):
    """The arrays of an ``.npz`` file by name; each is read and uploaded on access.

    Attributes
    ----------
    files : list of str
        The names of the arrays.
    f : object
        Access to the arrays as attributes.
    """

    def __init__(self, file, device):
        self._file = file
        self._device = device
        self.files = file.files
        self.f = _Attributes(self)

    def __getitem__(self, name):
        value = self._file[name]
        # A member that is not an array is returned as bytes.
        return _uploaded(value, self._device)

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, name):
        return name in self._file

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __repr__(self):
        return f"<gpunp {self._file!r} on {self._device}>"

    def close(self):
        """Close the file."""
        self._file.close()


class _Attributes:
    def __init__(self, arrays):
        self._arrays = arrays

    def __getattr__(self, name):
        try:
            return self._arrays[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(self._arrays)


def _uploaded(value, device):
    return asarray(value, device=device) if isinstance(value, numpy.ndarray) else value


@implements(name="load", chapter="io")
def load(
    file,
    mmap_mode=None,
    allow_pickle=False,
    fix_imports=True,
    encoding="ASCII",
    *,
    max_header_size=10000,
    device=None,
):
    """Load the arrays of a ``.npy`` or ``.npz`` file or a pickle onto a device.

    Parameters
    ----------
    file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size
        As in `numpy.load`. With `mmap_mode` the file is mapped for the upload, which saves a host copy.
    device : Device or str, optional
        By default the current device.

    Returns
    -------
    ndarray or NpzFile
        An `NpzFile` is a mapping that uploads an array on access; use it in a ``with`` block.
    """
    device = get_device(device)
    found = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if isinstance(found, HostNpzFile):
        return NpzFile(found, device)
    return _uploaded(found, device)
