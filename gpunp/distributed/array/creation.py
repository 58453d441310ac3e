"""Making distributed arrays."""

import numpy

import gpunp
from gpunp.array.ndarray import ndarray
from gpunp.distributed.array.chunks import Chunk, Copies, device_of, upload
from gpunp.distributed.array.core import DistributedArray
from gpunp.distributed.array.index_maps import parse_map
from gpunp.distributed.array.modes import as_mode


def distributed_array(array, index_map, mode="replica", comms=None):
    """Cut an array over several devices.

    Parameters
    ----------
    array : array_like, ndarray or DistributedArray
        Host arrays are uploaded part by part, so that they may be larger than the memory of a device.
    index_map : dict
        For the number of each device an index (slices, integers, an ellipsis), or a list of them. Chunks may
        overlap. On the CPU device the numbers only name parts.
    mode : {"replica", "sum", "prod", "max", "min"}, default "replica"
        How overlaps are kept; the elements are those of ``array`` in every mode.
    comms : optional
        Not used.

    Returns
    -------
    DistributedArray

    Raises
    ------
    TypeError
        If ``index_map`` is not a dict from numbers of devices to indices.
    IndexError
        If an index is out of bounds, or has too many parts.
    ValueError
        If a slice has a step below 1, or the mode is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> a = distributed_array(np.arange(6), {0: slice(4), 1: slice(3, None)})
    >>> a.all_chunks()[1][0].tolist()
    [3, 4, 5]
    >>> (a + a).get()
    array([ 0,  2,  4,  6,  8, 10])
    """
    call = "distributed_array"
    mode = as_mode(call, mode)
    if isinstance(array, DistributedArray):
        return array.reshard(index_map).change_mode(mode)
    if isinstance(array, ndarray):
        made = _from_device(call, array, index_map)
    else:
        array = numpy.asarray(array)
        on_cpu = gpunp.get_device().is_cpu
        parsed = parse_map(call, array.shape, index_map)
        made = _from_parts(
            array.shape, array.dtype, parsed, lambda index, device: upload(array, index, device), on_cpu
        )
    return made.change_mode(mode)


def _from_device(call, array, index_map):
    """Copies of parts of a device array."""
    on_cpu = array.device.is_cpu
    parsed = parse_map(call, array.shape, index_map)
    home = array.device.index
    whole = [Chunk(array, home, tuple(map(range, array.shape)))]
    chunks = {}
    with Copies([home, *parsed], on_cpu) as copies:
        for number, indices in parsed.items():
            chunks[number] = []
            for index in indices:
                part = copies.fetch(call, whole, index, number, array.dtype)
                if on_cpu or number == home:
                    with copies.receiving(number):
                        part = part.copy()
                chunks[number].append(Chunk(part, number, index))
    return DistributedArray(array.shape, array.dtype, chunks)


def _from_parts(shape, dtype, parsed, make, on_cpu):
    """A distributed array in replica mode whose chunks ``make(index, device)`` returns."""
    chunks = {
        number: [Chunk(make(index, device_of(number, on_cpu)), number, index) for index in indices]
        for number, indices in parsed.items()
    }
    return DistributedArray(shape, dtype, chunks, on_cpu=on_cpu)
