"""Factorizations of stacks: our kernels for small matrices and panels of large ones, cuSOLVER for the rest.

Arrays are contiguous stacks (batch, rows, columns) of float32, float64, complex64 or complex128. The kernels
for small matrices run on every device.
"""

import math

import numpy

from gpunp.array import layout, transfer
from gpunp.dispatch.policy import config
from gpunp.linalg import engine
from gpunp.linalg.lapack import F4, F8, real_dtype


def stacked(a):
    """A C-contiguous (batch, m, n) array: a view if possible, otherwise a copy."""
    flat = a.reshape((math.prod(a.shape[:-2]), *a.shape[-2:]))
    return flat if flat.flags.c_contiguous else layout.converted(flat, order="C")


def _like(a, *shape, dtype=None):
    return layout.empty((len(a), *shape), numpy.dtype(a.dtype if dtype is None else dtype), "C", a.device)


def adjusted(a, conjugate=False):
    """A contiguous copy of the transposed matrices, or of their adjoints if ``conjugate``."""
    copied = layout.converted(a.mT, order="C")
    return numpy.conjugate(copied, out=copied) if conjugate and copied.dtype.kind == "c" else copied


def _library(a, name):
    if a.device.is_cpu:
        raise ValueError(f"{name}: matrices of {a.shape[-2:]} are too large for the kernels; use LAPACK")
    from gpunp.linalg import cusolver

    return cusolver


def _panels(a):
    """The module that factors large matrices by panels, or None if a panel does not fit a cluster."""
    if a.device.is_cpu:
        return None
    from gpunp.linalg import panels

    return panels if panels.takes(a) else None


def _blocks(a):
    """The module that factors large symmetric matrices by blocks, or None where cuSOLVER is faster."""
    if a.device.is_cpu or a.dtype.kind == "c":
        return None
    from gpunp.linalg import panels

    return panels if panels.takes_blocks(a) else None


def _grid(a):
    """The modules for a symmetric matrix that fits the registers of the whole GPU, or None."""
    if a.device.is_cpu:
        return None
    from gpunp.linalg import panels, tridiagonal

    return (panels, tridiagonal) if tridiagonal.grid_takes(a) and panels.takes(a) else None


def _beside(a, b):
    """A copy of the matrices, with the matrices of b (or identities) appended on the right."""
    n = a.shape[-1]
    both = _like(a, a.shape[-2], n + (n if b is None else b.shape[-1]))
    both[..., :n] = a
    both[..., n:] = numpy.eye(n, dtype=a.dtype, like=a) if b is None else b
    return both


def solve(a, b, report=True):
    """Solve a @ x = b for every matrix; None for b is the identity."""
    n = a.shape[-1]
    sides = n if b is None else b.shape[-1]
    x = _like(a, n, sides)
    if x.size == 0:
        return x
    if engine.takes("solve", a, sides):
        engine.run("solve", a, b, out=x, sides=sides, report=report)
        return x
    panels = _panels(a)
    if panels:
        both, info = _beside(a, b), layout.zeros((len(a),), numpy.dtype(numpy.int32), device=a.device)
        panels.solve(both, info)
        if report:
            engine.report_info(info, engine.SINGULAR, "inv" if b is None else "solve")
        return layout.converted(both[..., n:], order="C")
    library = _library(a, "solve")
    # cuSOLVER reads a in column-major order, as its transpose, and getrs solves with the transpose of that.
    factors, info = layout.converted(a, order="C"), _like(a, dtype=numpy.int32)
    pivots = _like(a, n, dtype=numpy.int64)
    library.getrf(factors, pivots, info)
    if b is None:
        columns = _like(a, n, n)
        columns[...] = numpy.eye(n, dtype=a.dtype, like=a)
    else:
        columns = adjusted(b)
    library.getrs(factors, pivots, columns)
    if report:
        engine.report_info(info, engine.SINGULAR, "inv" if b is None else "solve")
    return adjusted(columns)


