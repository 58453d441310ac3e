"""Decorators that run a test with NumPy and with gpunp, and compare what it returns or raises."""

import functools
import importlib
import sys
import unittest

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.dispatch.function_protocol import to_host
from gpunp.testing import assertions
from gpunp.testing.parameters import reset, without

__all__ = [
    "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal",
    "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal",
    "numpy_cupy_array_less",
    "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp",
]


def _outcome(test, args, kwargs):
    """What a test returns, or the exception that it raises."""
    try:
        return test(*args, **kwargs), None
    except unittest.SkipTest:
        raise
    except Exception as error:
        return None, error


def _compare_errors(ours, numpys, accepted):
    """Raise an AssertionError unless both are exceptions of one kind, which is accepted."""
    if ours is None or numpys is None:
        only, error = ("gpunp", ours) if numpys is None else ("NumPy", numpys)
        raise AssertionError(f"only {only} raises an error: {type(error).__name__}: {error}") from error
    if not isinstance(ours, type(numpys)):
        raise AssertionError(
            f"gpunp raises {type(ours).__name__}: {ours}; NumPy raises {type(numpys).__name__}: {numpys}"
        ) from ours
    if accepted is True:
        return
    if not accepted or not isinstance(ours, accepted):
        raise AssertionError(
            f"both raise {type(numpys).__name__}, which accept_error does not have: {ours}"
        ) from ours


def _pairs(ours, numpys):
    """Pairs of results: a test may return several in a tuple or list."""
    if isinstance(numpys, list | tuple):
        if not isinstance(ours, list | tuple) or len(ours) != len(numpys):
            raise AssertionError(f"NumPy returns {len(numpys)} results, gpunp {ours!r}")
        return list(zip(ours, numpys, strict=True))
    return [(ours, numpys)]


def _require_same(ours, numpys, types, layouts):
    if types and isinstance(ours, ndarray):
        found, expected = ours.dtype, numpy.asarray(numpys).dtype
        if found != expected:
            raise AssertionError(f"dtypes differ: gpunp has {found}, NumPy {expected}")
    if layouts and isinstance(ours, ndarray) and isinstance(numpys, numpy.ndarray):
        for flag in ("c_contiguous", "f_contiguous"):
            if getattr(numpys.flags, flag) and not getattr(ours.flags, flag):
                raise AssertionError(f"NumPy's result is {flag}, gpunp's is not")


def _decorator(
    check, name, types=False, accepted=False, sp_name=None, scipy_name=None, layouts=False, whole=False
):
    """Return a decorator for a test whose argument ``name`` receives a module."""
    passed = [each for each in (name, sp_name, scipy_name) if each]

    def modules(xp):
        if sp_name is None and scipy_name is None:
            return {name: xp}
        # SciPy's own functions take device arrays.
        scipys = importlib.import_module("scipy" if xp is numpy else "gpunp_scipy")
        return {name: xp, **dict.fromkeys((each for each in (sp_name, scipy_name) if each), scipys)}

    def decorate(test):
        @functools.wraps(test)
        def run(*args, **kwargs):
            ours, our_error = _outcome(test, args, {**kwargs, **modules(sys.modules["gpunp"])})
            reset(args)
            numpys, error = _outcome(test, args, {**kwargs, **modules(numpy)})
            if our_error is not None or error is not None:
                _compare_errors(our_error, error, accepted)
                return
            if whole:
                check(ours, numpys)
                return
            for mine, theirs in _pairs(ours, numpys):
                _require_same(mine, theirs, types, layouts)
                check(mine, theirs)

        return without(run, passed)

    return decorate


def numpy_cupy_allclose(
    rtol=1e-7,
    atol=0,
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
    contiguous_check=True,
):
    """Run a test with gpunp and with NumPy; the results must be close.

    Parameters
    ----------
    rtol, atol : float or dict, optional
        Tolerances of `assert_allclose`; a dict has them by dtype and, for all others, by ``"default"``.
    err_msg : str, optional
        Added to the message of a failure.
    verbose : bool, optional
        Whether the message has the values.
    name : str, optional
        The argument of the test that receives `gpunp` or `numpy`.
    type_check : bool, optional
        Whether dtypes must be equal.
    accept_error : bool or type or tuple of types, optional
        The exceptions that both may raise; True for any.
    sp_name, scipy_name : str, optional
        The argument that receives `gpunp_scipy` or `scipy`.
    contiguous_check : bool, optional
        Whether results must be contiguous where NumPy's are.

    Returns
    -------
    function
        The decorator.
    """

    def tolerance(given, dtype, default):
        if not isinstance(given, dict):
            return given
        known = {numpy.dtype(key): value for key, value in given.items() if key != "default"}
        return known.get(dtype, given.get("default", default))

    def check(ours, numpys):
        dtype = numpy.asarray(to_host(ours)).dtype
        limits = tolerance(rtol, dtype, 1e-7), tolerance(atol, dtype, 0)
        assertions.assert_allclose(ours, numpys, *limits, err_msg=err_msg, verbose=verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name, contiguous_check)


def numpy_cupy_array_almost_equal(
    decimal=6,
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
):
    """Run a test with gpunp and with NumPy; the results must agree to ``decimal`` places.

    See `numpy_cupy_allclose` for the other parameters.
    """

    def check(ours, numpys):
        assertions.assert_array_almost_equal(ours, numpys, decimal, err_msg, verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_almost_equal_nulp(
    nulp=1, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
):
    """Run a test with gpunp and with NumPy; the results differ by at most ``nulp`` spacings.

    See `numpy_cupy_allclose` for the other parameters.
    """

    def check(ours, numpys):
        assertions.assert_array_almost_equal_nulp(ours, numpys, nulp)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_max_ulp(
    maxulp=1,
    dtype=None,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
):
    """Run a test with gpunp and with NumPy; the results differ by at most ``maxulp`` units in the last place.

    See `numpy_cupy_allclose` for the other parameters.
    """

    def check(ours, numpys):
        assertions.assert_array_max_ulp(ours, numpys, maxulp, dtype)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_equal(
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
    strides_check=False,
):
    """Run a test with gpunp and with NumPy; the results must be equal.

    With ``strides_check`` their strides must be, too. See `numpy_cupy_allclose` for the other parameters.
    """

    def check(ours, numpys):
        if strides_check and ours.strides != numpys.strides:
            raise AssertionError(f"strides differ: gpunp has {ours.strides}, NumPy {numpys.strides}")
        assertions.assert_array_equal(ours, numpys, err_msg, verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_list_equal(err_msg="", verbose=True, name="xp", sp_name=None, scipy_name=None):
    """Run a test with gpunp and with NumPy; the lists of arrays that it returns must be equal.

    See `numpy_cupy_allclose` for the parameters.
    """

    def check(ours, numpys):
        assertions.assert_array_list_equal(ours, numpys, err_msg, verbose)

    return _decorator(check, name, sp_name=sp_name, scipy_name=scipy_name, whole=True)


def numpy_cupy_array_less(
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
):
    """Run a test with gpunp and with NumPy; each element of gpunp's result must be less than NumPy's.

    See `numpy_cupy_allclose` for the parameters.
    """

    def check(ours, numpys):
        assertions.assert_array_less(ours, numpys, err_msg, verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)
