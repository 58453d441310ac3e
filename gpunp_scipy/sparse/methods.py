"""Methods of sparse arrays on the device that SciPy's code does not have, or not for a device."""

import functools

import numpy
import scipy.sparse
from scipy._lib._sparse import SparseABC

import gpunp
from gpunp.array.convert import asnumpy
from gpunp.array.foreign import is_exchanged
from gpunp.array.operands import require_one_device
from gpunp_scipy.sparse import sharing
from gpunp_scipy.sparse.compressed import Blocks, Compressed
from gpunp_scipy.sparse.coordinates import distinct

_OPERATORS = (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __matmul__ __rmatmul__ __truediv__ __rtruediv__ "
    "__eq__ __ne__ __lt__ __gt__ __le__ __ge__ __imul__ __itruediv__ dot maximum minimum multiply tensordot "
    "_add_sparse"
)

# What arrays keep to be faster, and do not copy to the host or save.
_NOT_SAVED = ("_known_nnz", "_order_by_rows")


def is_on_host(value):
    """Whether a value is a sparse or dense array on the host; numbers are not arrays."""
    if scipy.sparse.issparse(value):
        return not isinstance(value, DeviceSparse)
    return isinstance(value, numpy.ndarray) and value.ndim > 0


def upload(sparse):
    """The arguments that make a copy on the device of a sparse array on the host."""
    if sparse.format in ("csr", "csc", "bsr"):
        return tuple(gpunp.asarray(each) for each in (sparse.data, sparse.indices, sparse.indptr))
    if sparse.format == "dia":
        return gpunp.asarray(sparse.data), gpunp.asarray(sparse.offsets)
    return gpunp.asarray(sparse.data), tuple(gpunp.asarray(each) for each in sparse.coords)


def _adopted(parts):
    """Parts of a sparse array, those of other libraries as arrays of ours, which share their memory."""
    if type(parts) is tuple:
        return tuple(map(_adopted, parts))
    return gpunp.asarray(parts) if is_exchanged(parts) else parts


def _arrays(value):
    """The device arrays among the parts of a sparse array, or of an operand or key."""
    if isinstance(value, gpunp.ndarray):
        yield value
    elif isinstance(value, DeviceSparse):
        yield value.data
    elif type(value) is tuple or type(value) is list:
        for each in value:
            yield from _arrays(each)


def _require_one_device(name, *values):
    found = list(_arrays(values))
    if found:
        require_one_device(name, *found)


