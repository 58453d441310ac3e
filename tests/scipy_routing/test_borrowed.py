"""Names of gpunp_scipy that are SciPy's own functions, and names that SciPy has dropped."""

import numpy as np
import pytest

pytest.importorskip("scipy", minversion="1.17")
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.special

import gpunp
import gpunp_scipy

NUMBERS = {
    "linalg.dft": (6,),
    "linalg.hadamard": (8,),
    "linalg.helmert": (5,),
    "linalg.hilbert": (4,),
    "linalg.invpascal": (4,),
    "signal.buttap": (3,),
    "signal.correlation_lags": (5, 3),
    "signal.firwin": (9, [0.2, 0.5]),
    "signal.iirnotch": (0.25, 30.0),
    "signal.kaiserord": (60.0, 0.1),
    "signal.unit_impulse": (7, 2),
    "signal.windows.hann": (11,),
    "signal.windows.kaiser": (11, 4.0),
    "signal.windows.taylor": (16,),
}
ARRAYS = {
    "linalg.block_diag": (np.eye(2), np.ones((1, 3))),
    "linalg.fiedler": (np.array([1.0, 4.0, 9.0]),),
    "signal.hilbert": (np.cos(np.arange(16.0)),),
    "signal.lp2lp": ([1.0], [1.0, 1.0], 2.0),
    "signal.sos2zpk": (np.array([[1.0, 0.5, 0.0, 1.0, -0.2, 0.1]]),),
    "signal.gauss_spline": (np.linspace(-2, 2, 9), 3),
    "special.logsumexp": (np.arange(5.0),),
    "special.softmax": (np.arange(5.0),),
}


def found(module, path):
    for name in path.split("."):
        module = getattr(module, name)
    return module


def assert_on_device(actual, expected):
    """Every array is on the device, numbers are as SciPy's; results may be tuples."""
    if isinstance(expected, tuple):
        for mine, theirs in zip(actual, expected, strict=True):
            assert_on_device(mine, theirs)
    elif isinstance(expected, np.ndarray):
        assert type(actual) is gpunp.ndarray
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual.get(), expected, rtol=1e-12, atol=1e-14)
    else:
        np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=1e-12)


@pytest.mark.parametrize("path", NUMBERS)
def test_functions_of_numbers(path, device):
    assert_on_device(found(gpunp_scipy, path)(*NUMBERS[path]), found(scipy, path)(*NUMBERS[path]))


@pytest.mark.parametrize("path", ARRAYS)
def test_functions_of_arrays(path, device):
    """Of host arrays, which move to the device, and of device arrays."""
    expected = found(scipy, path)(*ARRAYS[path])
    assert_on_device(found(gpunp_scipy, path)(*ARRAYS[path]), expected)
    arrays = [gpunp.asarray(x) for x in ARRAYS[path][:2]]
    assert_on_device(found(gpunp_scipy, path)(*arrays, *ARRAYS[path][2:]), expected)


def test_other_objects(device):
    assert gpunp_scipy.signal.dlti is scipy.signal.dlti
    assert gpunp_scipy.signal.BadCoefficients is scipy.signal.BadCoefficients
    assert gpunp_scipy.get_array_module(gpunp.ones(2)) is gpunp
    for module in (gpunp_scipy.signal, gpunp_scipy.special, gpunp_scipy.signal.windows):
        with pytest.raises(
            AttributeError, match=r"module 'gpunp_scipy\.\w+(\.windows)?' has no attribute 'no_such"
        ):
            _ = module.no_such_name
        assert not hasattr(module, "_private")


