"""The array API standard: its revisions and its inspection functions."""

import numpy

from gpunp.device import Device, get_device
from gpunp.interop.device_namespace import namespace_on

VERSION = "2025.12"
REVISIONS = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]
# MAX_NDIM of gpunp/array/ndarray.pxd.
_MAX_DIMENSIONS = 64
_ALL = _KINDS["bool"] + _KINDS["numeric"]


def array_namespace(self, /, *, api_version=None):
    """The gpunp module, for every published revision of the array API standard.

    If the array is not on the current device, the module's functions create arrays on the array's device.
    """
    if api_version is not None and api_version not in REVISIONS:
        raise ValueError(
            f"__array_namespace__: there is no revision {api_version!r} of the array API standard in gpunp; "
            f"use one of {', '.join(REVISIONS)}"
        )
    return namespace_on(self.device)


class NamespaceInfo:
    """The result of `gpunp.__array_namespace_info__()`: devices, dtypes and capabilities.

    Examples
    --------
    >>> import gpunp
    >>> info = gpunp.__array_namespace_info__()
    >>> info.dtypes(kind="real floating")
    {'float32': dtype('float32'), 'float64': dtype('float64')}
    """

    def capabilities(self):
        """The optional parts of the standard that are supported.

        Returns
        -------
        dict
        """
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _MAX_DIMENSIONS,
        }

    def default_device(self):
        """The device on which this thread creates arrays.

        Returns
        -------
        Device
        """
        return get_device()

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays created without ``dtype=``, by kind; the same on every device.

        Parameters
        ----------
        device : Device or str, optional

        Returns
        -------
        dict
        """
        get_device(device)
        return {
            "real floating": numpy.dtype("float64"),
            "complex floating": numpy.dtype("complex128"),
            "integral": numpy.dtype("int64"),
            "indexing": numpy.dtype("int64"),
        }

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of the standard, by name; the same on every device.

        Parameters
        ----------
        device : Device or str, optional
        kind : str or tuple of str, optional
            ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``, ``"real floating"``,
            ``"complex floating"``, ``"numeric"``, or several of them.

        Returns
        -------
        dict
        """
        get_device(device)
        kinds = (kind,) if isinstance(kind, str) else kind
        if kinds is None:
            names = _ALL
        else:
            for each in kinds:
                if each not in _KINDS:
                    raise ValueError(f"dtypes: unknown kind {each!r}; use one of {', '.join(_KINDS)}")
            wanted = {name for each in kinds for name in _KINDS[each]}
            names = [name for name in _ALL if name in wanted]
        return {name: numpy.dtype(name) for name in names}

    def devices(self):
        """Every device of the machine: the CUDA devices, then the CPU.

        Returns
        -------
        tuple of Device
        """
        from gpunp import cuda

        count = cuda.device_count() if cuda.is_available() else 0
        return (*(Device("cuda", index) for index in range(count)), Device("cpu"))


_INFO = NamespaceInfo()


def namespace_info():
    """The inspection functions of the array API standard: see `NamespaceInfo`."""
    return _INFO
