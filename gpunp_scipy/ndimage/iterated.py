"""Structuring elements made by dilation, or from a rank."""

import numpy
from gpunp.array.ndarray import ndarray

import gpunp
from gpunp.array.convert import asnumpy
from gpunp_scipy.ndimage.arguments import sequence
from gpunp_scipy.ndimage.binary import binary_dilation
from gpunp_scipy.ndimage.structures import neighborhood


def generate_binary_structure(rank, connectivity):
    """The neighbors of a pixel, on the host; see `scipy.ndimage.generate_binary_structure`."""
    return neighborhood(rank, connectivity)


def iterate_structure(structure, iterations, origin=None):
    """A structure dilated by itself; see `scipy.ndimage.iterate_structure`.

    The result is on the device if ``structure`` is, and otherwise on the host.
    """
    on_device = isinstance(structure, ndarray)
    if not on_device:
        structure = numpy.asarray(structure)
    if iterations < 2:
        return structure.copy()
    more = iterations - 1
    out = (gpunp if on_device else numpy).zeros([n + more * (n - 1) for n in structure.shape], bool)
    out[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in structure.shape)] = structure != 0
    out = binary_dilation(gpunp.asarray(out), structure, iterations=more)
    out = out if on_device else asnumpy(out)
    if origin is None:
        return out
    return out, [iterations * start for start in sequence(origin, structure.ndim)]
