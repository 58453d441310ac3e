"""Rows of compressed arrays on the device, for which SciPy's code would wait several times.

Where arrays are compressed by columns, these are the rows.
"""

import numpy

import gpunp
from gpunp_scipy.sparse import compressed_parts, sharing
from gpunp_scipy.sparse.segments import rows_of, starting

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
    return _copied(a, rows, indptr, int(indptr[-1]))


def _copied(a, rows, indptr, total):
    """Copies of chosen rows, of which the row pointer and the number of entries are known."""
    indices, data = gpunp.empty(total, a.indices.dtype), gpunp.empty(total, a.dtype)
    compressed_parts.csr_row_index(len(rows), rows, a.indptr, a.indices, a.data, indices, data)
    return _made(a, len(rows), indptr, indices, data)


def taken_columns(a, columns):
    """Copies of chosen columns, in their order, in the rows of an array; waits for the device once.

    Parameters
    ----------
    a : sparse array or matrix
    columns : ndarray
        Numbers of columns of the array, of which there is one.

    Returns
    -------
    sparse array or matrix
        Of the same class; or None, if SciPy's code is needed.
    """
    if not _keeps_dtypes(a) or a._ends() != (0, len(a.indices)):
        return None
    # How often each column is wanted, and from which place on in the order.
    counts = gpunp.zeros(a._swap(a.shape)[1], "i8")
    numpy.add.at(counts, columns, 1)
    begin, order = starting(counts), numpy.argsort(columns, kind="stable")
    ends = starting(counts[a.indices])
    indptr, total = ends[a.indptr].astype(a.indptr.dtype), int(ends[-1])
    entry = rows_of(ends, total)
    place = gpunp.arange(total) - ends[entry] + begin[a.indices[entry]]
    made = _made(
        a, len(a.indptr) - 1, indptr, order[place].astype(a.indices.dtype), a.data[entry], len(columns)
    )
    for name in _FLAGS:
        vars(made).pop(name, None)
    return made


def masked(a, mask):
    """Copies of the rows where a mask is true; waits for the device once.

    Parameters
    ----------
    a : sparse array or matrix
    mask : ndarray of bool
        One for each row.

    Returns
    -------
    sparse array or matrix
        Of the same class; or None, if SciPy's code is needed.
    """
    if not _keeps_dtypes(a):
        return None
    lengths = numpy.where(mask, a.indptr[1:] - a.indptr[:-1], 0)
    ends, places = starting(lengths, a.indptr.dtype), starting(mask)
    total, count = numpy.stack([ends[-1].astype("i8"), places[-1]]).tolist()
    if not count:
        return None
    # All rows that are left out get the place after the last one.
    rows = gpunp.empty(count + 1, "i8")
    rows[numpy.where(mask, places[:-1], count)] = gpunp.arange(len(mask))
    rows = rows[:count]
    indptr = numpy.append(ends[rows], ends[-1:])
    return _copied(a, rows, indptr, total)


def line(a):
    """An array of one row or one column as an array of one axis, which shares its values; does not wait.

    Parameters
    ----------
    a : sparse array

    Returns
    -------
    coo_array
        Or None, if SciPy's code is needed.
    """
    if not _keeps_dtypes(a) or a._ends() != (0, len(a.indices)):
        return None
    along = a.indices if a._swap(a.shape)[0] == 1 else rows_of(a.indptr, len(a.indices))
    made = object.__new__(a._coo_container)
    vars(made).update(
        coords=(along.astype(a.indices.dtype, copy=False),),
        data=a.data,
        _shape=(max(a.shape),) if 0 not in a.shape else (0,),
        has_canonical_format=False,
        maxprint=a.maxprint,
    )
    return made


def element(a, row, column):
    """The value at a place, with duplicates added up; waits for the device once."""
    begin, end = a.indptr[row : row + 2].tolist()
    values = numpy.where(a.indices[begin:end] == column, a.data[begin:end], a.dtype.type(0))
    return values.sum(dtype=a.dtype)
