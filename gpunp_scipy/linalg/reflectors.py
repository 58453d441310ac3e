"""Householder reflectors, made and applied on the device without waiting for it."""

import numpy

from gpunp.array import layout
from gpunp_scipy.linalg.calls import real_of


def reflector(x):
    """The reflector H = I - tau v v^H for which H^H x is a multiple of the first unit vector.

    Parameters
    ----------
    x : ndarray, shape (..., n)

    Returns
    -------
    v : ndarray, shape (..., n)
        Its first element is one.
    tau : ndarray, shape (...)
        Zero if x already is such a multiple, and real.
    first : ndarray, shape (...)
        The real factor, as in LAPACK of the sign opposite to that of the first element of x.
    """
    alpha, rest = x[..., 0], x[..., 1:]
    real = real_of(x.dtype).type
    # Scaled by the largest element, so that squares neither overflow nor underflow.
    scale = numpy.max(numpy.abs(x), axis=-1)
    scale = numpy.where(scale > 0, scale, real(1))
    squares = numpy.abs(x / scale[..., None]) ** 2
    norm = scale * numpy.sqrt(numpy.sum(squares, axis=-1))
    beta = -numpy.copysign(norm, alpha.real)
    trivial = numpy.all(rest == 0, axis=-1) & (alpha.imag == 0)
    beta = numpy.where(trivial, alpha.real, beta)
    divisor = numpy.where(trivial, real(1), alpha - beta)
    v = layout.empty(x.shape, x.dtype, "C", x.device)
    v[..., 0] = 1
    v[..., 1:] = numpy.where(trivial[..., None], x.dtype.type(0), rest / divisor[..., None])
    safe = numpy.where(trivial, real(1), beta)
    tau = numpy.where(trivial, x.dtype.type(0), (beta - alpha) / safe)
    return v, tau, beta


def product_of_reflectors(packed, tau, columns):
    """The first columns of Q from LAPACK's packed reflectors of a stack, one reflector after another."""
    m, k = packed.shape[-2], tau.shape[-1]
    q = layout.zeros((len(packed), m, columns), packed.dtype, device=packed.device)
    q[...] = numpy.eye(m, columns, dtype=packed.dtype, like=packed)
    for i in reversed(range(k)):
        v = layout.converted(packed[:, i:, i], order="C")
        v[:, 0] = 1
        part = q[:, i:, i:]
        dots = numpy.conjugate(v)[:, None, :] @ part
        part -= (tau[:, i, None] * v)[:, :, None] * dots
    return q
