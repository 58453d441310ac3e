"""Products of several matrices in the cheapest order."""

import numpy
from numpy.linalg import LinAlgError

from gpunp.array.scalars import checked_output
from gpunp.dispatch.registry import implements
from gpunp.linalg.lapack import same_device
from gpunp.linalg.products import dot

_KERNELS = ("include/gpunp/linalg/matmul_integer.h",)


@implements(numpy.linalg.multi_dot, kernels=_KERNELS)
def multi_dot(arrays, *, out=None):
    """The product of several matrices; see `numpy.linalg.multi_dot`."""
    arrays = list(arrays)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    arrays = same_device("multi_dot", arrays)
    if len(arrays) == 2:
        return dot(arrays[0], arrays[1], out=out)
    first, last = arrays[0].ndim, arrays[-1].ndim
    if first == 1:
        arrays[0] = arrays[0][None, :]
    if last == 1:
        arrays[-1] = arrays[-1][:, None]
    for a in arrays:
        if a.ndim != 2:
            raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    split = _cheapest([a.shape[0] for a in arrays] + [arrays[-1].shape[1]])
    if first == 1 or last == 1:
        result = _multiply(arrays, split, 0, len(arrays) - 1)
        shape = (() if first == 1 else result.shape[:1]) + (() if last == 1 else result.shape[1:])
        result = result.reshape(shape)
        if out is None:
            return result._mark_scalar()
        checked_output(out)[...] = result
        return out
    return _multiply(arrays, split, 0, len(arrays) - 1, out)


def _cheapest(extents):
    """split[i][j]: the matrix after which the product of matrices i to j is split, by dynamic programming."""
    count = len(extents) - 1
    cost = [[0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            ways = [
                (cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1], k)
                for k in range(i, j)
            ]
            cost[i][j], split[i][j] = min(ways)
    return split


def _multiply(arrays, split, i, j, out=None):
    if i == j:
        return arrays[i]
    k = split[i][j]
    return dot(_multiply(arrays, split, i, k), _multiply(arrays, split, k + 1, j), out=out)
