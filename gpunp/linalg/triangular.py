"""Triangular systems, LU factors in LAPACK's form and symmetric indefinite factors, of stacks of matrices.

Arrays are contiguous stacks (batch, rows, columns) of float32, float64, complex64 or complex128.
"""

import numpy

from gpunp.array import layout, transfer
from gpunp.linalg import engine, factorizations, factors
from gpunp.linalg.factorizations import adjusted

I4 = numpy.dtype(numpy.int32)


def _empty(a, *shape, dtype=None):
    return layout.empty((len(a), *shape), a.dtype if dtype is None else dtype, "C", a.device)


def _panels(a):
    """The module that solves large real triangular systems by blocks, or None."""
    if a.device.is_cpu:
        return None
    from gpunp.linalg import panel_systems

    return panel_systems if panel_systems.takes(a) else None


def _library(a):
    if a.device.is_cpu:
        raise ValueError(f"triangular systems of {a.shape[-2:]} are too large for the kernels; use LAPACK")
    from gpunp.linalg import cublas

    return cublas


def solve(a, b, upper, op=0, unit=False, report=None):
    """Solve op(a) @ x = b for every matrix.

    Parameters
    ----------
    a : ndarray, shape (batch, n, n)
        Only one triangle is read.
    b : ndarray, shape (batch, n, sides)
    upper : bool
        Which triangle.
    op : {0, 1, 2}
        a itself, its transpose, or its adjoint.
    unit : bool
        Whether ones take the place of the diagonal.
    report : str, optional
        The function for which a zero on the diagonal is reported.
    """
    n, sides = b.shape[-2:]
    if b.size == 0:
        return _empty(b, n, sides)
    if op == 2 and a.dtype.kind != "c":
        op = 1
    if engine.takes("triangular", a, sides):
        flags = (engine.UPPER if upper else 0) | (engine.UNIT if unit else 0)
        flags |= (0, engine.TRANSPOSED, engine.ADJOINT)[op]
        x = _empty(b, n, sides)
        engine.run("triangular", a, b, out=x, sides=sides, flags=flags, report=report is not None)
        return x
    x = layout.converted(b, order="C")
    panels = _panels(a)
    if panels:
        if op and not upper:
            a, upper, op = adjusted(a), True, 0
        panels.triangular(a, x, upper, bool(op), unit)
    else:
        places = None
        if len(a) > 1:
            steps = numpy.arange(len(a), dtype=numpy.int64, like=a)[:, None]
            places = steps * numpy.array([part[0].nbytes for part in (a, x)])
            places += numpy.array([transfer.data_pointer(part) for part in (a, x)])
            places = layout.converted(places.T, order="C")
        _library(a).triangular(a, x, upper, op, unit, places)
    if report is not None and not unit:
        zeros = numpy.linalg.diagonal(a) == 0
        engine.report_info(layout.converted(zeros, I4, order="C"), engine.SINGULAR, report)
    return x


def lu(a):
    """LU factors with partial pivoting, packed as by LAPACK, and its row exchanges, counted from 0."""
    m, n = a.shape[-2:]
    swaps = _empty(a, min(m, n), dtype=I4)
    if a.size == 0:
        return _empty(a, m, n), swaps
    if engine.takes("factor", a):
        packed = _empty(a, m, n)
        engine.run("factor", a, out=packed, second=swaps, report=False)
        return packed, swaps
    panels = _panels(a) if m == n and factorizations._panels(a) else None
    info = layout.zeros((len(a),), I4, device=a.device)
    if panels:
        packed = _empty(a, m, n)
        panels.lu(layout.converted(a, order="C"), info, packed, swaps)
        return packed, swaps
    columns, pivots = adjusted(a), _empty(a, min(m, n), dtype=numpy.dtype(numpy.int64))
    factorizations._library(a, "lu_factor").getrf(columns, pivots, info)
    return adjusted(columns), layout.converted(pivots - 1, I4, order="C")


def row_order(swaps, rows):
    """Which row ends at each place after LAPACK's exchanges, of shape (batch, rows)."""
    order = _empty(swaps, rows, dtype=I4)
    if order.size:
        factors.order_of_swaps(swaps, order)
    return order


def lu_solve(packed, swaps, b, op=0):
    """Solve op(A) @ x = b with the LU factors of A; see `solve`."""
    order = row_order(swaps, packed.shape[-1])[:, :, None]
    if op == 0:
        x = numpy.take_along_axis(b, order, axis=1)
        x = solve(packed, layout.converted(x, order="C"), upper=False, unit=True)
        return solve(packed, x, upper=True)
    x = solve(packed, b, upper=True, op=op)
    x = solve(packed, x, upper=False, op=op, unit=True)
    return numpy.take_along_axis(x, numpy.argsort(order, axis=1), axis=1)


def ldl(a, hermitian):
    """Symmetric indefinite factors of matrices whose lower triangles are read: P A P^T = L D L^H.

    Returns
    -------
    l : ndarray, shape (batch, n, n)
        With ones on the diagonal and zeros above.
    diagonal, below : ndarray, shape (batch, n)
        Of D, which has blocks of one or two rows.
    order : ndarray of int32, shape (batch, n)
        Row i of P A is row ``order[i]`` of A.
    """
    n = a.shape[-1]
    work = layout.converted(a, order="C")
    diagonal, below, order = _empty(a, n), _empty(a, n), _empty(a, n, dtype=I4)
    factors.ldl(work, diagonal, below, order, _empty(a, 2 * n), hermitian)
    return numpy.tril(work, -1) + numpy.eye(n, dtype=a.dtype, like=a), diagonal, below, order
