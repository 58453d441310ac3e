"""Positions, labels and keys on the device, for operations that xarray performs on the host.

xarray's indexes are pandas objects, and dates and text are NumPy arrays. Keys used with those are copied to
the host; device arrays are indexed on the device.
"""

import functools

import numpy
from xarray.core import duck_array_ops, indexes
from xarray.core.dataarray import DataArray
from xarray.core.dataset import Dataset
from xarray.core.variable import Variable
from xarray.groupers import BinGrouper, UniqueGrouper
from xarray.namedarray.pycompat import is_duck_dask_array

from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray


def _on_host(key):
    """Move the values of a key to the host; keys other than device arrays are unchanged."""
    if isinstance(key, ndarray):
        return asnumpy(key)
    held = getattr(key, "variable", key)
    if isinstance(held, Variable) and isinstance(held._data, ndarray):
        return key.copy(data=asnumpy(held._data))
    return key


def _position(key, on_host):
    """Convert a 0-d device key to an integer, and with ``on_host`` other device keys to host arrays."""
    data = key._data if isinstance(key, Variable) else key
    if not isinstance(data, ndarray):
        return key
    if data.ndim == 0:
        return data.item()
    return _on_host(key) if on_host else key


def _host_mask(key):
    return _on_host(key) if isinstance(key, DataArray) and key.dtype.kind == "b" else key


def _replace(owner, name):
    """Replace a function of xarray by the result of the decorated function."""

    def decorate(make):
        original = getattr(owner, name)
        setattr(owner, name, functools.wraps(original)(make(original)))

    return decorate


def register():
    """Make xarray accept keys on the device."""

    @_replace(Variable, "_broadcast_indexes")
    def _(original):
        def broadcast_indexes(self, key):
            on_host = not isinstance(self._data, ndarray)
            key = self._item_key_to_tuple(key)
            if isinstance(key, tuple):
                return original(self, tuple(_position(each, on_host) for each in key))
            return original(self, _position(key, on_host))

        return broadcast_indexes

    @_replace(indexes.PandasIndex, "isel")
    def _(original):
        return lambda self, indexers: original(
            self, {dim: _position(key, on_host=True) for dim, key in indexers.items()}
        )

    @_replace(indexes, "normalize_label")
    def _(original):
        return lambda value, dtype=None: original(_on_host(value), dtype)

    @_replace(Dataset, "_get_indexers_coords_and_indexes")
    def _(original):
        # xarray indexes the mask's own coordinates, which are on the host, with the mask.
        return lambda self, indexers: original(self, {k: _host_mask(v) for k, v in indexers.items()})

    for grouper in (BinGrouper, UniqueGrouper):

        @_replace(grouper, "factorize")
        def _(original):
            return lambda self, group: original(self, _on_host(group))

    @_replace(Dataset, "sortby")
    def _(original):
        def sortby(self, variables, ascending=True):
            variables = variables(self) if callable(variables) else variables
            listed = variables if isinstance(variables, list) else [variables]
            keys = (each if isinstance(each, DataArray) else self[each] for each in listed)
            return original(self, [_on_host(key) for key in keys], ascending)

        return sortby

    @_replace(duck_array_ops, "get_array_namespace")
    def _(original):
        # NumPy's functions dispatch on both dask and device arrays; ours accept only device arrays.
        return lambda *values: numpy if any(map(is_duck_dask_array, values)) else original(*values)
