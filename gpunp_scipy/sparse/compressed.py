"""Methods of compressed rows and columns, and of blocks in compressed rows, on the device."""

import numpy
import scipy.sparse
from scipy._lib._sparse import SparseABC

import gpunp
from gpunp_scipy.sparse import matrix_products, merges, sharing, slices
from gpunp_scipy.sparse.column_products import column_product, shared_order
from gpunp_scipy.sparse.row_kernels import product
from gpunp_scipy.sparse.segments import pointers, rows_of, starts_of_runs


def anywhere(method):
    """Mark a method that does not create arrays on the current device, so that it runs with any."""
    method.runs_anywhere = True
    return method


class Compressed(SparseABC):
    """Compressed rows or columns."""

    @anywhere
    def __matmul__(self, other):
        made = None
        if type(other) is gpunp.ndarray and self.format == "csr" and len(self._shape) == 2:
            made = product(self.indptr, self.indices, self.data, other, *self._shape)
        return self._product(other) if made is None else made

    def _product(self, other):
        """The product with what has no kernel for rows; other dense arrays go through SciPy's code."""
        made = None
        if self.format == "csc" and type(other) is gpunp.ndarray and len(self._shape) == 2:
            made = None if sharing.uses_scipy(self.device) else column_product(self, other)
        return super().__matmul__(other) if made is None else made

    def _own_parts(self):
        """Copy the parts before they change in place, as other arrays may share them."""
        if not sharing.uses_scipy(self.device):
            self.indptr, self.indices, self.data = self.indptr.copy(), self.indices.copy(), self.data.copy()

    def sort_indices(self):
        """Sort the entries of each row or column."""
        if not self.has_sorted_indices:
            self._own_parts()
            super().sort_indices()

    def sum_duplicates(self):
        """Add up entries of one place."""
        if not self.has_canonical_format:
            self._own_parts()
            super().sum_duplicates()

    def eliminate_zeros(self):
        """Remove entries that are zero."""
        self._own_parts()
        super().eliminate_zeros()

    def _matmul_sparse(self, other):
        made = matrix_products.multiplied(self, other)
        return super()._matmul_sparse(other) if made is None else made

    def _multiply_2d_with_broadcasting(self, other):
        if isinstance(other, Compressed) and (other.format, other.shape) == (self.format, self.shape):
            # SciPy's code makes a new object of the other array, which would not know its order.
            return self._binopt(other, "_elmul_")
        return super()._multiply_2d_with_broadcasting(other)

    def _binopt(self, other, op):
        made = merges.merged(self, other, op.strip("_"))
        return super()._binopt(other, op) if made is None else made

    def _ends(self):
        """The first and the last value of the row pointer; waits for the device, once for each pointer."""
        known = vars(self).get("_known_nnz")
        if known is None or known[0] is not self.indptr or known[1] is not self.indices:
            first, last = self.indptr[[0, -1]].tolist()
            self._known_nnz = known = self.indptr, self.indices, first, last
        return known[2:]

    def _getnnz(self, axis=None):
        if axis is None or (self.ndim == 1 and axis in (0, -1)):
            return self._ends()[1]
        return super()._getnnz(axis)

    def check_format(self, full_check=True):
        """Check the parts; waits for the device once, and for each of the full checks."""
        if self.indptr.ndim == 1 and self.indices.ndim == 1 and len(self.indptr):
            first, last = self._ends()
            if first == 0 and last <= len(self.indices) == len(self.data) and not full_check:
                self._check_dtypes_and_shapes()
                self._cut(last)
                return
        super().check_format(full_check)

    def _check_dtypes_and_shapes(self):
        if self.data.ndim != 1:
            raise ValueError("data, indices, and indptr should be 1-D")
        rows = self._swap(self._shape_as_2d)[0]
        if len(self.indptr) != rows + 1:
            raise ValueError(f"index pointer size {len(self.indptr)} should be {rows + 1}")

    def _cut(self, nnz):
        if len(self.indices) != nnz:
            self.indices, self.data = self.indices[:nnz].copy(), self.data[:nnz].copy()
        self._known_nnz = self.indptr, self.indices, 0, nnz

    def prune(self):
        """Remove what is stored after the last entry; waits for the device."""
        rows = self._swap(self._shape_as_2d)[0]
        if len(self.indptr) != rows + 1:
            raise ValueError("index pointer has invalid length")
        self._known_nnz = None
        vars(self).pop("_order_by_rows", None)
        nnz = self.nnz
        if len(self.indices) < nnz:
            raise ValueError("indices array has fewer than nnz elements")
        if len(self.data) < nnz:
            raise ValueError("data array has fewer than nnz elements")
        self._cut(nnz)

    def _with_data(self, data, copy=True):
        self._sputils().getdtype(data.dtype)
        made = self._like(data=data)
        if copy:
            made.indices, made.indptr = self.indices.copy(), self.indptr.copy()
            known = vars(self).get("_known_nnz")
            if known is not None and known[0] is self.indptr and known[1] is self.indices:
                made._known_nnz = made.indptr, made.indices, *known[2:]
        return made

    def count_nonzero(self, axis=None):
        if axis is None or self.ndim == 1:
            return super().count_nonzero(axis)
        self.sum_duplicates()
        axis = axis + 2 if axis < 0 else axis
        if axis not in (0, 1):
            raise ValueError("axis out of bounds")
        nonzero = self.data != 0
        is_full = bool(nonzero.all())
        if self._swap((axis, 1 - axis))[0] == 0:
            columns = self.indices if is_full else self.indices[nonzero]
            return numpy.bincount(columns, minlength=self._swap(self.shape)[1])
        if is_full:
            return numpy.diff(self.indptr)
        before = gpunp.zeros(len(nonzero) + 1, "i8")
        numpy.cumsum(nonzero, out=before[1:])
        return before[self.indptr[1:]] - before[self.indptr[:-1]]

    def transpose(self, axes=None, copy=False):
        """The transpose, which shares the parts unless they are copied."""
        if self.ndim != 2 or axes not in (None, (1, 0)):
            return super().transpose(axes, copy)
        shared_order(self)
        made = object.__new__(self._csc_container if self.format == "csr" else self._csr_container)
        vars(made).update(vars(self._with_data(self.data.copy()) if copy else self))
        made._shape = self._shape[::-1]
        return made

    def __getitem__(self, key):
        made = None
        if (
            type(key) is gpunp.ndarray
            and key.dtype.kind == "b"
            and key.shape == self._shape[:1]
            and (self.format, self.ndim) == ("csr", 2)
            and key.device is self.device
        ):
            made = slices.masked(self, key)
        return super().__getitem__(key) if made is None else made

    def reshape(self, *shape, order="C", copy=False):
        """The array in another shape."""
        made = None
        if shape == ((max(self._shape),),) and self.ndim == 2 and 1 in self._shape and not copy:
            made = slices.line(self) if isinstance(self, scipy.sparse.sparray) else None
        return super().reshape(*shape, order=order, copy=copy) if made is None else made

    def _get_intXint(self, row, col):
        if sharing.uses_scipy(self.device):
            return super()._get_intXint(row, col)
        return slices.element(self, *self._swap((row, col)))

    def _get_intXarray(self, row, col):
        if self.format == "csr":
            return self._get_submatrix(row)._minor_index_fancy(col)
        return super()._get_intXarray(row, col)

    def _minor_index_fancy(self, idx):
        made = None
        if type(idx) is gpunp.ndarray and idx.size:
            made = slices.taken_columns(self, idx.ravel())
        return super()._minor_index_fancy(idx) if made is None else made

    def _get_submatrix(self, major=None, minor=None, copy=False):
        # A number is a slice of one.
        major, minor = (slice(n, n + 1) if isinstance(n, int) else n for n in (major, minor))
        made, whole = None, (None, slice(None))
        steps = [
            each.step in (1, None) if isinstance(each, slice) else each is None for each in (major, minor)
        ]
        if self.ndim == 2 and all(steps):
            made = self
            if major not in whole:
                first, end, _ = major.indices(self._swap(self._shape)[0])
                made = slices.between(self, min(first, end), end)
            if made is not None and minor not in whole:
                first, end, _ = minor.indices(self._swap(self._shape)[1])
                made = slices.within(made, min(first, end), end)
            if made is self:
                made = None
        return super()._get_submatrix(major, minor, copy) if made is None else made

    def _get_arrayXslice(self, row, col):
        if self.format == "csr" and col.step not in (1, None):
            # SciPy takes the columns one by one with the rows, and reads beyond them where there are fewer.
            return self._major_index_fancy(row)._minor_slice(col)
        return super()._get_arrayXslice(row, col)

    def _major_slice(self, idx, copy=False):
        rows = range(*idx.indices(self._swap(self._shape_as_2d)[0]))
        made = None
        if rows and rows.step != 1:
            made = slices.taken(self, gpunp.arange(rows.start, rows.stop, rows.step, device=self.device))
        return super()._major_slice(idx, copy) if made is None else made

    def _major_index_fancy(self, idx):
        made = None
        if type(idx) is gpunp.ndarray and idx.size:
            made = slices.taken(self, idx.ravel())
        return super()._major_index_fancy(idx) if made is None else made

    def _insert_many(self, i, j, x):
        """Store new entries, of which there are none yet; the last one at a place counts."""
        M, N = self._swap(self._shape_as_2d)
        keys = i.astype("i8") * N + j
        order = numpy.argsort(keys, kind="stable")
        keys = keys[order]
        is_last = numpy.append(keys[1:] != keys[:-1], gpunp.ones(1, bool))
        chosen = order[is_last]
        do_sort = self.has_sorted_indices
        if not do_sort:
            # As in SciPy, new entries of a row are sorted only if there are several for one place.
            has_several = gpunp.zeros(M, bool)
            has_several[i[order[~is_last]]] = True
            chosen = chosen[
                numpy.argsort(numpy.where(has_several[i[chosen]], j[chosen], chosen), kind="stable")
            ]
        total = self.nnz + len(chosen)
        dtype = self._get_index_dtype((self.indices, self.indptr), maxval=total)
        rows = numpy.concatenate((rows_of(self.indptr, len(self.indices)), i[chosen].astype("i8")))
        order = numpy.argsort(rows, kind="stable")
        self.indptr = pointers(rows[order], M).astype(dtype, copy=False)
        self.indices = numpy.concatenate((self.indices, j[chosen]))[order].astype(dtype, copy=False)
        self.data = numpy.concatenate((self.data, x[chosen]))[order]
        if do_sort:
            self.has_sorted_indices = False
            self.sort_indices()
        self.check_format(full_check=False)

    def _argminmax_axis(self, axis, argminmax, compare, explicit):
        """The place of the extreme value of each row or column; of several, of the first.

        As in SciPy, where an entry that is stored is 0 and the extreme, its number in the row counts.
        """
        lines = self.tocsc() if axis == 0 else self.tocsr()
        lines.sum_duplicates()
        count, length = lines._swap(lines.shape)
        result = gpunp.zeros(count, int)
        filled = numpy.flatnonzero(numpy.diff(lines.indptr))
        if len(filled):
            result[filled] = _extreme_places(lines, filled, length, argminmax, compare, explicit)
        if isinstance(self, scipy.sparse.sparray):
            return result
        return self._ascontainer(result.reshape(-1, 1) if axis == 1 else result)