class DeviceSparse(SparseABC):
    """Base of all sparse arrays and matrices on the device."""

    def __init__(self, arg1, shape=None, dtype=None, copy=False, **options):
        from gpunp_scipy.sparse import classes

        with classes.device_of_parts(arg1):
            self._construct(arg1, shape, dtype, copy, options)

    def _construct(self, arg1, shape, dtype, copy, options):
        if scipy.sparse.issparse(arg1) and is_on_host(arg1):
            blocks = {} if options.get("blocksize") is None else {"blocksize": options["blocksize"]}
            if self.format != arg1.format or (blocks and arg1.blocksize != options["blocksize"]):
                arg1 = arg1.asformat(self.format) if not blocks else arg1.tobsr(**blocks)
            shape, arg1 = arg1.shape, upload(arg1)
        elif type(arg1) is tuple:
            if self.format == "dia" and len(arg1) == 2 and isinstance(arg1[0], (tuple, list)):
                # Diagonals one by one.
                arg1 = gpunp.asarray(arg1[0]), arg1[1]
            arg1 = _adopted(arg1)
            _require_one_device(type(self).__name__, arg1)
        super().__init__(arg1, shape=shape, dtype=dtype, copy=copy, **options)

    @property
    def device(self):
        """The device that has the parts."""
        return self.data.device

    def get(self):
        """A copy on the host, of SciPy's class."""
        made = object.__new__(self.scipy_class)
        vars(made).update({name: _fetched(value) for name, value in self._state().items()})
        return made

    def _state(self):
        return {name: value for name, value in vars(self).items() if name not in _NOT_SAVED}

    def __reduce_ex__(self, protocol):
        from gpunp_scipy.sparse import classes

        cls = type(self)
        while isinstance(cls, classes.DeviceClass):
            cls = cls.scipy_class if "scipy_class" in vars(cls) else cls.__bases__[0]
        return classes.restore, (cls, self._state())

    def astype(self, dtype, casting="unsafe", copy=True):
        """The array with another dtype."""
        self._sputils().getdtype(numpy.dtype(dtype))
        return super().astype(dtype, casting=casting, copy=copy)

    def todok(self, copy=False):
        """The array as a dictionary, which is on the host."""
        return self.get().todok(copy=False)

    def tolil(self, copy=False):
        """The array as lists of rows, which are on the host."""
        return self.get().tolil(copy=False)

    @staticmethod
    @functools.cache
    def _sputils():
        from gpunp_scipy.sparse import classes

        return classes.twins()["scipy.sparse._sputils"]

    def _like(self, **parts):
        """An object of this class with some other parts, without checks."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        vars(made).pop("_order_by_rows", None)
        vars(made).update(parts)
        return made


def _fetched(value):
    if isinstance(value, (tuple, list)):
        return type(value)(map(_fetched, value))
    return asnumpy(value) if isinstance(value, gpunp.ndarray) else value


def _mixture(array, name):
    """The error for operands on the host and on a device."""
    return TypeError(
        f"{type(array).__name__}.{name}: one operand is on the device and one is on the host; upload "
        f"that with gpunp.asarray or gpunp_scipy.sparse.{type(array).__name__}, or use .get()"
    )


def add_to_dok(self, other):
    """The sum of a dictionary of keys, which is on the host, and an array on the device."""
    raise _mixture(other if isinstance(other, DeviceSparse) else self, "__add__")


def _guarded(name):
    def operate(self, other, *args, **kwargs):
        if is_on_host(other):
            raise _mixture(self, name)
        _require_one_device(f"{type(self).__name__}.{name}", self, other)
        return getattr(super(DeviceSparse, self), name)(other, *args, **kwargs)

    operate.__name__ = name
    return operate


def _guarded_access(name):
    def access(self, key, *value):
        found = getattr(super(DeviceSparse, self), name, None)
        if found is None:
            raise TypeError(f"'{type(self).__name__}' object has no {name}")
        _require_one_device(f"{type(self).__name__}.{name}", self, key, *value)
        return found(key, *value)

    access.__name__ = name
    return access


for _name in ("__getitem__", "__setitem__"):
    setattr(DeviceSparse, _name, _guarded_access(_name))
for _name in _OPERATORS.split():
    setattr(DeviceSparse, _name, _guarded(_name))
DeviceSparse.__hash__ = None


class Coordinates(SparseABC):
    """Coordinates and values."""

    def _check(self):
        """Check the coordinates; waits for the device once."""
        if self.ndim == len(self.coords) and len(self.data) and all(c.dtype.kind == "i" for c in self.coords):
            self.nnz  # noqa: B018  (checks the lengths)
            checks = [((c < 0) | (c >= n)).any() for c, n in zip(self.coords, self.shape, strict=True)]
            if not bool(numpy.stack(checks).any()):
                dtype = self._get_index_dtype(self.coords, maxval=max(self.shape))
                self.coords = tuple(c.astype(dtype, copy=False) for c in self.coords)
                return
        super()._check()

    def _by_one_sort(self):
        """Whether the places are sorted as one number: on a GPU, if it fits."""
        return (
            self.ndim == 2
            and len(self.data) > 0
            and self._shape[0] * self._shape[1] < 1 << 63
            and not sharing.uses_scipy(self.device)
        )

    def tocsr(self, copy=False):
        """The array in compressed rows, with entries of one place added up."""
        return self._compressed(0) if self._by_one_sort() else super().tocsr(copy=copy)

    def tocsc(self, copy=False):
        """The array in compressed columns, with entries of one place added up."""
        return self._compressed(1) if self._by_one_sort() else super().tocsc(copy=copy)

    def _compressed(self, axis):
        keys, minor, data = distinct(
            self.coords[axis], self.coords[1 - axis], self._shape[1 - axis], self.data
        )
        ends = gpunp.arange(self._shape[axis] + 1) * self._shape[1 - axis]
        dtype = self._get_index_dtype(self.coords, maxval=max(len(data), self._shape[1 - axis]))
        parts = data, minor.astype(dtype, copy=False), numpy.searchsorted(keys, ends).astype(dtype)
        made = (self._csc_container if axis else self._csr_container)(parts, shape=self._shape)
        made.has_canonical_format = True
        return made

    def sum_duplicates(self):
        """Add up entries of one place, and sort them by rows; waits for the device once."""
        if self.has_canonical_format or not self._by_one_sort():
            super().sum_duplicates()
            return
        row, column = self.coords
        keys, minor, self.data = distinct(row, column, self._shape[1], self.data)
        self.coords = (keys // self._shape[1]).astype(row.dtype), minor
        self.has_canonical_format = True

    def _with_data(self, data, copy=True):
        self._sputils().getdtype(data.dtype)
        coords = tuple(c.copy() for c in self.coords) if copy else self.coords
        return self._like(data=data, coords=coords, has_canonical_format=False)


class Diagonals(SparseABC):
    """Diagonals."""

    def sum(self, axis=None, dtype=None, out=None):
        """The sum of all entries, or those of columns or rows."""
        if isinstance(self, scipy.sparse.spmatrix) and axis in (1, -1, (1,), (-1,)):
            # SciPy's code sums a numpy.matrix there, which keeps two axes.
            return self.tocsr().sum(axis=axis, dtype=dtype, out=out)
        return super().sum(axis=axis, dtype=dtype, out=out)

    def _matmul_sparse(self, other):
        is_empty = 0 in self.shape or 0 in other.shape
        if isinstance(other, Diagonals) and not (is_empty or (len(self.offsets) and len(other.offsets))):
            # SciPy's code cannot multiply arrays without diagonals.
            dtype = self._sputils().upcast(self.dtype, other.dtype)
            return self._dia_container((self.shape[0], other.shape[1]), dtype=dtype)
        return super()._matmul_sparse(other)


class Matrix(scipy.sparse.spmatrix):
    """The first base of matrices: it gives their objects the layout of SciPy's, as ``__class__`` changes."""


def of(base):
    """The classes with methods of our own for a class of SciPy."""
    first = (Matrix,) if base.__name__.endswith("_matrix") else ()
    form = base.__name__[:3]
    if form in ("csr", "csc"):
        return *first, Compressed, DeviceSparse
    if form == "coo":
        return *first, Coordinates, DeviceSparse
    if form == "bsr":
        return *first, Blocks, DeviceSparse
    if form == "dia":
        return *first, Diagonals, DeviceSparse
    return *first, DeviceSparse
