"""Functions of ``numpy.random`` that reorder or choose rows, for device arrays.

NumPy draws the positions of the rows with the same random numbers as for a host array; the rows are moved on
the device. Without these hooks NumPy would treat a device array as a list and swap views of its rows, which
duplicates rows.

Imported after numpy.random.
"""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp.array.convert import asarray
from gpunp.array.host_copies import permitted, taken
from gpunp.array.ndarray import ndarray
from gpunp.dispatch import hooks
from gpunp.dispatch.registry import find_by_name


def _rows(x, positions, axis=0):
    """Take the rows of a device array at positions given on the host."""
    return find_by_name("take")(x, asarray(positions, device=x.device), axis=axis)


def _shuffle(path, rng, x, axis):
    if not isinstance(x, ndarray):
        # Another argument is the device array; NumPy's own error applies.
        return _HOOKS[path].original(rng, x, *((axis,) if axis else ()))
    if x.ndim == 0:
        raise TypeError("len() of unsized object")
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    if not x.flags.writeable:
        raise ValueError("array is read-only")
    # NumPy draws nothing for an array without elements.
    if x.size:
        positions = numpy.arange(x.shape[axis])
        _HOOKS[path].original(rng, positions)
        x[...] = _rows(x, positions, axis)
    return None


def _permuted(path, rng, x, axis):
    original = _HOOKS[path].original
    if not isinstance(x, ndarray):
        return original(rng, x, *((axis,) if axis else ()))
    if x.ndim == 0:
        # A 0-d array is treated as a number, as NumPy's scalars are.
        return original(rng, x.item())
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    return _rows(x, original(rng, numpy.arange(x.shape[axis])), axis)


def _probabilities(p):
    """Probabilities as an array of NumPy, whose dtype says how exactly their sum must be one."""
    return taken(p) if isinstance(p, ndarray) and permitted(p) else p


def shuffle(self, x, axis=0):
    """Handle `Generator.shuffle`."""
    return _shuffle("Generator.shuffle", self, x, axis)


def legacy_shuffle(self, x):
    """Handle `RandomState.shuffle`."""
    return _shuffle("RandomState.shuffle", self, x, 0)


def permutation(self, x, axis=0):
    """Handle `Generator.permutation`."""
    return _permuted("Generator.permutation", self, x, axis)


def legacy_permutation(self, x):
    """Handle `RandomState.permutation`."""
    return _permuted("RandomState.permutation", self, x, 0)


def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    """Handle `Generator.choice`."""
    original, p = _HOOKS["Generator.choice"].original, _probabilities(p)
    if not isinstance(a, ndarray) or a.ndim == 0:
        return original(self, a.item() if isinstance(a, ndarray) else a, size, replace, p, axis, shuffle)
    return _rows(a, original(self, a.shape[axis], size, replace, p, 0, shuffle), axis)


def legacy_choice(self, a, size=None, replace=True, p=None):
    """Handle `RandomState.choice`."""
    original, p = _HOOKS["RandomState.choice"].original, _probabilities(p)
    if not isinstance(a, ndarray) or a.ndim == 0:
        return original(self, a.item() if isinstance(a, ndarray) else a, size, replace, p)
    if a.ndim != 1:
        raise ValueError("a must be 1-dimensional")
    return _rows(a, original(self, len(a), size, replace, p))


_HOOKS = hooks.install(
    "numpy.random",
    {
        "Generator.choice": choice,
        "Generator.permutation": permutation,
        "Generator.shuffle": shuffle,
        "RandomState.choice": legacy_choice,
        "RandomState.permutation": legacy_permutation,
        "RandomState.shuffle": legacy_shuffle,
    },
)
