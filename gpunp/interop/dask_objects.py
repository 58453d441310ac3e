"""What every part of dask asks of an array: how big it is, and a name for its contents.

Imported after dask, whether or not dask.array is used.
"""

from dask.sizeof import sizeof
from dask.tokenize import normalize_token

from gpunp.array import layout, transfer
from gpunp.array.convert import asnumpy
from gpunp.array.ndarray import ndarray


def without_repeats(array):
    """The part of an array that its memory holds: one element along axes that are broadcast."""
    if 0 not in array.strides:
        return array
    return array[tuple(slice(None) if stride else slice(1) for stride in array.strides)]


def on_host(array):
    """A NumPy array of the elements: for the CPU device their memory, for others a copy."""
    return transfer.host_view(array) if array.device.is_cpu else asnumpy(array)


@sizeof.register(ndarray)
def size_of(array):
    """The bytes of device memory that the elements take."""
    return without_repeats(array).nbytes


@normalize_token.register(ndarray)
def token_of(array):
    """Equal contents, dtypes and shapes give equal tokens, on every device and in every memory order.

    The contents travel to the host; ``da.from_array(x, name=False)`` does without.
    """
    ordered = array if array.flags.c_contiguous else layout.converted(array, order="C")
    return "gpunp.ndarray", array.shape, normalize_token(on_host(ordered))