def sign_and_logarithm(a):
    """Sign (or phase) and logarithm of the absolute value of every determinant."""
    n = a.shape[-1]
    real = real_dtype(a.dtype)
    if n == 0:
        ones = _like(a)
        ones[...] = 1
        return ones, layout.zeros((len(a),), real, device=a.device)
    if engine.takes("solve", a):
        sign, logarithm = _like(a), _like(a, dtype=real)
        engine.run("solve", a, out=sign, second=logarithm, flags=engine.DETERMINANT)
        return sign, logarithm
    panels = _panels(a)
    if panels:
        sign, logarithm = _like(a), _like(a)
        panels.determinant(layout.converted(a, order="C"), sign, logarithm)
        return sign, logarithm
    factors, info = layout.converted(a, order="C"), _like(a, dtype=numpy.int32)
    pivots = _like(a, n, dtype=numpy.int64)
    _library(a, "slogdet").getrf(factors, pivots, info)
    diagonal = numpy.linalg.diagonal(factors)
    swaps = numpy.count_nonzero(pivots != numpy.arange(1, n + 1, like=a), axis=-1)
    sizes = numpy.abs(diagonal)
    # Like numpy.sign, a zero on the diagonal gives sign zero.
    sign = numpy.prod(numpy.sign(diagonal), axis=-1) * (1 - 2 * (swaps % 2)).astype(real)
    return sign.astype(a.dtype), numpy.sum(numpy.log(sizes), axis=-1)


def cholesky(a, upper=False):
    """The lower Cholesky factor, or the upper one."""
    n = a.shape[-1]
    if a.size == 0:
        return _like(a, n, n)
    if engine.takes("cholesky", a):
        out = _like(a, n, n)
        engine.run("cholesky", a, out=out, flags=engine.UPPER if upper else 0)
        return out
    # cuSOLVER reads in column-major order, hence the transpose; its lower variant is much faster.
    factors = layout.converted(a if upper else a.mT, order="C")
    info = layout.zeros((len(a),), numpy.dtype(numpy.int32), device=a.device)
    blocks = _blocks(a)
    if blocks:
        blocks.cholesky(factors, info)
    elif engine.is_batched(a):
        step = n * n * a.dtype.itemsize
        places = numpy.arange(len(a), dtype=numpy.int64, like=a) * step + transfer.data_pointer(factors)
        _library(a, "cholesky").potrf_stack(factors, info, places, upper=False)
    else:
        _library(a, "cholesky").potrf(factors, info, upper=False)
    engine.report_info(info, engine.NOT_POSITIVE_DEFINITE, "cholesky")
    return numpy.triu(factors) if upper else numpy.tril(adjusted(factors))


def qr(a, columns):
    """LAPACK's packed factors, tau, and Q with ``columns`` columns (None if that is 0)."""
    m, n = a.shape[-2:]
    steps = min(m, n)
    if engine.takes("qr", a, columns):
        packed, tau = _like(a, m, n), _like(a, steps)
        q = _like(a, m, columns) if columns else None
        engine.run("qr", a, out=packed, second=tau, third=q, sides=columns)
        return packed, tau, q
    panels = _panels(a)
    if panels:
        packed, tau, q = layout.converted(a, order="C"), _like(a, steps), None
        if columns:
            q = _like(a, m, columns)
            q[...] = numpy.eye(m, columns, dtype=a.dtype, like=a)
        panels.qr(packed, n, tau, q)
        return packed, tau, q
    library = _library(a, "qr")
    factors, tau = adjusted(a), _like(a, steps)
    library.geqrf(factors, tau)
    packed, q = adjusted(factors), None
    if columns:
        reflectors = _like(a, columns, m)
        reflectors[:, :steps] = factors[:, :steps]
        library.orgqr(reflectors, tau)
        q = adjusted(reflectors)
    return packed, tau, q


def triangle(a, b):
    """R of the QR factorization of tall matrices, and the first rows of Q^H @ b."""
    n = a.shape[-1]
    if engine.takes("qr", a, n):
        packed, _, q = qr(a, n)
        q = numpy.conjugate(q) if q.dtype.kind == "c" else q
        return numpy.triu(packed[:, :n]), numpy.matmul(q.mT, b)
    panels = _panels(a)
    if panels:
        both, tau = _beside(a, b), _like(a, n)
        panels.qr(both, n, tau)
        return numpy.triu(both[:, :n, :n]), layout.converted(both[:, :n, n:], order="C")
    library = _library(a, "qr")
    factors, tau, columns = adjusted(a), _like(a, n), adjusted(b)
    library.geqrf(factors, tau)
    if columns.size:
        library.ormqr(factors, tau, columns)
    return numpy.triu(adjusted(factors[:, :, :n])), adjusted(columns[:, :, :n])


