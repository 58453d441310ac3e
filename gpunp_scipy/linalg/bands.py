"""Band matrices: systems, and Cholesky factors."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import fetched
from gpunp.linalg import factors
from gpunp.linalg.lapack import F8
from gpunp_scipy.linalg.calls import arrays_of, contiguous, in_lapack_dtype, linalg, no_empty_batch


def solve_bands(bands, b, lower, upper, call):
    """Solve stacks of band systems, whose diagonals are in `scipy.linalg.solve_banded`'s form."""
    batch, _, n = bands.shape
    work = layout.zeros((batch, 2 * lower + upper + 1, n), bands.dtype, device=bands.device)
    work[:, lower:] = bands
    x = layout.converted(b, order="C")
    diagonal = layout.empty((batch, n), bands.dtype, "C", bands.device)
    if x.size:
        factors.band_solve(work, x, diagonal, lower, upper, call)
    return x


def _broadcast(name, bands, b):
    """Stacks of bands and of right sides, and the shape of the solutions."""
    vector = b.ndim == 1
    b = b[:, None] if vector else b
    batch = numpy.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
    no_empty_batch(name, batch)
    bands = numpy.broadcast_to(bands, (*batch, *bands.shape[-2:]))
    b = numpy.broadcast_to(b, (*batch, *b.shape[-2:]))
    return contiguous(bands), contiguous(b), b.shape[:-1] if vector else b.shape


def _rows(b):
    return b.shape[-2] if b.ndim > 1 else b.shape[0]


@linalg
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """Solve with a band matrix; see `scipy.linalg.solve_banded`.

    By LU with partial pivoting: on a GPU one block of threads for each matrix, so that single large systems
    take a step after another.
    """
    lower, upper = (fetched(count) for count in l_and_u)
    ab, b = arrays_of(ab, b, finite=check_finite)
    if lower.ndim or upper.ndim:
        return _with_counts(lower, upper, ab, b)
    lower, upper = int(lower), int(upper)
    ab, b = in_lapack_dtype(ab, b, small=F8)
    if ab.shape[-1] != _rows(b):
        raise ValueError("shapes of ab and b are not compatible.")
    if lower + upper + 1 != ab.shape[-2]:
        raise ValueError(
            "invalid values for the number of lower and upper diagonals: l+u+1 "
            f"({lower + upper + 1}) does not equal ab.shape[0] ({ab.shape[-2]})"
        )
    bands, sides, shape = _broadcast("_solve_banded", ab, b)
    return solve_bands(bands, sides, lower, upper, "solve_banded").reshape(shape)


def _with_counts(lower, upper, ab, b):
    """Systems with numbers of diagonals of their own, one after another."""
    vector = b.ndim == 1
    b = b[:, None] if vector else b
    batch = numpy.broadcast_shapes(lower.shape, upper.shape, ab.shape[:-2], b.shape[:-2])
    no_empty_batch("_solve_banded", batch)
    lower, upper = (numpy.broadcast_to(counts, batch) for counts in (lower, upper))
    ab = numpy.broadcast_to(ab, (*batch, *ab.shape[-2:]))
    b = numpy.broadcast_to(b, (*batch, *b.shape[-2:]))
    found = numpy.stack(
        [
            solve_banded((lower[place], upper[place]), ab[place], b[place], check_finite=False)
            for place in numpy.ndindex(batch)
        ]
    ).reshape(b.shape)
    return found[..., 0] if vector else found


def _turned(bands):
    """Lower diagonals from upper ones and the reverse: those of the adjoint."""
    rows, n = bands.shape[-2:]
    across = numpy.arange(n) + numpy.arange(rows)[:, None]
    # In the lower form column j has elements (j + i, j), in the upper form (j - i, j).
    source = numpy.minimum(across, n - 1)
    found = bands[..., numpy.arange(rows)[::-1, None], source]
    return numpy.conjugate(found) if bands.dtype.kind == "c" else found


def _back(bands):
    """The inverse of `_turned`; elements outside the matrix become zero."""
    rows, n = bands.shape[-2:]
    across = numpy.arange(n) - numpy.arange(rows)[::-1, None]
    found = bands[..., numpy.arange(rows)[::-1, None], numpy.maximum(across, 0)]
    found = numpy.where(numpy.asarray(across >= 0), found, bands.dtype.type(0))
    return numpy.conjugate(found) if bands.dtype.kind == "c" else found


@linalg
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    """Solve with a positive definite band matrix; see `scipy.linalg.solveh_banded`.

    By Cholesky factors, on a GPU with one block of threads for each matrix.
    """
    ab, b = arrays_of(ab, b, finite=check_finite)
    ab, b = in_lapack_dtype(ab, b)
    if ab.shape[-1] != _rows(b):
        raise ValueError("shapes of ab and b are not compatible.")
    bands, x, shape = _broadcast("solveh_banded", ab, b)
    bands = layout.converted(bands if lower else _turned(bands), order="C")
    x = layout.converted(x, order="C")
    if x.size:
        factors.band_positive(bands, x, factored=False, call="solveh_banded")
    return x.reshape(shape)


@linalg
def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True):
    """Cholesky factor of a band matrix; see `scipy.linalg.cholesky_banded`.

    On a GPU elements of the result outside the matrix are those of ``ab`` in the lower form, and zero in the
    upper one.
    """
    ab = in_lapack_dtype(arrays_of(ab, finite=check_finite))
    if ab.ndim < 2:
        raise ValueError(f"expected diagonals as the rows of a matrix, got shape {ab.shape}")
    no_empty_batch("cholesky_banded", ab.shape[:-2])
    stack = contiguous(ab)
    stack = layout.converted(stack if lower else _turned(stack), order="C")
    if stack.size:
        factors.band_positive(stack, None, factored=False, call="cholesky_banded")
    return (stack if lower else _back(stack)).reshape(ab.shape)


@linalg
def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """Solve with the Cholesky factor of a band matrix; see `scipy.linalg.cho_solve_banded`."""
    cb, lower = cb_and_lower
    cb, b = arrays_of(cb, b, finite=check_finite)
    cb, b = in_lapack_dtype(cb, b)
    if cb.shape[-1] != _rows(b):
        raise ValueError("shapes of cb and b are not compatible.")
    bands, x, shape = _broadcast("_cho_solve_banded", cb, b)
    bands = bands if lower else layout.converted(_turned(bands), order="C")
    x = layout.converted(x, order="C")
    if x.size:
        factors.band_positive(bands, x, factored=True, call="cho_solve_banded")
    return x.reshape(shape)