def _extreme_places(lines, filled, length, argminmax, compare, explicit):
    """The places of the extreme values of the rows that are not empty; rows are sorted."""
    extreme = numpy.maximum if argminmax is numpy.argmax else numpy.minimum
    starts = lines.indptr[filled].astype("i8")
    counts = lines.indptr[filled + 1] - starts
    values = extreme.reduceat(lines.data, starts)
    place = gpunp.arange(len(lines.data))
    row = rows_of(numpy.append(starts, len(lines.data)), len(lines.data))
    here = lines.data == values[row]
    if lines.dtype.kind in "fc":
        here = here | (numpy.isnan(lines.data) & numpy.isnan(values)[row])
    first = numpy.minimum.reduceat(numpy.where(here, place, len(place)), starts)
    column = lines.indices[first].astype("i8")
    if explicit:
        return column
    local = place - starts[row]
    absent = numpy.minimum.reduceat(numpy.where(lines.indices != local, local, length), starts)
    absent = numpy.minimum(absent, counts)
    zero = lines.dtype.type(0)
    of_zeros = numpy.where(values == zero, numpy.minimum(first - starts, absent), absent)
    return numpy.where(compare(values, zero) | (counts == length), column, of_zeros)


class Blocks(SparseABC):
    """Blocks in compressed rows."""

    def sum_duplicates(self):
        """Add up blocks of one place."""
        if self.has_canonical_format:
            return
        self.sort_indices()
        row = rows_of(self.indptr, len(self.indices))
        starts = numpy.flatnonzero(starts_of_runs(row, self.indices))
        self.data = numpy.add.reduceat(self.data, starts, dtype=self.dtype)
        self.indptr = pointers(row[starts], len(self.indptr) - 1).astype(self.indptr.dtype)
        self.indices = self.indices[starts]
        self.has_canonical_format = True
