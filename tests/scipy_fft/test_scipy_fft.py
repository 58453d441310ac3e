"""The functions of ``scipy.fft`` on device arrays."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import gpunp

scipy_fft = pytest.importorskip("scipy.fft")
import gpunp_scipy.fft  # noqa: E402 - after the check that SciPy is installed

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
TWO = ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2")
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")
REAL = ("dct", "idct", "dst", "idst")
TOLERANCES = {"f": 2e-5, "d": 1e-12}
SHAPES = ((8,), (7,), (3, 4), (2, 3, 5))


def values(rng, shape, char):
    a = rng.normal(size=shape)
    return (a + 1j * rng.normal(size=shape) if char in "FD" else a * 4).astype(char)


def compare(name, a, *args, **kwargs):
    """Assert equal values, dtype and shape, or errors of the same type, and an unchanged input."""
    function = getattr(scipy_fft, name)
    device = gpunp.asarray(a)
    try:
        expected = function(a, *args, **kwargs)
    except Exception as error:
        with pytest.raises(type(error)):
            function(device, *args, **kwargs)
        return
    actual = function(device, *args, **kwargs)
    assert isinstance(actual, gpunp.ndarray)
    assert actual.dtype == expected.dtype, (name, a.dtype)
    assert actual.shape == expected.shape
    tolerance = TOLERANCES.get(expected.dtype.char.lower(), 0)
    np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=tolerance, atol=10 * tolerance)
    np.testing.assert_array_equal(gpunp.asnumpy(device), a)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("char", "?lefdFD")
def test_one_axis(name, char, rng):
    for shape in (*SHAPES, (1,)):
        a = values(rng, shape, char)
        for norm in (None, "backward", "ortho", "forward"):
            compare(name, a, norm=norm)
            compare(name, a, 5, 0, norm, False, 2)
        compare(name, a, n=2, axis=-1)
        compare(name, a.T)
        compare(name, a, 0)
        compare(name, a, axis=7)
    compare(name, values(rng, (0,), char))


@pytest.mark.parametrize("name", TWO + SEVERAL)
@pytest.mark.parametrize("char", "lefdFD")
def test_several_axes(name, char, rng):
    for shape in SHAPES:
        a = values(rng, shape, char)
        for norm in (None, "ortho", "forward"):
            compare(name, a, norm=norm)
            compare(name, a, (3, 2), (1, 0), norm)
        for axes in ((0,), 0, (-1, 0), (0, 0), (0, 9), ()):
            compare(name, a, axes=axes)
        for s in ((4,), 3, (-1,), (2, 0), (1, 2, 3, 4)):
            compare(name, a, s)
        compare(name, a, (2,), (0, 1))
        compare(name, a, 2.5)
        compare(name, a.T, workers=2)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("char", "lefdFD")
def test_cosine_and_sine_transforms(name, kind, char, rng):
    for shape in SHAPES:
        a = values(rng, shape, char)
        for norm in (None, "ortho", "forward"):
            compare(name, a, kind, norm=norm)
            compare(name, a, kind, 5, 0, norm)
            compare(name + "n", a, kind, norm=norm)
            for orthogonalize in (True, False):
                compare(name, a, kind, norm=norm, orthogonalize=orthogonalize)
        compare(name + "n", a, kind, (3, 2), (1, 0), "ortho", workers=1)
        compare(name + "n", a, kind, axes=())
        compare(name + "n", a, kind, axes=(0, 0))
        compare(name, a, kind, n=0)
        compare(name, a, kind, norm="other")
        compare(name, a.T, kind)


@pytest.mark.parametrize("n", [2, 3, 16, 97, 1000, 1021])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_lengths_of_real_transforms(n, kind, rng):
    for name in REAL:
        a = rng.normal(size=(2, n))
        result = gpunp.asnumpy(getattr(scipy_fft, name)(gpunp.asarray(a), kind))
        expected = getattr(scipy_fft, name)(a, kind)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13 * max(np.abs(expected).max(), 1))


def test_types_that_do_not_exist():
    for name in REAL:
        with pytest.raises(ValueError, match="type 5 does not exist"):
            getattr(scipy_fft, name)(gpunp.ones(4), 5)


@pytest.mark.parametrize("name", ["fht", "ifht"])
@pytest.mark.parametrize("n", [1, 16, 17])
def test_hankel(name, n):
    a = np.exp(-(np.linspace(-2, 2, n) ** 2))
    for arguments in (
        {},
        {"offset": 0.3},
        {"bias": 0.2},
        {"bias": -0.1, "offset": 0.1},
    ):
        compare(name, np.stack([a, 2 * a]), 0.1, 0.5, **arguments)
        compare(name, a.astype("f"), 0.1, 0.5, **arguments)
    device = gpunp.asarray(a)
    back = scipy_fft.ifht(scipy_fft.fht(device, 0.1, 1.5), 0.1, 1.5)
    np.testing.assert_allclose(gpunp.asnumpy(back), a, atol=1e-13)
    with pytest.warns(UserWarning, match="singular transform"):
        scipy_fft.fht(device, 0.1, -0.5, bias=-0.5)
    with pytest.warns(UserWarning, match="singular inverse transform"):
        scipy_fft.ifht(device, 0.1, -0.5, bias=0.5)


def test_hankel_with_parameters_on_the_device():
    a = gpunp.asarray(np.exp(-(np.linspace(-2, 2, 16) ** 2)))
    numbers = gpunp.asarray([0.1, 0.5, 0.3, 0.2])
    dln, mu, offset, bias = numbers
    for name in ("fht", "ifht"):
        function = getattr(scipy_fft, name)
        expected = function(a, 0.1, 0.5, 0.3, 0.2)
        np.testing.assert_array_equal(function(a, dln, mu, offset, bias).get(), expected.get())
    assert gpunp_scipy.fft.fhtoffset(dln, mu, offset, bias) == scipy_fft.fhtoffset(0.1, 0.5, 0.3, 0.2)


def test_host_arrays_go_to_scipy():
    host = np.arange(4.0)
    assert isinstance(scipy_fft.fft(host), np.ndarray)
    with scipy_fft.set_backend(gpunp_scipy.fft):
        assert isinstance(scipy_fft.fft(host), np.ndarray)
        assert isinstance(scipy_fft.dctn(gpunp.asarray(host)), gpunp.ndarray)
    with scipy_fft.set_backend(gpunp_scipy.fft, coerce=True):
        for name in (*ONE, *REAL):
            assert isinstance(getattr(scipy_fft, name)(host), gpunp.ndarray)
    for name in ONE:
        with pytest.raises(ValueError, match="norm"):
            getattr(scipy_fft, name)(gpunp.asarray(host), norm="other")


def test_every_multimethod_is_there_with_its_signature():
    for name in (*ONE, *TWO, *SEVERAL, *REAL, *(f"{name}n" for name in REAL), "fht", "ifht"):
        ours = inspect.signature(getattr(gpunp_scipy.fft, name))
        theirs = inspect.signature(getattr(scipy_fft, name))
        assert list(ours.parameters) == list(theirs.parameters), name
        for parameter in theirs.parameters.values():
            assert ours.parameters[parameter.name].default == parameter.default, name


def test_plans(rng):
    a = rng.normal(size=(3, 8))
    device = gpunp.asarray(a)
    plan = gpunp.fft.plan("fft", device)
    result = scipy_fft.fft(device, plan=plan)
    np.testing.assert_allclose(gpunp.asnumpy(result), scipy_fft.fft(a), atol=1e-13)
    with pytest.raises(TypeError, match="plan must be"):
        scipy_fft.fft(device, plan=3)


def test_helpers():
    module = gpunp_scipy.fft
    for n in (1, 5, 8):
        for name in ("fftfreq", "rfftfreq"):
            actual = getattr(module, name)(n, 0.5)
            np.testing.assert_array_equal(gpunp.asnumpy(actual), getattr(scipy_fft, name)(n, 0.5))
        for name in ("fftshift", "ifftshift"):
            actual = getattr(module, name)(gpunp.arange(n))
            np.testing.assert_array_equal(gpunp.asnumpy(actual), getattr(scipy_fft, name)(np.arange(n)))
    assert [module.next_fast_len(n) for n in (0, 1, 11, 97, 1025)] == [0, 1, 12, 98, 1029]
    assert [module.prev_fast_len(n) for n in (1, 11, 97, 1025)] == [1, 10, 96, 1024]
    with pytest.raises(ValueError, match="at least 0"):
        module.next_fast_len(-1)
    with pytest.raises(ValueError, match="at least 1"):
        module.prev_fast_len(0)
    assert module.fhtoffset(0.1, 2.0, 0.5) == scipy_fft.fhtoffset(0.1, 2.0, 0.5)


@pytest.mark.parametrize("order", ["gpunp_scipy, scipy.fft", "scipy.fft, gpunp_scipy"])
def test_registration_in_either_order_of_imports(order):
    code = (
        f"import gpunp, {order}, sys\n"
        "x = scipy.fft.fft(gpunp.ones(4))\n"
        "assert isinstance(x, gpunp.ndarray), type(x)\n"
        "assert scipy.fft.__loader__.__class__.__module__.startswith(('_frozen', 'importlib'))\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_scipy_is_not_imported():
    code = "import gpunp_scipy, sys; assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


@pytest.mark.parametrize("name", ["fft", "irfftn", "dct", "dstn"])
def test_numbers_of_workers(name):
    x = gpunp.ones(6)
    function = getattr(gpunp_scipy.fft, name)
    function(x, workers=-1)
    with pytest.raises(ValueError, match="must not be zero"):
        function(x, workers=0)
    with pytest.raises(ValueError, match="out of range"):
        function(x, workers=-100000)
    with pytest.raises(TypeError):
        function(x, workers=1.5)
