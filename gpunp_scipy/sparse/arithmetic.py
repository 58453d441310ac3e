"""What `scipy.sparse` calls for sums, products and comparisons of two compressed arrays."""

import functools

import numpy

import gpunp
from gpunp_scipy.sparse.segments import expanded, pointers, rows_of, starts_of_runs


def _divide(a, b):
    """Quotients; of integers as in C, where division by zero gives 0. Complex ones are by SciPy's formula."""
    if a.dtype.kind == "c":
        with numpy.errstate(all="ignore"):
            scale = 1 / (b.real * b.real + b.imag * b.imag)
            quotient = numpy.empty_like(a)
            quotient.real = (a.real * b.real + a.imag * b.imag) * scale
            quotient.imag = (a.imag * b.real - a.real * b.imag) * scale
        return quotient
    if a.dtype.kind == "f":
        with numpy.errstate(all="ignore"):
            return a / b
    whole = abs(a) // numpy.where(b == 0, b.dtype.type(1), abs(b))
    return numpy.where(b == 0, a.dtype.type(0), numpy.sign(a) * numpy.sign(b) * whole)


def _multiply(a, b):
    with numpy.errstate(all="ignore"):
        return a * b


def _subtract(a, b):
    return a ^ b if a.dtype.kind == "b" else a - b


def _less(a, b):
    """The order of SciPy's merges: complex numbers compare by their parts, and NaN is never less."""
    if a.dtype.kind == "c":
        return numpy.where(a.real == b.real, a.imag < b.imag, a.real < b.real)
    return a < b


OPERATIONS = {
    "plus": numpy.add,
    "minus": _subtract,
    "elmul": _multiply,
    "eldiv": _divide,
    "maximum": lambda a, b: numpy.where(_less(a, b), b, a),
    "minimum": lambda a, b: numpy.where(_less(b, a), b, a),
    "ne": numpy.not_equal,
    "lt": _less,
    "gt": lambda a, b: _less(b, a),
    "le": numpy.less_equal,
    "ge": numpy.greater_equal,
}


def joined(keys_a, keys_b):
    """The places of two arrays' entries in their union.

    Returns
    -------
    order : ndarray
        Sorts the entries of both, those of the first array before those of the second, by key.
    starts : ndarray
        Where each key starts in that order.
    keys : ndarray
        The distinct keys, sorted.
    """
    keys = numpy.concatenate((keys_a, keys_b))
    order = numpy.argsort(keys, kind="stable")
    keys = keys[order]
    starts = numpy.flatnonzero(starts_of_runs(keys))
    return order, starts, keys[starts]


def side(values, others, order, starts, dtype, *, first):
    """The sums of one array's values for each key; 0 where it has none."""
    blank = gpunp.zeros((others, *values.shape[1:]), dtype)
    values = values.astype(dtype, copy=False)
    values = numpy.concatenate((values, blank) if first else (blank, values))[order]
    return numpy.add.reduceat(values, starts, dtype=dtype)


def _binary(operation, n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    """Apply an operation to the entries of the union of two arrays, and store what is not zero."""
    if not len(Aj) + len(Bj):
        Cp[:] = 0
        return
    keys_a = rows_of(Ap, len(Aj)) * n_col + Aj
    keys_b = rows_of(Bp, len(Bj)) * n_col + Bj
    order, starts, keys = joined(keys_a, keys_b)
    dtype = numpy.result_type(Ax.dtype, Bx.dtype)
    a = side(Ax[: len(Aj)], len(Bj), order, starts, dtype, first=True)
    b = side(Bx[: len(Bj)], len(Aj), order, starts, dtype, first=False)
    _store(operation(a, b), keys, n_row, n_col, Cp, Cj, Cx)


def _store(values, keys, n_row, n_col, Cp, Cj, Cx):
    """Write the values that are not zero as a compressed array; keys are row * n_col + column, sorted."""
    kept = numpy.flatnonzero(values != 0)
    keys = keys[kept]
    Cp[:] = pointers(keys // n_col, n_row)
    Cj[: len(kept)] = keys % n_col
    Cx[: len(kept)] = values[kept]


def operations():
    """The functions ``csr_plus_csr`` and so on, by name."""
    return {f"csr_{name}_csr": functools.partial(_binary, function) for name, function in OPERATIONS.items()}


def csr_matmat_maxnnz(n_row, n_col, Ap, Aj, Bp, Bj):
    """How many products of entries a matrix product has: no fewer than the entries of its result."""
    return int((Bp[Aj + 1] - Bp[Aj]).sum(dtype="i8")) if len(Aj) else 0


def products(n_col, Ap, Aj, Bp, Bj):
    """The products of the entries of two arrays, sorted by their place in the matrix product.

    Returns
    -------
    entry, other : ndarray
        The entries of either array that are multiplied.
    starts : ndarray
        Where the products of each place start.
    keys : ndarray
        The places, as row * n_col + column.
    """
    entry, other, _ = expanded(Bp[Aj], Bp[Aj + 1] - Bp[Aj])
    keys = rows_of(Ap, len(Aj))[entry] * n_col + Bj[other]
    order = numpy.argsort(keys, kind="stable")
    keys = keys[order]
    starts = numpy.flatnonzero(starts_of_runs(keys))
    return entry[order], other[order], starts, keys[starts]


def csr_matmat(n_row, n_col, Ap, Aj, Ax, Bp, Bj, Bx, Cp, Cj, Cx):
    """Multiply two arrays: all products of entries are sorted by place and added up. Rows get sorted.

    Sums that are zero are not stored.
    """
    entry, other, starts, keys = products(n_col, Ap, Aj, Bp, Bj)
    values = Ax[entry].astype(Cx.dtype, copy=False) * Bx[other]
    if not len(keys):
        Cp[:] = 0
        return
    total = numpy.add.reduceat(values, starts, dtype=Cx.dtype)
    _store(total, keys, n_row, n_col, Cp, Cj, Cx)
