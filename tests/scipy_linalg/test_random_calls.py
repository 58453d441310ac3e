"""Random calls of ``scipy.linalg``: shapes, batches, dtypes, keywords and bad input, from a seed.

The form for GPUs and SciPy on the host give the same nesting, dtypes and shapes, or errors of the same type.
Values are compared where they are unique and well conditioned.
"""

import contextlib
import io
import warnings

import numpy as np
import pytest
import scipy.linalg
from records import settled
from scipy_forms import found, newest, on_device, on_host

import gpunp

_CHARS = "fdFDfdFDbhilB"
_YES_NO = (False, True)
_FINITE = {"check_finite": _YES_NO}
_BANDS = {"lower": _YES_NO, **_FINITE}
_RANGES = {"select": ("a", "i", "v", "x"), "select_range": ((0, 0), (-1.0, 1.0), (1, 0), (0, 99))}
_STRUCTURES = (None, "gen", "her", "pos", "sym", "diagonal", "upper triangular", "lower triangular", "x")


class Arguments:
    """Random arguments of a call."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.char = self.pick(*_CHARS)
        self.batch = self.pick((), (), (2,), (1, 2), (0,))
        self.n = self.pick(1, 1, 2, 3, 4, 6, 9)

    def pick(self, *values):
        return values[self.random.integers(len(values))]

    def array(self, *core, char=None, batch=None):
        """Normal numbers or small integers; sometimes there is a NaN among them, or a wrong size."""
        char = char or self.char
        shape = ((self.batch if batch is None else batch), core)
        core = (*core[:-1], core[-1] + 1) if self.random.random() < 0.05 else core
        shape = (*shape[0], *core)
        a = self.random.normal(size=shape) * 4
        a = np.asarray(a + 1j * self.random.normal(size=shape) if char in "FD" else a)
        a = (abs(a) if char == "B" else a).astype(char)
        if char in "fdFD" and a.size and self.random.random() < 0.08:
            a.flat[0] = np.nan
        return a

    def square(self):
        a = self.array(self.n, self.n)
        return a if a.shape[-1] != a.shape[-2] else a + 12 * np.eye(self.n, dtype=self.char)

    def hermitian(self):
        a = self.square()
        return a if a.shape[-1] != a.shape[-2] else a + np.conjugate(np.swapaxes(a, -1, -2))

    def matrix(self):
        return self.array(self.n, self.pick(1, 2, 5))

    def right(self):
        char = self.pick(self.char, self.char, *_CHARS)
        if self.random.random() < 0.4:
            return self.array(self.n, char=char, batch=())
        return self.array(self.n, self.pick(1, 3), char=char, batch=self.pick((), self.batch))

    def vector(self, n=None):
        return self.array(self.n if n is None else n)

    def keywords(self, options):
        return {name: self.pick(*values) for name, values in options.items() if self.random.random() < 0.4}


def _square(a):
    return (a.square(),)


def _hermitian(a):
    return (a.hermitian(),)


def _matrix(a):
    return (a.matrix(),)


def _system(a):
    return a.square(), a.right()


def _pair(a):
    return a.hermitian(), a.hermitian()


def _small(a):
    return (a.square() / np.array(16, a.char if a.char in "fdFD" else "d"),)


# For each function: its arguments, its keywords, and whether its values are unique.
CALLS = {
    "solve": (_system, {"assume_a": _STRUCTURES, "lower": _YES_NO, "transposed": _YES_NO, **_FINITE}, True),
    "solve_triangular": (
        _system,
        {"trans": (0, 1, 2, "N", "T", "C"), "lower": _YES_NO, "unit_diagonal": _YES_NO, **_FINITE},
        False,
    ),
    "inv": (_square, {**_FINITE}, True),
    "det": (_square, _FINITE, True),
    "lstsq": (
        # Solutions of empty stacks have other shapes in SciPy.
        lambda a: (a.matrix(), a.right()) if 0 not in a.batch else (np.eye(2), np.ones(2)),
        {"cond": (None, 0.1, -1.0), "lapack_driver": ("gelsd", "gelsy", "gelss", "x"), **_FINITE},
        False,
    ),
    "pinv": (_matrix, {"rtol": (None, 1e-3, -1.0), "return_rank": _YES_NO, **_FINITE}, False),
    "pinvh": (_hermitian, {"atol": (None, 1e-3), "lower": _YES_NO, "return_rank": _YES_NO}, True),
    "lu": (_matrix, {"permute_l": _YES_NO, "p_indices": _YES_NO, **_FINITE}, False),
    "lu_factor": (_square, _FINITE, False),
    "cholesky": (_hermitian, _BANDS, False),
    "ldl": (_hermitian, {"lower": _YES_NO, "hermitian": _YES_NO, **_FINITE}, False),
    "svd": (
        _matrix,
        {
            "full_matrices": _YES_NO,
            "compute_uv": _YES_NO,
            "lapack_driver": ("gesdd", "gesvd", "x", 1),
            **_FINITE,
        },
        False,
    ),
    "svdvals": (_matrix, _FINITE, True),
    "qr": (_matrix, {"mode": ("full", "r", "economic", "raw", "x"), "pivoting": _YES_NO, **_FINITE}, False),
    "rq": (_matrix, {"mode": ("full", "r", "economic", "x"), **_FINITE}, False),
    "hessenberg": (_square, {"calc_q": _YES_NO, **_FINITE}, False),
    "eigvals": (_square, {"homogeneous_eigvals": _YES_NO, **_FINITE}, False),
    "eigh": (
        _pair,
        {
            "lower": _YES_NO,
            "eigvals_only": _YES_NO,
            "type": (1, 2, 3, 4),
            "subset_by_index": ((0, 0), (1, 0), (0, 99)),
            "driver": ("gv", "gvd", "gvx", "ev", "x"),
        },
        False,
    ),
    "eigvalsh": (
        _hermitian,
        {"lower": _YES_NO, "subset_by_value": ((-1, 1), (1, -1), (-np.inf, np.inf)), "driver": ("evr", "ev")},
        True,
    ),
    "eigvalsh_tridiagonal": (lambda a: (a.vector(), a.vector(max(a.n - 1, 0))), {**_RANGES, **_FINITE}, True),
    "expm": (_small, {}, True),
    "cosm": (_small, {}, True),
    "sinhm": (_small, {}, True),
    "sqrtm": (_small, {}, False),
    "polar": (_matrix, {"side": ("left", "right", "x")}, False),
    "orth": (_matrix, {"rcond": (None, 1e-3)}, False),
    "null_space": (_matrix, {"rcond": (None, 1e-3), "lapack_driver": ("gesdd", "x")}, False),
    "qr_multiply": (
        # SciPy drops the imaginary part of a complex right side of a real matrix.
        lambda a: (a.square(), a.array(a.n, a.n)),
        {"mode": ("left", "right", "x"), "conjugate": _YES_NO},
        False,
    ),
    # SciPy 1.18 divides systems of one equation in place.
    "solve_banded": (lambda a: ((1, 1), a.array(3, a.n + 1), a.array(a.n + 1, 2)), _FINITE, False),
    "solveh_banded": (lambda a: (abs(a.array(1, a.n)) + 1, a.right()), _BANDS, True),
    "cholesky_banded": (lambda a: (abs(a.array(1, a.n)) + 1,), _BANDS, True),
    "toeplitz": (lambda a: (a.vector(), a.vector()), {}, True),
    "circulant": (lambda a: (a.vector(),), {}, True),
    "companion": (lambda a: (a.vector(a.n + 1),), {}, True),
    "convolution_matrix": (
        lambda a: (a.vector(), a.pick(0, 1, 4)),
        {"mode": ("full", "valid", "same", "x")},
        True,
    ),
    "khatri_rao": (lambda a: (a.array(2, a.n), a.array(3, a.n)), {}, True),
    "issymmetric": (_hermitian, {"atol": (None, 1e-3)}, True),
}


def _result(function, arguments, keywords):
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return settled(function(*arguments, **keywords))
        except Exception as error:
            return error


def _compare(actual, expected, within):
    if isinstance(expected, Exception):
        assert isinstance(actual, type(expected)), repr(actual)
        return
    assert not isinstance(actual, Exception), repr(actual)
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            _compare(one, other, within)
    elif isinstance(expected, np.ndarray):
        assert isinstance(actual, gpunp.ndarray)
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
        # NaN, which the checks for it may be told to leave out, spreads in different ways.
        if within is not None and np.isfinite(expected).all():
            size = np.abs(expected).max(initial=1)
            np.testing.assert_allclose(on_host(actual), expected, 0, within * size)


def _singular(error):
    return isinstance(error, scipy.linalg.LinAlgError)


@newest
@pytest.mark.parametrize("name", CALLS)
def test_random_calls(name):
    make, options, values = CALLS[name]
    for seed in range(60):
        source = Arguments([seed, sum(map(ord, name))])
        arguments, keywords = make(source), source.keywords(options)
        expected = _result(getattr(scipy.linalg, name), arguments, keywords)
        actual = _result(found("gpu", name), on_device(arguments), keywords)
        bad = any(isinstance(a, np.ndarray) and a.dtype.kind in "fc" and np.isnan(a).any() for a in arguments)
        if bad and (keywords.get("check_finite") is False or _singular(expected)):
            continue
        try:
            # Small integers are computed in single precision.
            precise = all(np.asarray(a).dtype.char in "dDil" for a in arguments)
            _compare(actual, expected, (1e-8 if precise else 1e-3) if values else None)
        except AssertionError as error:
            shapes = [getattr(a, "shape", a) for a in arguments]
            raise AssertionError(f"{name}, seed {seed}: {shapes} {source.char} {keywords}") from error
