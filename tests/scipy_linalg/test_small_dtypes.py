"""Dtypes of results for matrices of small integers, of the functions' own in ``scipy.linalg``."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from scipy_forms import agree, forms, found, newest, on_device

import gpunp

A = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]])
B = np.array([1, 2, 3])
CALLS = {
    **dict.fromkeys(
        [
            "cholesky",
            "eig",
            "eigh",
            "eigvalsh",
            "expm",
            "hessenberg",
            "inv",
            "ldl",
            "logm",
            "lu",
            "lu_factor",
        ],
        (A,),
    ),
    **dict.fromkeys(["pinv", "pinvh", "qr", "rq", "sqrtm", "svd", "svdvals", "cosm", "null_space"], (A,)),
    **dict.fromkeys(["solve", "lstsq", "solve_triangular", "qr_multiply"], (A, B)),
    "solve_banded": ((1, 1), A, B),
    "solveh_banded": (A[:2], B),
    "eig_banded": (A[:2],),
    "eigh_tridiagonal": (B, B[:2]),
}


def _dtypes(value):
    if isinstance(value, tuple | list):
        return [dtype for each in value for dtype in _dtypes(each)]
    return [value.dtype.char] if isinstance(value, np.ndarray | np.generic | gpunp.ndarray) else []


@newest
@forms
@pytest.mark.parametrize("char", "bHhiFd")
@pytest.mark.parametrize("name", CALLS)
def test_dtypes(form, name, char):
    args = [a.astype(char) if isinstance(a, np.ndarray) else a for a in CALLS[name]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = getattr(scipy.linalg, name)(*args)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                found(form, name)(*on_device(tuple(args)))
            return
        actual = found(form, name)(*on_device(tuple(args)))
    wanted = _dtypes(expected)
    # The rank of a system is no array in SciPy.
    assert [dtype for dtype in _dtypes(actual) if dtype in "fdFD"] == [d for d in wanted if d in "fdFD"]


@newest
@forms
def test_factors_of_one_complex_element(form):
    a = np.array([[2 + 1j]])
    expected, actual = scipy.linalg.lu(a), found(form, "lu")(on_device(a))
    assert _dtypes(actual) == _dtypes(expected)


@newest
@forms
def test_residues_of_square_complex_systems(form):
    a, b = A + 1j * A, B + 0j
    expected, actual = scipy.linalg.lstsq(a, b), found(form, "lstsq")(on_device(a), on_device(b))
    assert actual[1].dtype == expected[1].dtype


PAIRS = {
    "solve": lambda a, b: (a, b),
    "lstsq": lambda a, b: (a, b),
    "solve_triangular": lambda a, b: (a, b),
    "qr_multiply": lambda a, b: (a, b),
    "cho_solve": lambda a, b: ((a, True), b),
    "lu_solve": lambda a, b: ((a, np.arange(3, dtype="i")), b),
    "solve_banded": lambda a, b: ((1, 1), a, b),
    "solveh_banded": lambda a, b: (np.diag(a)[None], b),
    "eigh": lambda a, b: (a, np.diag(b)),
    "eig": lambda a, b: (a, np.diag(b)),
    "orthogonal_procrustes": lambda a, b: (a, np.diag(b)),
    "expm_frechet": lambda a, b: (a, np.diag(b)),
}


@newest
@pytest.mark.parametrize("name", PAIRS)
def test_dtypes_of_pairs(name):
    for one in "?bBhHiIlfdFD":
        for other in "?bBhHiIlfdFD":
            if name == "qr_multiply" and other in "FD" and one not in "FD":
                # SciPy drops the imaginary part of c, with a warning.
                continue
            args = PAIRS[name](A.astype(one), B.astype(other))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(scipy.linalg, name)(*args)
                actual = found("gpu", name)(*on_device(args))
            wanted = [char for char in _dtypes(expected) if char in "fdFD"]
            assert [char for char in _dtypes(actual) if char in "fdFD"] == wanted, (one, other)


@newest
@pytest.mark.parametrize("name", ["expm", "sqrtm", "sinhm", "coshm", "sinm"])
def test_functions_of_one_small_integer(name):
    for char in "bh":
        a = np.array([[2]], char)
        expected = getattr(scipy.linalg, name)(a)
        agree(found("gpu", name)(on_device(a)), expected, "f", 1 if char == "h" else 100)


EMPTY = {
    "eig": (0, 2, 2),
    "eigvals": (0, 2, 2),
    "lu_factor": (2, 0, 3),
    "ldl": (2, 0, 0),
    "rq": (2, 0, 3),
    "fiedler_companion": (3, 2, 0),
    "hessenberg": (0, 0),
    "bandwidth": (0, 3),
    "issymmetric": (0, 0),
    "sqrtm": (2, 0, 0),
}


@newest
@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("char", "bhiF")
def test_empty_matrices(name, char):
    a = np.empty(EMPTY[name], char)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(scipy.linalg, name)(a)
    agree(found("gpu", name)(on_device(a)), expected, "d")


@newest
@pytest.mark.parametrize("char", "bhifdFD")
def test_small_matrices_that_are_in_hessenberg_form(char):
    for n in (1, 2):
        a = A[:n, :n].astype(char)
        expected = scipy.linalg.hessenberg(a, calc_q=True)
        agree(found("gpu", "hessenberg")(on_device(a), calc_q=True), expected, "d")


@newest
@pytest.mark.parametrize("char", "bhifd")
@pytest.mark.parametrize("select", [("a", None), ("i", (0, 0)), ("v", (0, 5)), ("v", (5, 6))])
def test_tridiagonal_matrices_of_one_element(char, select):
    d, e = np.ones(1, char), np.ones(0, char)
    options = {"select": select[0], "select_range": select[1], "lapack_driver": "stebz"}
    expected = scipy.linalg.eigh_tridiagonal(d, e, **options)
    agree(found("gpu", "eigh_tridiagonal")(on_device(d), on_device(e), **options), expected, "d")
