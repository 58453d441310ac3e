"""The matrix exponential, its derivative, and trigonometric and hyperbolic functions of matrices.

The exponential is a Taylor polynomial of degree 18 in five products, by P. Bader, S. Blanes and F. Casas,
"Computing the matrix exponential with an optimized Taylor polynomial approximation", Mathematics 7 (2019)
1174, with scaling and squaring. No system is solved, and products are what a GPU does best.
"""

import numpy

from gpunp.array import layout
from gpunp.dispatch.policy import config
from gpunp.linalg.lapack import C8, C16, F4, F8, to_dtype
from gpunp_scipy.linalg.calls import (
    arrays_of,
    contiguous,
    eps_of,
    in_lapack_dtype,
    linalg,
    over_batch,
    real_of,
)
from gpunp_scipy.linalg.systems import solve

# Rows: coefficients of A, A^2, A^3 and A^6 in the five polynomials of the method; then those of the identity
# in the second and third.
_POWERS = (
    (-0.10036558103014462001, -0.0080292464824115696, -0.00089213849804572995, 0.0),
    (0.39784974949964507614, 1.36783778460411719922, 0.49828962252538267755, -0.0006378981945947233),
    (1.68015813878906197182, 0.05717798464788655127, -0.00698210122488052084, 0.00003349750170860705),
    (-0.06764045190713819075, 0.0675961301770459646, 0.02955525704293155274, -0.00001391802575160607),
    (0.0, -0.09233646193671185927, -0.01693649390020817171, -0.00001400867981820361),
)
_CONSTANTS = (-10.9676396052962062593, -0.09043168323908105619)
# The largest norm for which the polynomial's backward error is below the spacing at one: table 2 of the
# paper.
_SINGLE, _DOUBLE = 3.01, 1.09


def _norms(powers):
    """The 1-norms of A, A^2 and A^3 on the host, which wait for the device."""
    return numpy.abs(powers).sum(axis=-2).max(axis=-1).get()


def _squarings(norms, limit):
    """How often each matrix is halved.

    As by A. Al-Mohy and N. Higham (2009), the norms of powers stand for that of the matrix where they are
    smaller: the remainder has powers from the nineteenth on, all of which are products of squares and cubes.
    """
    size = numpy.minimum(norms[0], numpy.maximum(norms[1] ** 0.5, norms[2] ** (1 / 3)))
    count = numpy.ceil(numpy.log2(size / limit))
    return numpy.where(numpy.isfinite(count), numpy.maximum(count, 0), 0).astype(int)


def _halved(powers, counts):
    """The powers of the matrices divided by two as often as they are halved."""
    scales = numpy.ldexp(1.0, -counts[None, :] * numpy.array([1, 2, 3])[:, None])
    if (counts == counts[0]).all():
        for i, scale in enumerate(scales[:, 0].tolist()):
            powers[i] *= scale
    else:
        powers *= scales.astype(real_of(powers.dtype))[:, :, None, None]


def _fill_powers(a, powers):
    powers[0] = a
    numpy.matmul(a, a, out=powers[1])
    numpy.matmul(a, powers[1], out=powers[2])


@numpy.errstate(all="ignore")
def exponential(a):
    """The exponentials of a contiguous stack (batch, n, n); waits for the norms."""
    batch, n = a.shape[:2]
    powers = layout.empty((4, batch, n, n), a.dtype, "C", a.device)
    with config.using(matmul_precision="ieee"):
        _fill_powers(a, powers)
        norms = _norms(powers[:3])
        if numpy.isinf(norms[1:]).any():
            # The norms of the matrices themselves decide, as their powers overflow.
            norms[1:] = numpy.inf
        counts = _squarings(norms, _SINGLE if a.dtype in (F4, C8) else _DOUBLE)
        if numpy.isfinite(norms).all():
            if counts.any():
                _halved(powers[:3], counts)
        else:
            scales = numpy.ldexp(1.0, -counts).astype(real_of(a.dtype))
            _fill_powers(a * scales[:, None, None], powers)
        found = _polynomial(powers)
        for step in range(counts.max(initial=0)):
            square = numpy.matmul(found, found)
            if (counts > step).all():
                found = square
            else:
                found = numpy.where((counts > step)[:, None, None], square, found)
    return found


def _polynomial(powers):
    """The Taylor polynomial, from the powers 1 to 3; the fourth matrix is overwritten."""
    numpy.matmul(powers[2], powers[2], out=powers[3])
    shape = powers.shape[1:]
    weights = numpy.array(_POWERS, powers.dtype)
    parts = numpy.reshape(numpy.asarray(weights, like=powers) @ powers.reshape(4, -1), (5, *shape))
    for i, constant in zip((2, 3), _CONSTANTS, strict=True):
        numpy.einsum("bii->bi", parts[i])[...] += constant
    ninth = numpy.matmul(parts[0], parts[4]) + parts[3]
    return numpy.matmul(parts[2] + ninth, ninth) + parts[1]


