"""SciPy's modules of sparse arrays, executed a second time for arrays on the device."""

import functools
import importlib
import types

import numpy

import gpunp
from gpunp.array.operands import device_of
from gpunp_scipy.device_numpy import Numpy
from gpunp_scipy.sparse import compiled
from gpunp_scipy.twins import Twins

_SPARSE = "scipy.sparse"
_CREATED = "arange broadcast_arrays empty empty_like eye full ones zeros zeros_like"


class _Logical:
    """A logical ufunc whose reduction takes a list of device arrays."""

    def __init__(self, ufunc):
        self.ufunc = ufunc

    def __call__(self, *args, **kwargs):
        return self.ufunc(*args, **kwargs)

    def reduce(self, arrays):
        return functools.reduce(self.ufunc, arrays)


def _blocks(rows):
    """An array of objects, of a list of blocks or of lists of blocks, some of them device arrays."""
    is_table = all(isinstance(row, (list, tuple)) and len(row) == len(rows[0]) for row in rows)
    made = numpy.empty((len(rows), len(rows[0])) if is_table else len(rows), object)
    # One by one, as NumPy looks into what is assigned to a slice.
    for place in numpy.ndindex(made.shape):
        made[place] = rows[place[0]][place[1]] if is_table else rows[place[0]]
    return made


def _on_device(name):
    host, ours = getattr(numpy, name), getattr(gpunp, name)

    def convert(a, dtype=None, **kwargs):
        if dtype == "object" and isinstance(a, (list, tuple)) and device_of(a, nested=True) is not None:
            return _blocks(a)
        is_other = isinstance(a, numpy.ndarray) and a.dtype.kind not in "biufc"
        if (
            dtype == "object"
            or is_other
            or not (
                isinstance(a, (numpy.ndarray, numpy.generic, bool, int, float, complex))
                or device_of(a, nested=True) is not None
                or (isinstance(a, (list, tuple)) and numpy.asarray(a).dtype != object)
            )
        ):
            return host(a, dtype=dtype, **kwargs)
        return ours(a, dtype=dtype, **kwargs)

    return convert


def _stacked(value):
    """Coordinates, which are a tuple or list of device arrays, as one array; any other value itself."""
    is_tuple = isinstance(value, (tuple, list)) and value and type(value[0]) is gpunp.ndarray
    return numpy.stack(value) if is_tuple else value


def _concatenate(arrays, axis=0, **options):
    return numpy.concatenate([_stacked(each) for each in arrays], axis=axis, **options)


def _tile(A, reps):
    return numpy.tile(_stacked(A), reps)


class DeviceNumpy(Numpy):
    """NumPy, whose functions that create arrays create them on the device, from lists and numbers too."""

    def __init__(self, created=_CREATED):
        super().__init__(created)
        self.ndarray = gpunp.ndarray
        self.logical_and, self.logical_or = _Logical(numpy.logical_and), _Logical(numpy.logical_or)
        for name in ("array", "asarray"):
            setattr(self, name, _on_device(name))
        self.asanyarray = self.asarray
        self.concatenate, self.tile = _concatenate, _tile


def asmatrix(data, dtype=None):
    """A device array of two dimensions, as `numpy.matrix` is on the host only."""
    return numpy.atleast_2d(gpunp.asarray(data, dtype=dtype))


def matrix(data, *args, **kwargs):
    return numpy.atleast_2d(gpunp.array(data, *args, **kwargs))


def missing_index(ind, n):
    """The first number that is not at its own place in a sorted array, or -1 if all below n are there."""
    differs = numpy.append(ind != gpunp.arange(len(ind)), gpunp.ones(1, bool))
    k = int(numpy.argmax(differs))
    return k if k < n else -1


def asindices(idx, length, format):
    """Numbers of rows or columns, none of them negative; waits for the device once, to check them."""
    if (idx.ndim not in (1, 2)) if format != "coo" else idx.ndim == 0:
        raise IndexError(f"Index dimension must be 1 or 2. Got {idx.ndim}")
    ix = gpunp.asarray(idx)
    if ix.size == 0:
        return ix
    greatest, least = numpy.stack([ix.max(), ix.min()]).tolist()
    for index in (greatest, least):
        if not -length <= index < length:
            raise IndexError(f"index ({index}) out of range")
    return numpy.where(ix < 0, ix + length, ix) if least < 0 else ix


class SparseTwins(Twins):
    """The modules of `scipy.sparse`; what they call of ``_sparsetools`` is `gpunp_scipy.sparse.compiled`.

    Parameters
    ----------
    combine : callable
        Makes the class for device arrays from the twin of a class and SciPy's class.
    """

    def __init__(self, combine):
        names = (
            "_base _bsr _compressed _construct _coo _csc _csr _data _dia _extract _index _matrix _spfuncs "
            "_sputils"
        )
        space = DeviceNumpy()
        super().__init__(
            {f"{_SPARSE}.{name}": space for name in names.split()},
            {
                f"{_SPARSE}._sputils": {"asmatrix": asmatrix, "matrix": matrix},
                f"{_SPARSE}._data": {"_find_missing_index": missing_index},
                f"{_SPARSE}._index": {
                    "_broadcast_arrays": numpy.broadcast_arrays,
                    "_asindices": asindices,
                },
            },
        )
        self._combine = combine
        self._namespaces[f"{_SPARSE}._sparsetools"] = None
        self._made[f"{_SPARSE}._sparsetools"] = compiled

    def _execute(self, name):
        super()._execute(name)
        twin, source = self._made[name], importlib.import_module(name)
        for key, value in list(vars(twin).items()):
            if key.endswith(("_array", "_matrix")) and isinstance(value, type) and key in source.__all__:
                setattr(twin, key, self._combine(value, getattr(source, key)))
        if name.endswith("._construct"):
            # Blocks are found with small arrays on the host.
            blocks = DeviceNumpy("empty")
            block = types.FunctionType(
                twin._block.__code__, {**vars(twin), "np": blocks}, "_block", twin._block.__defaults__
            )
            twin._block = block
