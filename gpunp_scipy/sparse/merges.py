"""Sums, products and comparisons of two compressed arrays with sorted rows without duplicates."""

import numpy

import gpunp
from gpunp_scipy.sparse import arithmetic, compressed_parts, sharing
from gpunp_scipy.sparse.entry_kernels import has_kernel
from gpunp_scipy.sparse.merge_kernels import Pair

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
    a, b = (tuple(map(gpunp.ascontiguousarray, parts)) for parts in (a, b))
    index, dtype = a[0].dtype, a[2].dtype
    indptr = gpunp.zeros(len(a[0]), index)
    if not len(a[1]) + len(b[1]):
        return indptr, gpunp.empty(0, index), arithmetic.OPERATIONS[name](a[2], b[2])
    pair = Pair(a, b, union=name != "elmul")
    ends = numpy.cumsum(pair.counts())
    total = int(ends[-1])
    indices, first, zeros = gpunp.empty(total, index), gpunp.empty(total, dtype), gpunp.zeros(1, "i4")
    if name in _FUSED and dtype.char in _FUSED_DTYPES:
        pair.write(ends, indptr, indices, first, None, zeros, _FUSED[name])
        data = first
    else:
        second = gpunp.empty(total, dtype)
        pair.write(ends, indptr, indices, first, second, zeros)
        data = arithmetic.OPERATIONS[name](first, second)
        zeros[0] = (data == 0).any()
    # Rows without entries end where those before them do.
    indptr = numpy.maximum.accumulate(indptr)
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
    # A new object would not know whether it is sorted.
    b = b if b.format == a.format else type(a)(b)
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