def square_matrix(A):
    """Return the array of an argument that must be one square matrix."""
    A = arrays_of(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError("expected square array_like input")
    return A


@linalg
def expm(A):
    """Matrix exponential; see `scipy.linalg.expm`.

    By a Taylor polynomial of degree 18 with scaling and squaring, on a GPU. Waits for the norms of the
    matrices.
    """
    a = arrays_of(A)
    if a.size == 1 and a.ndim < 2:
        return numpy.exp(in_lapack_dtype(a, small=F8)).reshape(1, 1)
    if a.ndim < 2:
        raise numpy.linalg.LinAlgError("The input array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if a.shape[-1] == 1 and a.size:
        # The dtype is that of `numpy.exp`, as SciPy's.
        return numpy.exp(a)
    a = in_lapack_dtype(a, small=F8)
    if a.size == 0:
        return layout.empty_like(a)
    return exponential(contiguous(a)).reshape(a.shape)


def maybe_real(a, found, tolerance=None):
    """The real part of a function of a real matrix if the imaginary one is small; waits for that."""
    if a.dtype.kind == "c" or found.dtype.kind != "c":
        return found
    if tolerance is None:
        tolerance = 1e3 * eps_of(found) if found.dtype == C8 else 1e6 * eps_of(found)
    if bool(numpy.all(numpy.abs(found.imag) <= tolerance)):
        return layout.converted(found.real, order="C")
    return found


def _numbers(a):
    """The matrix in the dtype to compute in; one of a single number keeps its own for `expm`, as in SciPy."""
    return a if a.size == 1 and a.dtype.kind not in "bu" else in_lapack_dtype(a, small=F8)


@linalg
@over_batch(A=2)
def cosm(A):
    """Matrix cosine; see `scipy.linalg.cosm`."""
    A = _numbers(square_matrix(A))
    if A.dtype.kind == "c":
        return 0.5 * (expm(1j * A) + expm(-1j * A))
    return layout.converted(expm(1j * A).real, order="C")


@linalg
@over_batch(A=2)
def sinm(A):
    """Matrix sine; see `scipy.linalg.sinm`."""
    A = _numbers(square_matrix(A))
    if A.dtype.kind == "c":
        return -0.5j * (expm(1j * A) - expm(-1j * A))
    return layout.converted(expm(1j * A).imag, order="C")


@linalg
@over_batch(A=2)
def tanm(A):
    """Matrix tangent; see `scipy.linalg.tanm`."""
    A = _numbers(square_matrix(A))
    return maybe_real(A, solve(cosm(A), sinm(A)))


@linalg
@over_batch(A=2)
def coshm(A):
    """Hyperbolic matrix cosine; see `scipy.linalg.coshm`."""
    A = _numbers(square_matrix(A))
    return maybe_real(A, 0.5 * (expm(A) + expm(-A)))


@linalg
@over_batch(A=2)
def sinhm(A):
    """Hyperbolic matrix sine; see `scipy.linalg.sinhm`."""
    A = _numbers(square_matrix(A))
    return maybe_real(A, 0.5 * (expm(A) - expm(-A)))


@linalg
@over_batch(A=2)
def tanhm(A):
    """Hyperbolic matrix tangent; see `scipy.linalg.tanhm`."""
    A = _numbers(square_matrix(A))
    return maybe_real(A, solve(coshm(A), sinhm(A)))


def _enlarged(a, e):
    """The matrices [[A, E], [0, A]], whose exponentials have the derivatives in the place of E."""
    batch, n = e.shape[:2]
    whole = layout.zeros((batch, 2 * n, 2 * n), e.dtype, device=e.device)
    whole[:, :n, :n] = whole[:, n:, n:] = a
    whole[:, :n, n:] = e
    return whole


@linalg
@over_batch(A=2, E=2)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True):
    """Derivative of the matrix exponential in a direction; see `scipy.linalg.expm_frechet`.

    On a GPU both methods are that of the enlarged matrix.
    """
    A, E = arrays_of(A, E, finite=check_finite)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError("expected A to be a square matrix")
    if E.ndim != 2 or E.shape[0] != E.shape[1]:
        raise ValueError("expected E to be a square matrix")
    if A.shape != E.shape:
        raise ValueError("expected A and E to be the same shape")
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    dtype, real = C16 if "c" in (A.dtype.kind, E.dtype.kind) else F8, A.dtype.kind != "c"
    A, E = to_dtype(A, dtype), to_dtype(E, dtype)
    n = len(A)
    found = exponential(_enlarged(A, E[None]))[0] if n else A
    derivative = layout.converted(found[:n, n:], order="C")
    if not compute_expm:
        return derivative
    power = found[:n, :n]
    return layout.converted(power.real if real else power, order="C"), derivative


@linalg
@over_batch(A=2)
def expm_cond(A, check_finite=True):
    """Relative condition number of the matrix exponential; see `scipy.linalg.expm_cond`.

    By the derivatives in all directions, which need memory for 4 n^4 elements.
    """
    A = arrays_of(A, finite=check_finite)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError("expected a square matrix")
    A = to_dtype(A, C16 if A.dtype.kind == "c" else F8)
    n = len(A)
    directions = numpy.eye(n * n, dtype=A.dtype, like=A).reshape(n * n, n, n)
    found = exponential(_enlarged(A, directions))
    kronecker = found[:, :n, n:].mT.reshape(n * n, n * n)
    size = numpy.linalg.norm(kronecker, 2)
    return size * numpy.linalg.norm(A) / numpy.linalg.norm(found[0, :n, :n])
