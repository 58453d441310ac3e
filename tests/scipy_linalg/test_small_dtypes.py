"""Dtypes of results for matrices of small integers, of the functions' own in ``scipy.linalg``."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from scipy_forms import forms, found, newest, on_device

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
