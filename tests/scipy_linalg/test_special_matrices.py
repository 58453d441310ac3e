"""Special matrices, norms and questions of ``scipy.linalg``."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from matrices import hermitian, matrix
from scipy_forms import NEWEST, Case, agree, case_test, forms, found, on_device, on_host, raises

import gpunp

ALL = "bilfdFD"
CASES = (
    Case("toeplitz", lambda c: (matrix(c, 5),), ALL),
    Case("toeplitz", lambda c: (matrix(c, 5), matrix(c, 3, seed=1)), ALL),
    Case("toeplitz", lambda c: (matrix(c, 2, 4), matrix(c, 3, seed=1)), "dF"),
    Case("toeplitz", lambda c: (matrix(c, 1),), "d"),
    Case("circulant", lambda c: (matrix(c, 5),), ALL),
    Case("circulant", lambda c: (matrix(c, 2, 3, 4),), ALL),
    Case("hankel", lambda c: (matrix(c, 5),), ALL),
    Case("hankel", lambda c: (matrix(c, 5), matrix(c, 3, seed=1)), ALL),
    Case("leslie", lambda c: (matrix(c, 5), matrix(c, 4)), ALL),
    Case("leslie", lambda c: (matrix(c, 2, 5), matrix(c, 4)), "df"),
    Case("companion", lambda c: (matrix(c, 5) + np.array(9, c),), ALL),
    Case("companion", lambda c: (matrix(c, 2, 3, 5) + np.array(9, c),), ALL),
    *(
        Case("fiedler_companion", lambda c, n=n: (matrix(c, n) + np.array(9, c),), "fdFDi")
        for n in ((0, 1, 2, 3, 4, 9) if NEWEST else (0, 2, 3, 4, 9))
    ),
    Case("fiedler_companion", lambda c: (matrix(c, 2, 5) + np.array(9, c),), "fdFDi"),
    *(
        Case("convolution_matrix", lambda c, m=m, n=n, mode=mode: (matrix(c, m), n, mode), "fdFDi")
        for m, n in ((4, 6), (6, 4), (1, 3), (5, 1))
        for mode in ("full", "same", "valid")
    ),
    Case("convolution_matrix", lambda c: (matrix(c, 2, 3, 4), 5), "fdFDi"),
    Case("khatri_rao", lambda c: (matrix(c, 3, 4), matrix(c, 5, 4)), ALL),
    Case("khatri_rao", lambda c: (matrix(c, 2, 3, 4), matrix(c, 5, 4)), "dF"),
    Case("khatri_rao", lambda c: (matrix(c, 0, 4), matrix(c, 5, 4)), "dF"),
    Case("block_diag", lambda c: (matrix(c, 3, 4), matrix(c, 2, 1), matrix(c, 3)), "fdFD"),
    Case("fiedler", lambda c: (matrix(c, 5),), "fd"),
    *(
        Case("norm", lambda c, o=o: (matrix(c, 5, 4), o), "fdFDi", factor=10)
        for o in (None, "fro", "nuc", 1, -1, 2, -2, np.inf)
    ),
    *(
        Case("norm", lambda c, o=o: (matrix(c, 6), o), "fdFDi", factor=10)
        for o in (None, 0, 1, 2, 3.5, np.inf)
    ),
    Case("norm", lambda c: (matrix(c, 2, 5, 4),), keywords=(("axis", (1, 2)), ("keepdims", True))),
    Case("bandwidth", lambda c: (np.triu(np.tril(matrix(c, 7, 7), 2), -1),), ALL),
    Case("bandwidth", lambda c: (np.zeros((5, 3), c),), ALL),
    Case("bandwidth", lambda c: (np.triu(matrix(c, 2, 5, 7), 2),), "d"),
    Case("bandwidth", lambda c: (np.zeros((0, 3), c),), "d"),
)
test_cases = case_test(CASES)


@forms
def test_symmetry(form):
    for char in "ilfdFD":
        a = hermitian(char, 6, 6)
        symmetric = a if char not in "FD" else a + a.T
        other = a.copy()
        other[2, 3] += 1
        for name, matrices in (("issymmetric", (symmetric, other)), ("ishermitian", (a, other))):
            for each in matrices:
                for keywords in ({}, {"atol": 2.0}, {"rtol": 1e-9}):
                    if char in "il" and keywords:
                        continue
                    expected = getattr(scipy.linalg, name)(each, **keywords)
                    actual = found(form, name)(on_device(each), **keywords)
                    assert bool(actual) == bool(expected), (name, char, keywords)
    flags = found(form, "issymmetric")(on_device(np.stack([np.eye(3), np.triu(np.ones((3, 3)))])))
    np.testing.assert_array_equal(on_host(flags), [True, False])


@forms
def test_sketches(form):
    a = matrix("d", 50, 4)
    expected = scipy.linalg.clarkson_woodruff_transform(a, 10, rng=np.random.default_rng(3))
    actual = found(form, "clarkson_woodruff_transform")(on_device(a), 10, rng=np.random.default_rng(3))
    agree(actual, expected, "d")
    actual = found(form, "clarkson_woodruff_transform")(
        on_device(np.stack([a, 2 * a])), 10, rng=np.random.default_rng(3)
    )
    agree(actual, np.stack([expected, 2 * expected]), "d")


@forms
def test_bad_vectors(form):
    x = matrix("d", 4)
    raises(form, "leslie", ValueError, x, x)
    raises(form, "leslie", ValueError, x[:1], x[:0])
    raises(form, "companion", ValueError, x[:1])
    raises(form, "companion", ValueError, 0 * x)
    raises(form, "fiedler_companion", ValueError, 0 * x)
    raises(form, "convolution_matrix", ValueError, x, 0)
    raises(form, "convolution_matrix", ValueError, x[:0], 3)
    raises(form, "convolution_matrix", ValueError, x, 3, mode="x")
    raises(form, "khatri_rao", ValueError, np.ones((2, 3)), np.ones((2, 4)))
    raises(form, "khatri_rao", ValueError, x, np.ones((2, 4)))
    raises(form, "bandwidth", ValueError, x)
    raises(form, "bandwidth", TypeError, np.ones((2, 2), np.float16))
    raises(form, "norm", ValueError, np.full(3, np.inf))
    for name in ("issymmetric", "ishermitian"):
        raises(form, name, ValueError, x)
        raises(form, name, ValueError, np.ones((2, 3)))
        with warnings.catch_warnings():
            # SciPy's, of float16.
            warnings.simplefilter("ignore", DeprecationWarning)
            raises(form, name, TypeError, np.ones((2, 2), np.float16))


@forms
def test_hankel_of_matrices_warns(form):
    with pytest.warns(FutureWarning, match="ravel"):
        actual = found(form, "hankel")(on_device(np.arange(4.0).reshape(2, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(actual, scipy.linalg.hankel(np.arange(4.0).reshape(2, 2)), "d")


def test_results_share_no_memory():
    x = gpunp.arange(4.0)
    for made in (scipy.linalg.toeplitz(x), scipy.linalg.circulant(x), scipy.linalg.hankel(x)):
        made[...] = 7
    np.testing.assert_array_equal(on_host(x), np.arange(4.0))
