"""``array.flat``: the elements of an array in C order, as a 1-d sequence."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import HOLDERS, asarray
from gpunp.array.ndarray import ndarray
from gpunp.creation.ranges import arange
from gpunp.dispatch.function_protocol import array_function
from gpunp.dispatch.registry import implements
from gpunp.indexing import moves
from gpunp.indexing.advanced import value_for

# Special methods of operators, without underscores -> NumPy's ufuncs.
_COMPARISONS = {
    "eq": numpy.equal,
    "ne": numpy.not_equal,
    "lt": numpy.less,
    "le": numpy.less_equal,
    "gt": numpy.greater,
    "ge": numpy.greater_equal,
}
_OPERATORS = {
    "add": numpy.add,
    "sub": numpy.subtract,
    "mul": numpy.multiply,
    "matmul": numpy.matmul,
    "truediv": numpy.true_divide,
    "floordiv": numpy.floor_divide,
    "mod": numpy.remainder,
    "divmod": numpy.divmod,
    "pow": numpy.power,
    "lshift": numpy.left_shift,
    "rshift": numpy.right_shift,
    "and": numpy.bitwise_and,
    "or": numpy.bitwise_or,
    "xor": numpy.bitwise_xor,
}
_INVALID = "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"


@implements()
class flatiter:
    """A 1-d iterator over the elements of an array in C order: the type of ``array.flat``.

    Indexing copies; assignment writes to the array and repeats the values as needed.

    Parameters
    ----------
    array : ndarray
    """

    __hash__ = None

    def __init__(self, array):
        self._array = array
        self._next = 0

    @property
    def base(self):
        """The array iterated over."""
        return self._array

    @property
    def index(self):
        """The flat index of the next element."""
        return self._next

    @property
    def coords(self):
        """The coordinates of the next element."""
        rest, coordinates = self._next, []
        for n in self._array.shape[::-1]:
            # Where the array has no elements, the coordinates are those of the start.
            rest, coordinate = divmod(rest, n) if n else (rest, 0)
            coordinates.append(coordinate)
        return tuple(coordinates[::-1])

    def copy(self):
        """The elements as a new 1-d array."""
        return layout.converted(self._array, order="C").reshape(-1)

    def __array__(self, dtype=None, copy=None):
        return self.copy().__array__(dtype, copy)

    def __array_function__(self, func, types, args, kwargs):
        known = tuple(cls for cls in types if cls is not flatiter)
        kwargs = {name: _copied(value) for name, value in kwargs.items()}
        return array_function(self._array, func, known, _copied(args), kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        kwargs = {name: _copied(value) for name, value in kwargs.items()}
        return getattr(ufunc, method)(*_copied(inputs), **kwargs)

    def __len__(self):
        return self._array.size

    def __iter__(self):
        return self

    def __next__(self):
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __getitem__(self, key):
        numbers = self._numbers(key)
        if isinstance(numbers, ndarray):
            return moves.take(self._array, numbers, -1, call="indexing")
        dense = self._dense()
        if dense is not None:
            return dense[numbers].copy()
        if isinstance(numbers, int):
            return self._element(numbers).copy()._mark_scalar()
        return moves.take(self._array, self._range(numbers), -1)

    def __setitem__(self, key, value):
        if not self._array.flags.writeable:
            raise ValueError("assignment destination is read-only")
        if isinstance(key, tuple) and not key:
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        numbers = self._numbers(key)
        if isinstance(numbers, int):
            self._set_element(numbers, value)
            return
        value = value_for(self._array, value)
        several = isinstance(value, ndarray) and value.size != 1
        if isinstance(value, ndarray) and not several:
            value = value.reshape(())
        if isinstance(value, numpy.generic):
            # Cast like an array, unlike in other assignments by index.
            value = numpy.asarray(value)
        if isinstance(numbers, slice):
            dense = self._dense()
            if dense is not None and not several:
                dense[numbers] = value
                return
            numbers = self._range(numbers)
        moves.put(self._array, numbers, value, call="assignment by index")

    def _set_element(self, number, value):
        """Write one element; as in NumPy, every failed conversion is the same ValueError."""
        element = self._element(number)
        try:
            if isinstance(value, ndarray):
                if value.ndim and (value.size != 1 or element.dtype != bool):
                    raise ValueError("setting an array element with a sequence.")
                element[...] = value
            else:
                element[()] = value
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError("Error setting single item of array.") from error

    def __delitem__(self, key):
        raise TypeError("Cannot delete iterator elements")

    def _dense(self):
        """The elements as a 1-d view, or None if the array is not C-contiguous."""
        return self._array.reshape(-1) if self._array.flags.c_contiguous else None

    def _range(self, numbers):
        start, stop, step = numbers.indices(len(self))
        return arange(start, stop, step, device=self._array.device)

    def _element(self, number):
        """A 0-d view of one element."""
        size = len(self)
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for size {size}")
        rest, key = number % size, []
        for n in self._array.shape[::-1]:
            key.append(rest % n)
            rest //= n
        return self._array[(*key[::-1], Ellipsis)]

    def _numbers(self, key):
        """The flat indices of a key: an int, a slice, or an integer array on the device."""
        if isinstance(key, tuple):
            if len(key) > 1:
                raise IndexError(
                    "too many indices for flat iterator: flat iterator is 1-dimensional, but "
                    f"{len(key)} were indexed"
                )
            key = key[0] if key else Ellipsis
        if key is Ellipsis:
            return slice(None)
        if isinstance(key, slice):
            return key
        if isinstance(key, (int, numpy.integer)) and not isinstance(key, bool):
            return self._checked(int(key))
        if isinstance(key, list) and not key:
            key = numpy.empty(0, numpy.intp)
        if isinstance(key, (list, numpy.ndarray)):
            key = asarray(key, device=self._array.device)
        if isinstance(key, flatiter):
            key = key.copy()
        if not isinstance(key, ndarray) or key.dtype.kind not in "biu":
            raise IndexError(_INVALID)
        if key.dtype == bool:
            if key.shape != (len(self),):
                raise IndexError(
                    f"boolean index of shape {key.shape} did not match the {len(self)} elements of flat"
                )
            return numpy.flatnonzero(key)
        return key

    def _checked(self, number):
        size = len(self)
        if not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for size {size}")
        return number % size


def _copied(value):
    """``value`` with the flat iterators in it, at any depth, replaced by arrays."""
    if type(value) is flatiter:
        return value.copy()
    if type(value) in (list, tuple):
        return type(value)(_copied(item) for item in value)
    return value


HOLDERS[flatiter] = flatiter.copy


def _operator(ufunc, *, reflected, arrays_only):
    """A special method that calls a ufunc; as in NumPy, only comparisons accept non-array operands."""

    def call(self, other):
        if arrays_only and not isinstance(other, ndarray | numpy.ndarray):
            return NotImplemented
        return ufunc(other, self) if reflected else ufunc(self, other)

    return call


for _name, _ufunc in _COMPARISONS.items():
    setattr(flatiter, f"__{_name}__", _operator(_ufunc, reflected=False, arrays_only=False))
for _name, _ufunc in _OPERATORS.items():
    setattr(flatiter, f"__{_name}__", _operator(_ufunc, reflected=False, arrays_only=True))
    setattr(flatiter, f"__r{_name}__", _operator(_ufunc, reflected=True, arrays_only=True))


def set_flat(array, value):
    """Implement ``array.flat = value``."""
    flatiter(array)[...] = value
