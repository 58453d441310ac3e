"""Permutations, shuffles, samples with and without replacement, and random bytes."""

import math
import operator

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, asnumpy, fetched, joined
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.random.engine import Sampler, require_writeable_array
from gpunp.random.places import beside_operands
from gpunp.sorting import engine as sorting

_UINT32 = dtype_code(numpy.dtype(numpy.uint32))
_FLOAT64 = numpy.dtype(numpy.float64)
# From this population size on, a small sample is drawn without permuting the whole population. The same on
# all devices, because the numbers drawn depend on it.
_LARGE = 1 << 24


def _normal_axis(axis, ndim):
    return numpy.lib.array_utils.normalize_axis_index(axis, ndim)


def _is_number(a):
    """Whether ``a`` is a 0-d device array of integers, such as a reduction returns."""
    return isinstance(a, ndarray) and a.ndim == 0 and a.dtype.kind in "iu"


def _take(a, order, axis):
    """Take the elements of an array along an axis in a given order."""
    if a.ndim == 1 and order.ndim == 1:
        return sorting.gather_rows(a, order)
    return a[(slice(None),) * axis + (order,)]


class SequenceDraws(Sampler):
    """Methods that permute, shuffle or choose elements."""

    def _orders(self, shape):
        """Rows of uniformly random permutations: random keys are sorted, and ties among them shuffled."""
        keys = self.fill_integers(0, 2**32 - 1, shape, _UINT32)
        keys, order = sorting.sort_rows_with_order(keys)
        self.shuffle_ties(keys, order)
        return order

    @beside_operands
    def permutation(self, x, axis=0):
        """Return a permutation of the integers below ``x``, or a shuffled copy of an array.

        Parameters
        ----------
        x : int or array_like
        axis : int, optional
            The axis along which an array is shuffled.

        Returns
        -------
        ndarray
        """
        if isinstance(x, int | numpy.integer) or _is_number(x):
            return self._orders((max(operator.index(x), 0),))
        x = asarray(x, device=None if isinstance(x, ndarray) else self.device)
        axis = _normal_axis(axis, x.ndim)
        return _take(x, self._orders((x.shape[axis],)), axis)

    @beside_operands
    def shuffle(self, x, axis=0):
        """Shuffle an array along an axis, in place.

        Parameters
        ----------
        x : ndarray
            A device array.
        axis : int, optional
        """
        if not isinstance(x, ndarray):
            raise TypeError(
                f"shuffle works in place on a gpunp.ndarray, not on {type(x).__name__}; use permutation"
            )
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        axis = _normal_axis(axis, x.ndim)
        require_writeable_array(x)
        x[...] = _take(x, self._orders((x.shape[axis],)), axis)

    @beside_operands
    def permuted(self, x, *, axis=None, out=None):
        """Return a copy of an array with each slice along an axis shuffled independently.

        Parameters
        ----------
        x : array_like
        axis : int, optional
            None shuffles all elements.
        out : ndarray, optional
            Where to store the result; may be ``x``.

        Returns
        -------
        ndarray
        """
        x = asarray(x, device=None if isinstance(x, ndarray) else self.device)
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        if out is not None:
            if not isinstance(out, ndarray):
                raise TypeError(f"out must be a gpunp.ndarray, not {type(out).__name__}")
            if out.shape != x.shape:
                raise ValueError("out must have the same shape as x")
            if not numpy.can_cast(x.dtype, out.dtype, "safe"):
                raise TypeError(
                    f"Cannot cast array data from {x.dtype!r} to {out.dtype!r} according to the rule 'safe'"
                )
            require_writeable_array(out)
        if axis is None:
            flat = x.reshape(-1)
            result = sorting.gather_rows(flat, self._orders(flat.shape)).reshape(x.shape)
        else:
            rows = numpy.moveaxis(x, _normal_axis(axis, x.ndim), -1)
            if rows.size:
                rows = sorting.gather_rows(rows, self._orders(rows.shape))
            result = layout.converted(numpy.moveaxis(rows, -1, axis), None, "C")
        if out is None:
            return result
        out[...] = result
        return out

    @beside_operands
    def _choice(self, a, size, replace, p, axis):
        device = self.device
        a = joined(a)
        if _is_number(a) or (not isinstance(a, ndarray) and numpy.ndim(a) == 0):
            population, array = _as_population(a), None
            if population <= 0 and _count(size) != 0:
                raise ValueError("a must be a positive integer unless no samples are taken")
            if population > 2**63:
                raise ValueError("choice: a is greater than 2**63; give less, for the samples are int64")
        else:
            array = asarray(a, device=None if isinstance(a, ndarray) else device)
            axis = _normal_axis(axis, array.ndim)
            population = array.shape[axis]
            if population == 0 and _count(size) != 0:
                raise ValueError("a cannot be empty unless no samples are taken")
        if p is not None:
            p = _checked_probabilities(p, population)
        shape = () if size is None else (size,) if layout.is_integer(size) else tuple(size)
        if any(extent < 0 for extent in shape):
            raise ValueError("negative dimensions are not allowed")
        count = math.prod(shape)
        if count == 0:
            places = layout.empty(shape, numpy.dtype(numpy.int64), "C", device)
        elif replace and p is None:
            places = self.fill_integers(0, population - 1, shape, dtype_code(numpy.dtype(numpy.int64)))
        elif replace:
            places = numpy.searchsorted(_cumulated(p, device), self.random(shape), "right")
        else:
            if count > population:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            places = self._distinct(population, count, p).reshape(shape)
        chosen = places if array is None else array[(slice(None),) * axis + (places,)]
        # As in NumPy, one element without a size is a scalar, and one of size () an array.
        return chosen._mark_scalar() if size is None and chosen.ndim == 0 else chosen._unmark_scalar()

    def _distinct(self, population, count, p):
        """Draw distinct indices below ``population``, in random order."""
        if p is not None:
            if not isinstance(p, ndarray):
                if numpy.count_nonzero(p) < count:
                    raise ValueError("Fewer non-zero entries in p than size")
                p = asarray(p, device=self.device)
            # Exponential variates with rates p, sorted: the order of successive draws without replacement.
            unit, kernel, rates = "random_continuous", "random_exponential", ((1.0, 0),)
            clocks = self.sample("choice", unit, kernel, rates, 0, dtype_code(_FLOAT64), population)
            return sorting.argsort_rows(clocks / p)[:count]
        if population >= _LARGE and count <= population // 8:
            return self.distinct_places(population, count)
        return self._orders((population,))[:count]

    def bytes(self, length):
        """Random bytes, on the host; see `numpy.random.Generator.bytes`.

        Parameters
        ----------
        length : int

        Returns
        -------
        bytes
        """
        length = operator.index(length)
        if length < 0:
            raise ValueError("negative dimensions are not allowed")
        words = self.fill_integers(0, 2**32 - 1, -(-length // 4), _UINT32)
        return asnumpy(words).astype("<u4", copy=False).tobytes()[:length]


def _count(size):
    return 1 if size is None else operator.index(size) if layout.is_integer(size) else math.prod(size)


def _as_population(a):
    try:
        return operator.index(a.item() if isinstance(a, numpy.ndarray) else a)
    except TypeError:
        raise ValueError(f"a must be a sequence or an integer, not {type(a)}") from None


def _checked_probabilities(p, population):
    """Convert probabilities to float64; values on the host are checked as in NumPy."""
    on_device = isinstance(p, ndarray)
    host = p if on_device else fetched(p)
    if host.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if host.size != population:
        raise ValueError("a and p must have same size")
    if on_device:
        return layout.converted(p, _FLOAT64, "C") if p.dtype != _FLOAT64 else p
    tolerance = numpy.sqrt(numpy.finfo(_FLOAT64).eps)
    if host.dtype.kind == "f":
        tolerance = max(tolerance, numpy.sqrt(numpy.finfo(host.dtype).eps))
    host = host.astype(_FLOAT64)
    total = math.fsum(host) if not numpy.isnan(host).any() else numpy.nan
    if numpy.isnan(total):
        raise ValueError("Probabilities contain NaN")
    if (host < 0).any():
        raise ValueError("Probabilities are not non-negative")
    if abs(total - 1.0) > tolerance:
        raise ValueError(f"Probabilities do not sum to 1, but to {total}")
    return host


def _cumulated(p, device):
    """The cumulative distribution; host values are summed on the host, so every device gets the same sums."""
    sums = numpy.cumsum(p)
    sums = sums / sums[-1]
    return sums if isinstance(sums, ndarray) else asarray(sums, device=device)