def eigh(a, upper, vectors):
    """Ascending eigenvalues of Hermitian matrices; eigenvectors, or None unless ``vectors``."""
    n = a.shape[-1]
    values = _like(a, n, dtype=real_dtype(a.dtype))
    if a.size == 0:
        return values, _like(a, n, n) if vectors else None
    flags = (engine.UPPER if upper else 0) | (engine.VECTORS if vectors else 0)
    if engine.takes("eigh", a, 0, flags):
        out = _like(a, n, n) if vectors else None
        engine.run("eigh", a, out=out, values=values, flags=flags)
        return values, out
    if len(a) == 1 and not vectors and a.dtype.kind == "f":
        half = numpy.triu(a).mT if upper else numpy.tril(a)
        found = _by_bisection((half + numpy.tril(half, -1).mT).astype(F8))
        if found is not None:
            return found.astype(a.dtype), None
    if len(a) == 1 and a.dtype == F4:
        found = _by_grid(a[0], upper, vectors)
        if found is not None:
            return found
    factors, info = layout.converted(a, order="C"), _like(a, dtype=numpy.int32)
    library = _library(a, "eigh")
    find = library.syevd if len(a) == 1 else library.syev_batched
    find(factors, values, info, not upper, vectors)
    engine.report_info(info, engine.EIGENVALUES, "eigh")
    # Read in column-major order a Hermitian matrix is its conjugate, and so are its eigenvectors.
    return values, adjusted(factors, conjugate=True) if vectors else None


# Smallest gap between eigenvalues of a tridiagonal matrix, relative to the largest, with which the computed
# eigenvectors are orthogonal (APART), or so nearly that Newton steps repair them (CLOSE).
APART, CLOSE = 1e-9, 3e-13


