"""scipy.fftpack on device arrays agrees with SciPy on host arrays."""

import numpy as np
import pytest

import gpunp
import gpunp_scipy.fftpack

fftpack = pytest.importorskip("scipy.fftpack")

RANDOM = np.random.default_rng(3)
LENGTHS = (1, 2, 3, 4, 7, 16, 33)


def compare(name, x, *args, tolerance=None, **kwargs):
    """Assert that SciPy's function gives with a device array what it gives with the host array."""
    # A copy, as `overwrite_x` lets SciPy write into it.
    expected = getattr(fftpack, name)(x.copy(), *args, **kwargs)
    actual = getattr(fftpack, name)(gpunp.asarray(x), *args, **kwargs)
    assert type(actual) is gpunp.ndarray
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    single = np.finfo(expected.dtype).dtype == np.float32
    tolerance = tolerance or (2e-5 if single else 1e-11)
    scale = np.max(np.abs(expected), initial=1)
    np.testing.assert_allclose(actual.get(), expected, rtol=0, atol=tolerance * scale)
    return actual


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "e", "f", "d"])
@pytest.mark.parametrize("name", ["rfft", "irfft"])
def test_real_transforms_in_packed_order(name, dtype):
    x = (RANDOM.normal(size=(5, 6)) * 4).astype(dtype)
    for axis in (0, 1, -2):
        for n in (None, 1, 2, 3, 4, 5, 6, 7, 10):
            compare(name, x, n, axis)
    for n in LENGTHS:
        compare(name, x.ravel()[:n])


def test_packed_order_and_its_inverse():
    x = RANDOM.normal(size=(3, 4, 5))
    for axis in range(3):
        packed = fftpack.rfft(gpunp.asarray(x), axis=axis)
        np.testing.assert_allclose(fftpack.irfft(packed, axis=axis).get(), x, atol=1e-13)
    np.testing.assert_array_equal(fftpack.rfft(gpunp.asarray([1.0, 2, 4, 1])).get(), [8, -3, -1, 2])


@pytest.mark.parametrize("dtype", ["i4", "f", "d", "F", "D"])
@pytest.mark.parametrize("name", ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"])
def test_complex_transforms(name, dtype):
    x = RANDOM.normal(size=(4, 5, 6)).astype(dtype)
    compare(name, x)
    if name in ("fft", "ifft"):
        compare(name, x, 7, 1)
        compare(name, x, n=3, axis=0, overwrite_x=True)
    else:
        compare(name, x, (3, 8), (0, 2))
        compare(name, x, shape=(3, 8), axes=(-1, 1))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "dctn", "idctn", "dstn", "idstn"])
def test_a_shape_without_axes_has_all_lengths(name):
    x = RANDOM.normal(size=(4, 5))
    compare(name, x, shape=(3, 6))
    for array in (x, gpunp.asarray(x)):
        with pytest.raises(ValueError, match="same length"):
            getattr(fftpack, name)(array, shape=(3,))


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"])
def test_cosines_and_sines(name, kind, norm):
    x = RANDOM.normal(size=(4, 6))
    compare(name, x, kind, norm=norm)
    compare(name, x.astype("f"), type=kind, norm=norm)
    if name.endswith("n"):
        compare(name, x, kind, (5, 3), (1, 0), norm)
    else:
        compare(name, x, kind, 5, 0, norm)
        compare(name, x[0] + 1j * x[1], kind, norm=norm)


@pytest.mark.parametrize("name", ["idct", "idst", "idctn", "idstn"])
def test_types_that_do_not_exist(name):
    for x in (np.ones(3), gpunp.ones(3)):
        with pytest.raises(KeyError):
            getattr(fftpack, name)(x, 5)


OPERATORS = {
    "diff": [(), (2,), (3,), (4,), (-1,), (-2,), (-3,), (1, 3.0), (2, 0.5)],
    "tilbert": [(0.7,), (2,), (0.5, 3.0)],
    "itilbert": [(0.7,), (2,), (0.5, 3.0)],
    "hilbert": [()],
    "ihilbert": [()],
    "cs_diff": [(1, 2), (0.5, 0.25, 3.0)],
    "sc_diff": [(1, 2), (0.5, 0.25, 9.0)],
    "ss_diff": [(1, 2), (0.5, 0.25, 9.0)],
    "cc_diff": [(1, 2), (0.5, 0.25, 9.0)],
    "shift": [(0.3,), (-2,), (1, 5.0)],
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    for args in OPERATORS[name]:
        for n in LENGTHS:
            x = RANDOM.normal(size=n)
            compare(name, x, *args)
            compare(name, x + 1j * RANDOM.normal(size=n), *args)
            compare(name, x.astype("f"), *args, tolerance=1e-11)
            compare(name, (x * 9).astype("i2"), *args)
    x = RANDOM.normal(size=40)[::-2]
    compare(name, x, *OPERATORS[name][0])


@pytest.mark.parametrize("dtype", ["i4", "e", "f", "F"])
def test_order_zero_returns_the_array(dtype):
    x = gpunp.ones((2, 3), dtype)
    assert fftpack.diff(x, 0) is x


@pytest.mark.parametrize("name", OPERATORS)
def test_bad_sequences(name):
    args = OPERATORS[name][-1] if name != "diff" else ()
    with pytest.raises(ValueError, match="one dimension"):
        getattr(fftpack, name)(gpunp.ones((2, 3)), *args)
    with pytest.raises(ZeroDivisionError):
        getattr(fftpack, name)(gpunp.ones(0), *args)


def test_bad_arguments():
    x = gpunp.ones(4)
    with pytest.raises(TypeError, match="real sequence"):
        fftpack.rfft(x + 1j)
    with pytest.raises(TypeError, match="real sequence"):
        fftpack.irfft(x + 1j)
    with pytest.raises(ValueError, match="invalid number of data points"):
        fftpack.rfft(x, 0)
    with pytest.raises(ValueError, match="invalid number of data points"):
        fftpack.irfft(gpunp.ones(0))
    with pytest.raises(TypeError):
        fftpack.diff(x, 1.5)
    for bad in (lambda: fftpack.shift(x, 1, 0), lambda: fftpack.ss_diff(x, 1, 0)):
        with pytest.raises(ZeroDivisionError):
            bad()


def test_helpers(device):
    ours = gpunp_scipy.fftpack
    for n in (1, 2, 5, 8):
        for name in ("fftfreq", "rfftfreq"):
            made = getattr(ours, name)(n, 0.5)
            assert made.device == device
            np.testing.assert_array_equal(made.get(), getattr(fftpack, name)(n, 0.5))
    with pytest.raises(ValueError, match="nonnegative"):
        ours.rfftfreq(-1)
    x = RANDOM.normal(size=(3, 4))
    compare("fftshift", x)
    compare("ifftshift", x, axes=1)
    assert ours.next_fast_len(11) == fftpack.next_fast_len(11) == 12
    np.testing.assert_array_equal(ours.fftshift(gpunp.asarray(x)).get(), fftpack.fftshift(x))
    np.testing.assert_array_equal(ours.ifftshift(gpunp.asarray(x)).get(), fftpack.ifftshift(x))


def test_every_name_is_there():
    assert sorted(gpunp_scipy.fftpack.__all__) == sorted(fftpack.__all__)
    assert len(fftpack.__all__) == 31
