"""dask.array with device arrays as chunks: chunk type, functions by chunk type, and the creation backend.

Imported after dask.array, and by dask itself for ``dask.config.set({"array.backend": "gpunp"})``.
"""

import functools
import math
import operator

import numpy
from dask.array import Array, dispatch
from dask.array.backends import ArrayBackendEntrypoint, array_creation_dispatch
from dask.array.chunk_types import register_chunk_type
from dask.array.percentile import _percentile
from dask.utils import Dispatch

from gpunp import random
from gpunp.array.convert import HOLDERS, asarray, asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.dispatch.registry import NAMESPACE
from gpunp.interop import dask_linalg

# Converts chunks of other types to device arrays, by the type of the chunk.
to_gpunp_dispatch = Dispatch("to_gpunp_dispatch")


def count(x, axis=None, keepdims=False, dtype=numpy.float64, **kwargs):
    """The number of elements along axes, as an array on the device of ``x``."""
    axes = range(x.ndim) if axis is None else [axis] if not isinstance(axis, tuple | list) else axis
    axes = {each % x.ndim for each in axes}
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
    return numpy.full_like(x, math.prod(x.shape[i] for i in axes), dtype=dtype, shape=shape)


def _to_numpy(data, **kwargs):
    return asnumpy(data, **kwargs)


def _to_gpunp(data, **kwargs):
    return asarray(data, **kwargs)


def _with_host_indices(key):
    """Copy index arrays in a key to the host: dask splits only NumPy arrays by chunk."""
    if isinstance(key, tuple):
        return tuple(map(_with_host_indices, key))
    if isinstance(key, ndarray):
        return asnumpy(key)
    # Masks are applied chunk by chunk, so they may stay on the device.
    if isinstance(key, Array) and isinstance(key._meta, ndarray) and key.dtype != bool:
        return key.map_blocks(asnumpy, dtype=key.dtype, meta=asnumpy(key._meta))
    return key


def _extend_indexing():
    assign, points = Array.__setitem__, Array._vindex

    @functools.wraps(assign)
    def setitem(self, key, value):
        assign(self, _with_host_indices(key), value)

    @functools.wraps(points)
    def vindex(self, key):
        return points(self, _with_host_indices(key))

    Array.__setitem__, Array._vindex = setitem, vindex


def register():
    """Register device arrays as chunks of dask.array."""
    register_chunk_type(ndarray)
    _extend_indexing()
    # Without this, converting a dask array would ask NumPy to join the device chunks.
    HOLDERS[Array] = operator.methodcaller("compute")
    for lookup, function in (
        (dispatch.concatenate_lookup, NAMESPACE["concatenate"]),
        (dispatch.take_lookup, NAMESPACE["take"]),
        (dispatch.tensordot_lookup, NAMESPACE["tensordot"]),
        (dispatch.einsum_lookup, NAMESPACE["einsum"]),
        (dispatch.empty_lookup, NAMESPACE["empty"]),
        (dispatch.percentile_lookup, _percentile),
        (dispatch.numel_lookup, count),
        (dispatch.nannumel_lookup, dispatch.nannumel_lookup.dispatch(numpy.ndarray)),
        (dispatch.divide_lookup, dispatch.divide_lookup.dispatch(numpy.ndarray)),
        (dispatch.to_numpy_dispatch, _to_numpy),
        (to_gpunp_dispatch, _to_gpunp),
    ):
        lookup.register(ndarray, function)
    to_gpunp_dispatch.register((numpy.ndarray, numpy.generic), _to_gpunp)


register()
dask_linalg.register()


def _creation(name):
    def create(*args, meta=None, **kwargs):
        # dask's functions for NumPy create chunks of the type of ``meta``.
        meta = NAMESPACE["empty"](()) if meta is None else meta
        return getattr(array_creation_dispatch.dispatch("numpy"), name)(*args, meta=meta, **kwargs)

    create.__name__ = name
    create.__doc__ = f"`dask.array.{name}` with device arrays as chunks."
    return staticmethod(create)


class GpunpBackendEntrypoint(ArrayBackendEntrypoint):
    """The creation functions of dask.array under ``dask.config.set({"array.backend": "gpunp"})``."""

    ones = _creation("ones")
    zeros = _creation("zeros")
    empty = _creation("empty")
    full = _creation("full")

    @staticmethod
    def arange(*args, like=None, **kwargs):
        """`dask.array.arange` with device arrays as chunks."""
        like = NAMESPACE["empty"](()) if like is None else like
        return array_creation_dispatch.dispatch("numpy").arange(*args, like=like, **kwargs)

    @property
    def RandomState(self):
        """The class behind ``dask.array.random.RandomState``."""
        return random.RandomState

    @property
    def default_bit_generator(self):
        """The class of bit generators behind ``dask.array.random.default_rng``."""
        return random.Philox4x32

    @classmethod
    def to_backend_dispatch(cls):
        """The function that moves a chunk to the current device."""
        return to_gpunp_dispatch

    @classmethod
    def to_backend(cls, data, **kwargs):
        """A collection with its chunks on the current device; unchanged if they are device arrays."""
        if isinstance(data._meta, ndarray):
            return data
        return data.map_blocks(to_gpunp_dispatch, **kwargs)


# Programs that have not imported gpunp find the backend through the package's entry point instead.
array_creation_dispatch.register_backend("gpunp", GpunpBackendEntrypoint())
