"""QR factorization with column pivoting, a column after another for all matrices of a stack."""

import numpy

from gpunp.array import layout
from gpunp.linalg.triangular import I4
from gpunp_scipy.linalg.calls import eps_of
from gpunp_scipy.linalg.reflectors import reflector


def pivoted_qr(a):
    """Packed factors, tau and the order of the columns, as by LAPACK's geqp3.

    Columns are chosen by the norms of what is left of them. Norms are updated, and computed anew where the
    update lost its digits: then for all columns, as the device does not ask the host. The host never waits.

    Parameters
    ----------
    a : ndarray, shape (batch, m, n)

    Returns
    -------
    packed : ndarray, shape (batch, m, n)
    tau : ndarray, shape (batch, min(m, n))
    order : ndarray of int32, shape (batch, n)
    """
    batch, m, n = a.shape
    k = min(m, n)
    work = layout.converted(a, order="C")
    tau = layout.empty((batch, k), a.dtype, "C", a.device)
    order = layout.zeros((batch, n), I4, device=a.device)
    order[...] = numpy.arange(n, dtype=I4, like=a)
    norms = numpy.linalg.norm(work, axis=1)
    safe = norms.copy()
    least = eps_of(norms) ** 0.5
    for i in range(k):
        _bring(work, order, norms, safe, i)
        v, tau[:, i], first = reflector(work[:, i:, i])
        part = work[:, i:, i + 1 :]
        dots = numpy.conjugate(v)[:, None, :] @ part
        part -= (numpy.conjugate(tau[:, i, None]) * v)[:, :, None] * dots
        work[:, i + 1 :, i] = v[:, 1:]
        work[:, i, i] = first
        if i + 1 < n:
            _update(work, norms, safe, i, least)
    return work, tau, order


def _bring(work, order, norms, safe, i):
    """Exchange column i with the one of the largest norm from there on."""
    batch, _, n = work.shape
    here = numpy.full((batch, 1), i, dtype=numpy.int64, like=work)
    there = numpy.argmax(norms[:, i:], axis=1)[:, None] + i
    places = numpy.broadcast_to(numpy.arange(n, dtype=numpy.int64, like=work), (batch, n))
    places = numpy.where(places == there, here, numpy.where(places == here, there, places))
    for rows in (order, norms, safe):
        rows[...] = numpy.take_along_axis(rows, places, axis=1)
    pair = numpy.concatenate([here, there], axis=1)[:, None, :]
    columns = numpy.take_along_axis(work, pair, axis=2)
    # If both are the same column, it is written twice with the same values.
    numpy.put_along_axis(work, pair[:, :, ::-1], columns, axis=2)


def _update(work, norms, safe, i, least):
    """Norms of the rows below i, from those from i on, as in LAPACK's laqp2 (Drmac and Bujanovic)."""
    old, exact = norms[:, i + 1 :], safe[:, i + 1 :]
    one = norms.dtype.type(1)
    ratio = numpy.abs(work[:, i, i + 1 :]) / numpy.where(old > 0, old, one)
    left = numpy.maximum(one - ratio * ratio, norms.dtype.type(0))
    lost = left * (old / numpy.where(exact > 0, exact, one)) ** 2 <= least
    anew = numpy.linalg.norm(work[:, i + 1 :, i + 1 :], axis=1)
    old[...] = numpy.where(lost, anew, old * numpy.sqrt(left))
    exact[...] = numpy.where(lost, anew, exact)