def _by_grid(a, upper, vectors):
    """`eigh` of one matrix in the registers of the GPU; None if it does not fit or eigenvalues are too close.

    With ``vectors``, waits for the smallest gap between eigenvalues.
    """
    modules = _grid(a)
    if modules is None:
        return None
    panels, tridiagonal = modules
    n = len(a)
    half = numpy.triu(a).mT if upper else numpy.tril(a)
    whole = half + numpy.tril(half, -1).mT
    exponent = numpy.frexp(numpy.max(numpy.abs(whole)))[1]
    whole = layout.converted(numpy.ldexp(whole, -exponent), order="C")
    exchange = numpy.full((n, -(-n // 4) * 4), -1, dtype=numpy.int64, like=a)
    reflectors, tau = layout.zeros((1, n, n), F4, device=a.device), layout.zeros((1, n), F4, device=a.device)
    diagonal, beside, values = (layout.empty((n,), F8, "C", a.device) for _ in range(3))
    tridiagonal.grid_form(whole, exchange, reflectors, tau, diagonal, beside, values)
    if not vectors:
        return numpy.ldexp(values, exponent).astype(F4)[None], None
    least = numpy.min(values[1:] - values[:-1]) / numpy.max(numpy.abs(values))
    least = least.item()
    if not least > CLOSE:
        return None
    found = layout.empty((1, n, n), F4, "C", a.device)
    tridiagonal.vectors(diagonal, beside, values, layout.empty((2, n, n), F8, "C", a.device), found[0])
    if least < APART:
        found = orthogonalised(orthogonalised(found))
    panels.reflect(reflectors[:, : n - 2], tau, found)
    return numpy.ldexp(values, exponent).astype(F4)[None], found


def orthogonalised(a):
    """One Newton step toward orthonormal columns; it squares the deviation from orthonormality."""
    half = a.dtype.type(0.5)
    with config.using(matmul_precision="ieee"):
        return a + half * (a - numpy.matmul(a, numpy.matmul(a.mT, a)))


def _by_bisection(a):
    """Ascending eigenvalues of one symmetric float64 matrix; None if it does not fit a cluster of blocks."""
    if a.device.is_cpu:
        return None
    from gpunp.linalg import tridiagonal

    if not tridiagonal.takes(a):
        return None
    values = _like(a, a.shape[-1])
    tridiagonal.eigenvalues(a[0], values[0])
    return values


def svd(a, full, vectors):
    """U, descending singular values, and V^H; or None, values, None."""
    m, n = a.shape[-2:]
    least, most = min(m, n), max(m, n)
    values = _like(a, least, dtype=real_dtype(a.dtype))
    flags = (engine.FULL if full else 0) | (engine.VECTORS if vectors else 0)
    columns = most if full else least
    if engine.takes("svd", a, 0, flags):
        left = _like(a, m, columns if m >= n else m) if vectors else None
        right = _like(a, columns if m < n else n, n) if vectors else None
        engine.run("svd", a, out=left, second=right, values=values, flags=flags)
        return left, values, right
    if a.dtype == F4 and _panels(a if m >= n else a.mT):
        return _svd_by_squares(a, full, vectors)
    library = _library(a, "svd")
    # cuSOLVER takes tall matrices in column-major order; a wide row-major matrix already is its transpose.
    tall = adjusted(a) if m >= n else layout.converted(a, order="C")
    info = _like(a, dtype=numpy.int32)
    full = full and vectors
    u, v = _like(a, most if full else least, most), _like(a, least, least)
    if library.gesvdp(tall, values, u, v, info, full):
        # The polar decomposition perturbed a nearly singular matrix: small singular values would be wrong.
        tall = adjusted(a) if m >= n else layout.converted(a, order="C")
        library.gesvd(tall, values, u, v, info, full)
        v = adjusted(v, conjugate=True)
    engine.report_info(info, engine.SINGULAR_VALUES, "svd")
    if not vectors:
        return None, values, None
    if m >= n:
        return adjusted(u), values, numpy.conjugate(v) if v.dtype.kind == "c" else v
    return adjusted(v, conjugate=True), values, u


def _svd_by_squares(a, full, vectors):
    """`svd` in single precision from the eigenvalues of A^T A in double precision.

    An error of 2^-53 of the largest square is an error of at most 2^-26 of the largest singular value, and of
    far less for every singular value that single precision distinguishes from zero.
    """
    m, n = a.shape[-2:]
    if m < n:
        u, values, vh = _svd_by_squares(a.mT, full, vectors)
        return (vh.mT, values, u.mT) if vectors else (None, values, None)
    wide = layout.converted(a, F8, order="C")
    products = numpy.matmul(wide.mT, wide)
    if not vectors:
        return None, roots_of_squares(products), None
    squares, v = eigh(products, upper=False, vectors=True)
    values, v = _roots(squares), v[..., ::-1]
    # The columns of A V are orthogonal, but only nearly so for small singular values; QR orthogonalizes them.
    packed, _, u = qr(stacked(numpy.matmul(wide, v).astype(F4)), m if full else n)
    signs = numpy.copysign(numpy.float32(1), numpy.linalg.diagonal(packed))
    u[..., :n] *= signs[..., None, :]
    return u, values, v.mT.astype(F4, order="C")


def _roots(squares):
    return numpy.sqrt(numpy.maximum(squares[..., ::-1], 0.0)).astype(F4)


def roots_of_squares(products):
    """Descending singular values in single precision, from A^T A in double precision."""
    values = None
    if len(products) == 1 and products.shape[-1] > engine.LIMIT:
        values = _by_bisection(products)
    return _roots(eigh(products, upper=False, vectors=False)[0] if values is None else values)


def eig(a, vectors):
    """Complex eigenvalues of general matrices; eigenvectors, or None unless ``vectors``."""
    n = a.shape[-1]
    dtype = a.dtype if a.dtype.kind == "c" else numpy.dtype("D" if a.dtype == F8 else "F")
    values = _like(a, n, dtype=dtype)
    if a.size == 0:
        return values, _like(a, n, n, dtype=dtype) if vectors else None
    from gpunp.linalg import cusolver

    info = _like(a, dtype=numpy.int32)
    # Row j of the result is eigenvector j.
    rows = _like(a, n, n) if vectors else None
    cusolver.geev(adjusted(a), values, rows, info)
    engine.report_info(info, engine.EIGENVALUES, "eig")
    if not vectors:
        return values, None
    if a.dtype.kind != "c":
        rows = _unpacked(rows, values)
    return values, adjusted(rows)


def _unpacked(rows, values):
    """Complex eigenvectors from LAPACK's packing: a conjugate pair is a real row, then an imaginary row."""
    imaginary = values.imag[..., None]
    first, second = imaginary > 0, imaginary < 0
    found = layout.empty(rows.shape, values.dtype, "C", rows.device)
    found.real[...] = numpy.where(second, numpy.roll(rows, 1, axis=-2), rows)
    parts = numpy.where(second, -rows, numpy.roll(rows, -1, axis=-2))
    found.imag[...] = numpy.where(first | second, parts, rows.dtype.type(0))
    return found