def test_functions_that_scipy_has_dropped(device):
    linalg, special = gpunp_scipy.linalg, gpunp_scipy.special
    np.testing.assert_array_equal(linalg.tril(np.ones((3, 3)), -1), np.tril(np.ones((3, 3)), -1))
    np.testing.assert_array_equal(linalg.kron(np.eye(2), np.ones(2)), np.kron(np.eye(2), np.ones(2)))
    np.testing.assert_allclose(special.btdtr(2.0, 3.0, 0.3), scipy.special.betainc(2.0, 3.0, 0.3))
    np.testing.assert_allclose(special.btdtri(2.0, 3.0, 0.3), scipy.special.betaincinv(2.0, 3.0, 0.3))
    expected = scipy.special.sph_harm_y(3, 2, 0.4, 1.1)
    np.testing.assert_allclose(special.sph_harm(2, 3, 1.1, 0.4).get(), expected, rtol=1e-13)


def test_wavelets(device):
    signal = gpunp_scipy.signal
    x = np.arange(21) - 10.0
    expected = 2 / (np.sqrt(12) * np.pi**0.25) * (1 - x**2 / 16) * np.exp(-(x**2) / 32)
    np.testing.assert_allclose(signal.ricker(21, 4.0).get(), expected, atol=1e-15)
    wave = signal.morlet2(21, 4.0, 6).get()
    np.testing.assert_allclose(wave, np.exp(1.5j * x - x**2 / 32) * np.pi**-0.25 / 2, atol=1e-15)
    wave = signal.morlet(100).get()
    assert (abs(wave.sum()), wave.dtype) == (pytest.approx(0, abs=1e-8), np.complex128)
    np.testing.assert_array_equal(signal.qmf([1.0, 2.0, 3.0]), [3.0, -2.0, 1.0])
    data = np.random.default_rng(2).normal(size=50)
    widths = [1, 3, 9]
    rows = signal.cwt(gpunp.asarray(data), signal.ricker, widths)
    for row, width in zip(rows.get(), widths, strict=True):
        taps = signal.ricker(min(10 * width, 50), width).get()
        np.testing.assert_allclose(row, np.convolve(data, taps[::-1], "same")[:50], atol=1e-12)
    assert signal.cwt(data, signal.morlet2, widths, w=4).dtype == np.complex128
    with pytest.raises(IndexError, match="cwt: widths is empty"):
        signal.cwt(data, signal.ricker, [])


PLANNED = [("C2C", "fftn", (4, 6)), ("R2C", "rfftn", (4, 6)), ("C2R", "irfftn", (4, 4))]


@pytest.mark.parametrize(("value_type", "name", "shape"), PLANNED)
@pytest.mark.parametrize("axes", [None, (0, 1), (1,)])
def test_plans(value_type, name, shape, axes, device):
    generator = np.random.default_rng(1)
    a = generator.normal(size=shape) + (0 if value_type == "R2C" else 1j * generator.normal(size=shape))
    expected = getattr(scipy.fft, name)(a, axes=axes)
    x = gpunp.asarray(a)
    for module in (gpunp_scipy.fft, gpunp_scipy.fftpack):
        plan = module.get_fft_plan(x, axes=axes, value_type=value_type)
        np.testing.assert_allclose(getattr(gpunp_scipy.fft, name)(x, axes=axes, plan=plan).get(), expected)
        with plan:
            np.testing.assert_allclose(getattr(scipy.fft, name)(x, axes=axes).get(), expected)
        np.testing.assert_allclose(plan(x).get(), expected)
    if value_type == "C2C":
        actual = gpunp_scipy.fftpack.fftn(x, axes=axes, plan=plan)
        np.testing.assert_allclose(actual.get(), expected)


def test_plans_of_wrong_arguments(device):
    plan = gpunp_scipy.fft.get_fft_plan
    for arguments in ({"value_type": "Z2Z"}, {"axes": (0, 0)}, {"axes": 3}, {"shape": (2,), "axes": (0, 1)}):
        with pytest.raises(ValueError, match=r"value_type|unique|dimensionality|same length"):
            plan(gpunp.ones((3, 4), complex), **arguments)
    for dtype, value_type in ((float, "C2R"), (complex, "R2C")):
        with pytest.raises(TypeError, match="does not transform"):
            plan(gpunp.ones((3, 4), dtype), value_type=value_type)
