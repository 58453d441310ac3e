"""The accessor ``.gpunp`` of xarray's data arrays and datasets.

Imported after xarray. xarray supports device arrays through the protocols of NumPy and of the array API
standard, and its `to_numpy` calls the method of that name.
"""

import operator

import xarray

from gpunp.array.convert import HOLDERS, asnumpy, moved
from gpunp.array.ndarray import ndarray
from gpunp.device import get_device
from gpunp.interop import xarray_functions, xarray_indexing

HOLDERS[xarray.DataArray] = HOLDERS[xarray.Variable] = operator.attrgetter("data")


def _is_chunked(data):
    return hasattr(data, "dask")


def _to_device(data, device):
    if _is_chunked(data):
        return data.map_blocks(moved, device=device, dtype=data.dtype, meta=moved(data._meta, device=device))
    return moved(data, device=device)


def _to_host(data):
    if _is_chunked(data):
        return data.map_blocks(asnumpy, dtype=data.dtype, meta=asnumpy(data._meta))
    return asnumpy(data)


def _holds_device_array(data):
    return isinstance(data._meta if _is_chunked(data) else data, ndarray)


@xarray.register_dataarray_accessor("gpunp")
class DataArrayAccessor:
    """Moves the values of a data array between devices; coordinates with an index are always on the host.

    Examples
    --------
    >>> import gpunp, xarray
    >>> a = xarray.DataArray([1.0, 2.0], dims="x").gpunp.asarray()
    >>> a.gpunp.is_gpunp
    True
    >>> a.gpunp.asnumpy().values
    array([1., 2.])
    """

    def __init__(self, held):
        self._held = held

    @property
    def is_gpunp(self):
        """Whether the values are a device array, or dask chunks of device arrays."""
        return _holds_device_array(self._held.variable._data)

    def asarray(self, device=None):
        """Return the same object with its values on a device; dask chunks move when they are computed.

        Parameters
        ----------
        device : Device or str, optional
            By default the current device.

        Returns
        -------
        xarray.DataArray
        """
        return self._held.copy(data=_to_device(self._held.variable.data, get_device(device)))

    def asnumpy(self):
        """Return the same object with its values in NumPy arrays; dask chunks move when they are computed.

        Returns
        -------
        xarray.DataArray
        """
        return self._held.copy(data=_to_host(self._held.variable.data))


@xarray.register_dataset_accessor("gpunp")
class DatasetAccessor:
    """Moves the values of a dataset's variables between devices; coordinates are not moved."""

    def __init__(self, held):
        self._held = held

    @property
    def is_gpunp(self):
        """Whether the values of every variable are device arrays."""
        return all(_holds_device_array(each.variable._data) for each in self._held.data_vars.values())

    def asarray(self, device=None):
        """Return the same object with its numeric variables on a device; dates and text stay on the host.

        Parameters
        ----------
        device : Device or str, optional
            By default the current device.

        Returns
        -------
        xarray.Dataset
        """
        return self._map(lambda each: each.gpunp.asarray(device) if each.dtype.kind in "biufc" else each)

    def asnumpy(self):
        """Return the same object with the values of its variables in NumPy arrays.

        Returns
        -------
        xarray.Dataset
        """
        return self._map(lambda each: each.gpunp.asnumpy() if each.gpunp.is_gpunp else each)

    def _map(self, function):
        return self._held.map(function, keep_attrs=True)


xarray_functions.register()
xarray_indexing.register()
