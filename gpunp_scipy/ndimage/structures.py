"""Structuring elements, which are small and live on the host."""

import numpy


def neighborhood(rank, connectivity):
    """The neighbors of a pixel that differ in at most ``connectivity`` coordinates, as a host array."""
    if rank < 1:
        return numpy.ones((), bool)
    distance = numpy.abs(numpy.indices([3] * rank) - 1).sum(0)
    return distance <= max(connectivity, 1)


def flipped(structure):
    """A structure reversed along all its axes."""
    return structure[(slice(None, None, -1),) * structure.ndim]
