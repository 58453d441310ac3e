"""Serialization of arrays between the processes of dask.distributed.

Imported after ``distributed.protocol``. Over TCP an array is sent through host memory, in the frames of NumPy
arrays. Over UCX, whose frames may be device memory, an array on a CUDA device is sent from there.
"""

import numpy
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize

from gpunp.array import layout, transfer
from gpunp.array.convert import asarray
from gpunp.array.ndarray import ndarray
from gpunp.array.views import reinterpreted
from gpunp.device import Device
from gpunp.interop.dask_objects import on_host, without_repeats
from gpunp.manipulation.broadcasting import broadcast_to


@dask_serialize.register(ndarray)
def to_host_frames(array):
    """Header and frames in host memory; the elements of the CPU device are not copied."""
    header, frames = dask_serialize.dispatch(numpy.ndarray)(on_host(without_repeats(array)))
    return {
        "host": header,
        "shape": array.shape,
        "scalar": array._is_scalar,
        "cpu": array.device.is_cpu,
    }, frames


@dask_deserialize.register(ndarray)
def from_host_frames(header, frames):
    """The array on the same kind of device as before; a CUDA array on the current CUDA device."""
    host = dask_deserialize.dispatch(numpy.ndarray)(header["host"], frames)
    if header["cpu"]:
        # A frame may begin at any byte of a message, but kernels need aligned elements.
        array = transfer.wrap_host(numpy.require(host, requirements="A"), Device("cpu"))
    else:
        array = asarray(host)
    return _repeated(array, header)


@cuda_serialize.register(ndarray)
def to_device_frames(array):
    """Header and one frame of bytes in device memory."""
    if array.device.is_cpu:
        # On this exception distributed tries the next serializer.
        raise NotImplementedError("an array on the CPU device has no CUDA memory")
    dense = without_repeats(array)
    if not dense.flags.c_contiguous:
        dense = layout.converted(dense, order="C")
    header = {
        "dtype": dense.dtype.str,
        "dense": dense.shape,
        "shape": array.shape,
        "scalar": array._is_scalar,
    }
    return header, [reinterpreted(dense.reshape(-1), numpy.dtype("u1"))]


@cuda_deserialize.register(ndarray)
def from_device_frames(header, frames):
    """An array over a frame that has the CUDA Array Interface."""
    (frame,) = frames
    array = reinterpreted(asarray(frame).reshape(-1), numpy.dtype(header["dtype"]))
    return _repeated(array.reshape(tuple(header["dense"])), header)


def _repeated(array, header):
    """Restore the array's shape, with repeated elements that were sent once, and its scalar mark."""
    shape = tuple(header["shape"])
    array = array if array.shape == shape else broadcast_to(array, shape)
    return array._mark_scalar() if header["scalar"] else array
