"""Exponentials, roots, logarithms and other functions of matrices of ``scipy.linalg``."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.linalg._matfuncs_inv_ssq
from matrices import close, hermitian, matrix, positive
from scipy_forms import Case, forms, found, newest, on_device, on_host, raises

import gpunp


def _small(*shape, scale=0.3):
    return lambda char: ((matrix(char, *shape) * scale).astype(char if char in "fdFD" else "d"),)


def _away_from_zero(*shape):
    """Matrices whose eigenvalues are right of the imaginary axis, far from normal."""

    def make(char):
        a = positive(char, *shape) / np.array(shape[-1], char)
        return (a + np.triu(matrix(char, *shape), 1),)

    return make


def _defective(char):
    """A matrix with double negative eigenvalues that has no basis of eigenvectors."""
    a = np.diag([-2.0, -2, 3, -5, 6]) + np.diag([1.0, 2, -1, 1], 1) + np.diag([1.0, 0, 2], 2)
    return (a.astype(char),)


CASES = (
    *(
        Case("expm", _small(*shape, scale=scale), factor=10)
        for shape in ((2, 2), (7, 7), (2, 3, 5, 5), (3, 1, 1))
        for scale in (1e-3, 1.0)
    ),
    Case("expm", lambda c: (matrix(c, 5, 5),), "i", factor=10),
    Case("expm", lambda c: (np.zeros((2, 0, 0), c),)),
    Case("expm", lambda c: (np.zeros((4, 4), c),)),
    Case("expm", _small(40, 40, scale=0.5), factor=10),
    Case("cosm", _small(5, 5), factor=10),
    Case("cosm", _small(2, 5, 5), factor=10),
    Case("sinm", _small(5, 5), factor=10),
    Case("tanm", _small(5, 5, scale=0.1), factor=10),
    Case("coshm", _small(5, 5), factor=10),
    Case("sinhm", _small(5, 5), factor=10),
    Case("tanhm", _small(5, 5), factor=10),
    Case("expm_frechet", lambda c: (*_small(5, 5)(c), matrix(c, 5, 5, seed=1)), factor=10),
    Case(
        "expm_frechet",
        lambda c: (*_small(2, 5, 5)(c), matrix(c, 5, 5, seed=1)),
        keywords=(("compute_expm", False),),
        factor=10,
    ),
    Case("expm_cond", lambda c: _small(4, 4)(c), "dD", factor=10),
    Case("sqrtm", _away_from_zero(6, 6), factor=100),
    Case("sqrtm", _away_from_zero(2, 3, 4, 4), factor=100),
    Case("sqrtm", lambda c: (positive(c, 40, 40),), factor=10),
    Case("sqrtm", lambda c: (np.array([[-4, 1], [0, -9]], c),), factor=10),
    Case("sqrtm", _defective, "dD", factor=1000),
    Case("sqrtm", lambda c: (np.array([[[4]], [[-9]]], c),), "idD"),
    Case("sqrtm", lambda c: (np.array([[np.inf]], c),), "fd"),
    Case("logm", _defective, "dD", factor=1000),
    Case("fractional_matrix_power", lambda c: (*_defective(c), 0.5), "dD", factor=1000),
    Case("expm", lambda c: (np.array([[2]], c),), "ifdFD"),
    Case("sinhm", lambda c: (np.array([[2]], c),), "ifdFD"),
    Case("coshm", lambda c: (np.array([[2]], c),), "ifdFD"),
    Case("tanhm", lambda c: (np.array([[2]], c),), "ifdFD"),
    Case("expm_frechet", lambda c: (np.zeros((0, 0), c), np.zeros((0, 0), c))),
    Case("expm_frechet", lambda c: (matrix(c, 3, 3), matrix("D", 3, 3, seed=1)), "idD", factor=100),
    Case("logm", _away_from_zero(6, 6), factor=1000, real=True),
    Case("logm", _away_from_zero(2, 4, 4), factor=1000, real=True),
    Case("logm", lambda c: (np.array([[-4, 1], [0, -9]], c),), "dD", factor=10, real=True),
    Case("fractional_matrix_power", lambda c: (*_away_from_zero(5, 5)(c), 0.3), "dD", factor=1000, real=True),
    Case(
        "fractional_matrix_power", lambda c: (*_away_from_zero(5, 5)(c), -1.7), "dD", factor=1000, real=True
    ),
    Case(
        "fractional_matrix_power", lambda c: (*_away_from_zero(2, 4, 4)(c), 3), "dD", factor=1000, real=True
    ),
    Case("signm", lambda c: (hermitian(c, 5, 5),), "dD", factor=100),
)


@forms
@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case.name}" for i, case in enumerate(CASES)])
def test_cases(case, form):
    with warnings.catch_warnings():
        # Single precision is less accurate than SciPy's limit for logarithms.
        warnings.filterwarnings("ignore", "logm result may be inaccurate", RuntimeWarning)
        case.check(form)


@forms
def test_exponentials_of_many_norms(form):
    a = matrix("d", 5, 4, 4) * np.array([1e-8, 0.1, 1, 10, 60])[:, None, None]
    actual = on_host(found(form, "expm")(on_device(a)))
    expected = scipy.linalg.expm(a)
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11 * np.abs(other).max())


@forms
def test_exponential_of_a_matrix_far_from_normal(form):
    a = np.array([[1.0, 1e6], [0, -1]])
    np.testing.assert_allclose(
        on_host(found(form, "expm")(on_device(a))), scipy.linalg.expm(a), rtol=1e-9, atol=1e-9
    )


def test_exponential_where_powers_overflow():
    a = np.array([[-1e200, 1e150], [0, -1e200]])
    # SciPy's has NaNs.
    np.testing.assert_array_equal(on_host(found("gpu", "expm")(on_device(a))), np.zeros((2, 2)))


@forms
def test_exponential_of_nan(form):
    a = np.full((3, 3), np.nan)
    assert np.isnan(on_host(found(form, "expm")(on_device(a)))).all()


@forms
def test_functions_by_eigenvectors(form):
    for char in "dD":
        a = hermitian(char, 5, 5)
        expected = scipy.linalg.funm(a, lambda x: x * x + 1)
        close(found(form, "funm")(on_device(a), lambda x: x * x + 1), expected, char, 10)
    one, kinds = gpunp.asarray(1.0), set()

    def function(x):
        kinds.add(type(x))
        return x * x + one

    close(found(form, "funm")(on_device(a), function), expected, "D", 10)
    assert kinds == {gpunp.ndarray}
    result, error = found(form, "funm")(on_device(hermitian("d", 2, 4, 4)), np.exp, disp=False)
    assert result.shape == (2, 4, 4)
    assert np.shape(error) == (2,)
    assert (on_host(error) < 1e-10).all()


@forms
def test_a_function_that_is_not_accurate_says_so(form, capsys):
    found(form, "funm")(on_device(np.array([[1.0, 1], [0, 1 + 1e-13]])), np.sqrt)
    assert "may be inaccurate" in capsys.readouterr().out


@forms
def test_roots_that_do_not_exist(form):
    with pytest.warns(scipy.linalg.LinAlgWarning, match="singular"):
        found(form, "sqrtm")(on_device(np.array([[0.0, 1], [0, 0]])))


@forms
def test_roots_that_are_not_well_conditioned(form, device):
    # SciPy's root of a triangular matrix, on the CPU device, is exact in each element.
    a = np.array([[0.32, 3e4, 3e4, 3e4], [0, 0.3, 3e4, 3e4], [0, 0, 0.32, 3e4], [0, 0, 0, 0.3]])
    if form == "gpu" or not device.is_cpu:
        with pytest.warns(scipy.linalg.LinAlgWarning, match="ill-conditioned"):
            found(form, "sqrtm")(on_device(a @ a))
    else:
        close(found(form, "sqrtm")(on_device(a @ a)), a, "d", 1e6)


@forms
def test_logarithm_of_a_singular_matrix(form):
    kind = scipy.linalg._matfuncs_inv_ssq.LogmExactlySingularWarning
    with pytest.warns((kind, RuntimeWarning)) as caught:
        found(form, "logm")(on_device(np.diag([1.0, 0, 2])))
    assert any(issubclass(each.category, kind) for each in caught)


@forms
def test_bad_functions(form):
    a = matrix("d", 4, 3)
    error = scipy.linalg.LinAlgError
    for name in ("expm", "sqrtm"):
        raises(form, name, error, a)
        raises(form, name, error, a[0])
    for name in ("logm", "cosm", "tanhm", "signm"):
        raises(form, name, ValueError, a)
    raises(form, "expm_frechet", ValueError, a[:3], a)
    raises(form, "expm_frechet", ValueError, np.eye(4), np.eye(4), method="x")
    raises(form, "expm_frechet", ValueError, np.full((4, 4), np.inf), np.eye(4))
    raises(form, "fractional_matrix_power", ValueError, a, 0.5)


def test_exponential_of_a_large_matrix(device):
    a = matrix("d", 300, 300) / 10
    e = scipy.linalg.expm(gpunp.asarray(a, device=device))
    expected = scipy.linalg.expm(a)
    assert np.linalg.norm(on_host(e) - expected) < 1e-11 * np.linalg.norm(expected)


@newest
@forms
def test_tangents_that_overflow(form):
    raises(form, "tanhm", ValueError, np.diag([1.0, 800.0]), match="infs or NaNs")


def test_powers_of_singular_matrices_give_no_warning():
    a = np.diag([0.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found("gpu", "fractional_matrix_power")(on_device(a), 0.5)
