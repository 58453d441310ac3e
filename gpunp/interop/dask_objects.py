"""The size in bytes and the content token of an array, which all parts of dask use.

Imported after dask, whether or not dask.array is used.
"""

import numpy
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

from gpunp.array import layout, transfer
from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray
from gpunp.array.views import reinterpreted


def without_repeats(array):
    """The part of an array that occupies memory: one element along broadcast axes."""
    if 0 not in array.strides:
        return array
    return array[tuple(slice(None) if stride else slice(1) for stride in array.strides)]


def on_host(array):
    """A NumPy array of the elements: a view on the CPU device, otherwise a copy."""
    if not array.device.is_cpu:
        return asnumpy(array)
    transfer.expose(array)
    return transfer.host_view(array)


@sizeof.register(ndarray)
def size_of(array):
    """The bytes of device memory that the elements occupy."""
    return without_repeats(array).nbytes


# From this size in bytes on, a digest on the GPU is faster than copying the contents to the host.
_LARGE = 1 << 20
# Words per pass, which bounds the temporary memory.
_PASS = 1 << 24
_STEP, _FIRST, _SECOND = (
    numpy.uint64(value) for value in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def _digest(words):
    """Two 64-bit integers that depend on every word and its position: SplitMix64, summed."""
    total, mixture = numpy.zeros((2,), words.dtype, like=words)
    for start in range(0, len(words), _PASS):
        part = words[start : start + _PASS]
        mixed = numpy.arange(start, start + len(part), dtype=words.dtype, like=words)
        mixed *= _STEP
        mixed ^= part
        for shift, factor in ((30, _FIRST), (27, _SECOND)):
            mixed ^= mixed >> numpy.uint64(shift)
            mixed *= factor
        mixed ^= mixed >> numpy.uint64(31)
        total += numpy.add.reduce(mixed)
        mixed *= _STEP
        mixed ^= mixed >> numpy.uint64(29)
        mixture ^= numpy.bitwise_xor.reduce(mixed)
    return int(total), int(mixture)


def digest(array):
    """`_digest` of the whole words of a C-contiguous array, and the bytes after the last word."""
    if transfer.data_pointer(array) % 8:
        array = layout.converted(array, order="C")
    octets = reinterpreted(array.reshape(-1), numpy.dtype("u1"))
    whole = octets.size // 8 * 8
    return (*_digest(reinterpreted(octets[:whole], numpy.dtype("u8"))), bytes(asnumpy(octets[whole:])).hex())


@normalize_token.register(ndarray)
def token_of(array):
    """The token of an array: equal for equal contents, dtypes and shapes on a device, in any memory order.

    The host waits for the device: for the contents of a small array, and for the digest of a large one.
    """
    ordered = array if array.flags.c_contiguous else layout.converted(array, order="C")
    by_host = array.device.is_cpu or array.nbytes < _LARGE
    contents = normalize_token(on_host(ordered)) if by_host else digest(ordered)
    return "gpunp.ndarray", str(array.device), array.shape, array.dtype.str, contents
