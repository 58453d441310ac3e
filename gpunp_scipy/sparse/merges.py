"""Sums, products and comparisons of two compressed arrays with sorted rows without duplicates."""

import numpy

import gpunp
from gpunp_scipy.sparse import arithmetic, compressed_parts, sharing
from gpunp_scipy.sparse.entry_kernels import Pair, has_kernel
from gpunp_scipy.sparse.segments import starting

# Operations that kernels compute, and the dtypes for which they do.
_FUSED = {"plus": "plus", "minus": "minus", "elmul": "times"}
_FUSED_DTYPES = "fdFD"
_COMPARISONS = ("ne", "lt", "gt", "le", "ge")


def merge(a, b, name):
    """Apply an operation to the entries of two arrays; waits for the device two or three times.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data; of one dtype, and of one index dtype, which holds the number of
        entries of both.
    name : str
        A name in `arithmetic.OPERATIONS`.

    Returns
    -------
    indptr, indices, data : ndarray
        Without zeros.
    """
    pair = Pair(*(tuple(map(gpunp.ascontiguousarray, parts)) for parts in (a, b)))
    before = starting(pair.matches(), a[0].dtype)
    union = name != "elmul"
    matches = int(before[-1])
    total = len(a[1]) + len(b[1]) - matches if union else matches
    indptr = before[a[0]]
    if union:
        indptr = a[0] + b[0] - indptr
    dtype = a[2].dtype
    indices, first = gpunp.empty(total, a[0].dtype), gpunp.empty(total, dtype)
    zeros = gpunp.zeros(1, "i4")
    if name in _FUSED and dtype.char in _FUSED_DTYPES:
        pair.merge(before, indices, first, None, zeros, operation=_FUSED[name], union=union)
        data = first
    else:
        second = gpunp.empty(total, dtype)
        pair.merge(before, indices, first, second, zeros, union=union)
        data = arithmetic.OPERATIONS[name](first, second)
        zeros[0] = (data == 0).any()
    if int(zeros[0]):
        compressed_parts.csr_eliminate_zeros(len(indptr) - 1, 0, indptr, indices, data)
        total = int(indptr[-1])
        indices, data = indices[:total].copy(), data[:total].copy()
    return indptr, indices, data


def merged(a, b, name):
    """The result of an operation on two compressed arrays, of the class of the first, or None.

    None stands for arrays on the CPU device, and those that are not sorted or have duplicates.
    """
    if sharing.uses_scipy(a.device) or b.device is not a.device or not has_kernel(a.indptr):
        return None
    b = type(a)(b)
    if not (a.has_canonical_format and b.has_canonical_format):
        return None
    dtype = numpy.dtype(a._sputils().upcast(a.dtype, b.dtype))
    index = a._get_index_dtype((a.indptr, a.indices, b.indptr, b.indices), maxval=a.nnz + b.nnz)
    dtypes = index, index, dtype
    parts = (
        tuple(
            part.astype(to, copy=False)
            for part, to in zip((each.indptr, each.indices, each.data), dtypes, strict=True)
        )
        for each in (a, b)
    )
    indptr, indices, data = merge(*parts, name)
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
