"""Rows of compressed arrays on the device, for which SciPy's code would wait several times.

Where arrays are compressed by columns, these are the rows.
"""

import numpy

import gpunp
from gpunp_scipy.sparse import compressed_parts, sharing
from gpunp_scipy.sparse.segments import starting

_FLAGS = ("_has_sorted_indices", "_has_canonical_format")
_MOST = numpy.iinfo(numpy.int32).max


def _keeps_dtypes(a):
    """Whether SciPy gives parts of an array the dtypes of its indices without a look at their values."""
    return (
        not sharing.uses_scipy(a.device)
        and a.ndim == 2
        and a.indptr.dtype == a.indices.dtype == numpy.int32
        and max(a.shape) <= _MOST
    )


def _made(a, rows, indptr, indices, data, columns=None):
    """An array of some rows or columns of another one, whose order is known if it was before."""
    columns = a._swap(a.shape)[1] if columns is None else columns
    made = a._like(
        indptr=indptr,
        indices=indices,
        data=data,
        _shape=a._swap((rows, columns)),
        _known_nnz=(indptr, indices, 0, len(indices)),
    )
    for name in _FLAGS:
        if vars(made).get(name) is False:
            del vars(made)[name]
    return made


def between(a, first, end):
    """Copies of the rows from one to another; waits for the device once, or not at all if there are none.

    Parameters
    ----------
    a : sparse array or matrix
    first, end : int
        Of rows of the array; the first is not after the end.

    Returns
    -------
    sparse array or matrix
        Of the same class; or None, if SciPy's code is needed.
    """
    if not _keeps_dtypes(a):
        return None
    begin, stop = a.indptr[first : end + 1 : end - first].tolist() if end > first else (0, 0)
    indptr = a.indptr[first : end + 1]
    return _made(
        a,
        end - first,
        indptr - indptr[:1] if first else indptr.copy(),
        a.indices[begin:stop].copy(),
        a.data[begin:stop].copy(),
    )


def within(a, first, end):
    """Copies of columns; waits for the device once if the number of entries is known.

    Parameters
    ----------
    a : sparse array or matrix
    first, end : int
        Of columns of the array; the first is not after the end.

    Returns
    -------
    sparse array or matrix
        Of the same class; or None, if SciPy's code is needed.
    """
    if not _keeps_dtypes(a) or a._ends() != (0, len(a.indices)):
        return None
    parts = compressed_parts.columns_between(a.indptr, a.indices, a.data, first, end)
    return _made(a, a._swap(a.shape)[0], *parts, end - first)


def taken(a, rows):
    """Copies of chosen rows, in their order; waits for the device once.

    Parameters
    ----------
    a : sparse array or matrix
    rows : ndarray
        Numbers of rows of the array, of which there is one.

    Returns
    -------
    sparse array or matrix
        Of the same class; or None, if SciPy's code is needed.
    """
    if not _keeps_dtypes(a):
        return None
    indptr = starting(a.indptr[rows + 1] - a.indptr[rows], a.indptr.dtype)
    total = int(indptr[-1])
    indices, data = gpunp.empty(total, a.indices.dtype), gpunp.empty(total, a.dtype)
    compressed_parts.csr_row_index(len(rows), rows, a.indptr, a.indices, a.data, indices, data)
    return _made(a, len(rows), indptr, indices, data)
