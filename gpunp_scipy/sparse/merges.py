"""Sums, products and comparisons of two compressed arrays with sorted rows without duplicates."""

import functools

import numpy

import gpunp
from gpunp_scipy.sparse import arithmetic, compressed_parts, merge_kernels, sharing
from gpunp_scipy.sparse.entry_kernels import has_kernel

# Operations that kernels compute, and the dtypes for which they do.
_FUSED = {
    "plus": "plus",
    "minus": "minus",
    "elmul": "times",
    "maximum": "maximum",
    "minimum": "minimum",
    "ne": "unequal",
    "lt": "less",
    "gt": "greater",
}
_FUSED_DTYPES = "?ilqfdFD"
_INT32, _INT64 = numpy.dtype("i4"), numpy.dtype("i8")
_MOST_INT32 = numpy.iinfo(_INT32).max
_COMPARISONS = ("ne", "lt", "gt", "le", "ge")


def _special(*values):
    """Whether there is a NaN or an infinity, on the device; None where there cannot be one."""
    found = [~numpy.isfinite(each).all() for each in values if each.dtype.kind in "fc" and len(each)]
    return functools.reduce(numpy.logical_or, found) if found else None


def merge(a, b, name, *, union=None, columns=None):
    """Apply an operation to the entries of two arrays.

    Waits for the device once where a kernel computes the results, else twice; once more to remove zeros from
    sums, differences and products.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data, contiguous; of one dtype, and of one index dtype, which holds
        the number of entries of both.
    name : str
        A name in `arithmetic.OPERATIONS`.
    union : bool, optional
        Whether all places of either array are looked at; by default, for products, only if a value is not
        finite, as such a value times 0 is NaN.
    columns : int, optional
        The number of columns: few take less time. By default there may be as many as keys have room for.

    Returns
    -------
    indptr, indices, data : ndarray
        Without zeros.
    """
    if columns is not None and columns > merge_kernels.most_columns():
        distinct, ranks = numpy.unique(numpy.concatenate((a[1], b[1])), return_inverse=True)
        of_a, of_b = ranks[: len(a[1])], ranks[len(a[1]) :]
        a, b = (a[0], of_a, a[2]), (b[0], of_b, b[2])
        indptr, indices, data = merge(a, b, name, union=union, columns=len(distinct))
        return indptr, distinct[indices], data
    is_product, special = name == "elmul", None
    # Kernels of products find out whether a value is not finite.
    is_open = is_product and union is None
    if is_open:
        union = not (len(a[1]) and len(b[1])) and bool(_special(a[2], b[2]))
    elif union is None:
        union = True
    is_fused = a[2].dtype.char in _FUSED_DTYPES and union != is_product
    operation = _FUSED.get(name) if is_fused else None
    if is_open and not union and operation is None:
        special = _special(a[2], b[2])
    if not (len(a[1]) + len(b[1]) if union else len(a[1]) and len(b[1])):
        indptr = gpunp.zeros(len(a[0]), a[0].dtype)
        return indptr, gpunp.empty(0, indptr.dtype), arithmetic.OPERATIONS[name](a[2][:0], b[2][:0])
    indptr, indices, data, second, found = merge_kernels.merge(
        a, b, union=union, operation=operation, columns=columns
    )
    found = found if special is None else numpy.append(found, special)
    total, has_zeros, *is_special = found.tolist()
    if is_open and any(is_special):
        return merge(a, b, name, union=True, columns=columns)
    indices, data = _trimmed(total, indices, data)
    if operation is None:
        data = arithmetic.OPERATIONS[name](data, second[:total])
        has_zeros = (data == 0).any()
    if has_zeros:
        compressed_parts.csr_eliminate_zeros(len(indptr) - 1, 0, indptr, indices, data)
        indices, data = _trimmed(int(indptr[-1]), indices, data)
    return indptr, indices, data


def _trimmed(count, *parts):
    """The first elements of arrays; copies where most of the memory would be wasted, as in SciPy."""
    return tuple(part[:count].copy() if count < len(part) // 2 else part[:count] for part in parts)


def merged(a, b, name):
    """The result of an operation on two compressed arrays, of the class of the first, or None.

    None stands for arrays on the CPU device, and those that are not sorted or have duplicates.
    """
    if sharing.uses_scipy(a.device) or b.device is not a.device or not has_kernel(a.indptr):
        return None
    columns = a._swap(a._shape_as_2d)[1]
    # A new object would not know whether it is sorted.
    b = b if b.format == a.format else type(a)(b)
    if not (a.has_canonical_format and b.has_canonical_format):
        return None
    dtype = numpy.dtype(a._sputils().upcast(a.dtype, b.dtype))
    # As SciPy's rule has it, without a function call for each part.
    narrow = a.nnz + b.nnz <= _MOST_INT32 and all(
        part.dtype == _INT32 for part in (a.indptr, a.indices, b.indptr, b.indices)
    )
    index = _INT32 if narrow else _INT64
    parts = (merge_kernels.converted(each, index, dtype) for each in (a, b))
    indptr, indices, data = merge(*parts, name, columns=columns)
    if name in _COMPARISONS:
        data = data.astype(bool, copy=False)
    return a._like(
        indptr=indptr,
        indices=indices,
        data=data,
        _known_nnz=(indptr, indices, 0, len(indices)),
        _has_sorted_indices=True,
        _has_canonical_format=True,
    )
