"""Transforms through cuFFT: the translation of strides to plans, and the plans' cache and work areas."""

import ctypes
import gc
import importlib.metadata
import itertools

import numpy as np
import pytest

# The stand-in library is found only if the real one is not installed.
REAL = any(d.name == "nvidia-cufft" for d in importlib.metadata.distributions())
pytestmark = [
    pytest.mark.fake_driver(),
    pytest.mark.skipif(REAL, reason="the real cuFFT is installed, and needs the real driver"),
]
VIEWS = (
    np.s_[:],
    np.s_[::2],
    np.s_[:, 1:],
    np.s_[:, :, ::2],
    np.s_[1:, ::2, 1:5],
    np.s_[:, :1],
    np.s_[1],
    np.s_[:, :, 2],
    np.s_[2:3, 1, :],
)


def on_device(a, device):
    """A device array with the strides of a host array that is a view of a dense one."""
    import gpunp

    base = a
    while base.base is not None:
        base = base.base
    copy = gpunp.asarray(base, device=device)
    offset = a.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    from gpunp.array.layout import strided_view

    return strided_view(copy, a.shape, a.strides, offset)


@pytest.mark.parametrize("char", ["F", "D"])
def test_complex_strides(cuda_device, char):
    import gpunp
    from gpunp.fft import cufft

    rng = np.random.default_rng(0)
    base = (rng.normal(size=(4, 5, 6)) + 1j * rng.normal(size=(4, 5, 6))).astype(char)
    refused = []
    for view, transpose in itertools.product(VIEWS, (False, True)):
        a = base[view].T if transpose else base[view]
        for count in range(1, a.ndim + 1):
            for axes in itertools.permutations(range(a.ndim), count):
                x = on_device(a, cuda_device)
                y = gpunp.empty(a.shape, char, device=cuda_device)
                for forward in (True, False):
                    if not cufft.transform(x, y, axes, forward):
                        refused.append((view, transpose, axes))
                        continue
                    function = np.fft.fftn if forward else np.fft.ifftn
                    expected = function(a, axes=axes, norm="backward" if forward else "forward")
                    np.testing.assert_allclose(
                        gpunp.asnumpy(y), expected, rtol=0, atol=1e-4 if char == "F" else 1e-12
                    )
    # Copies are needed only for outer strides that are not multiples of the inner one, and for overlaps.
    assert len(refused) < 200
    assert not [entry for entry in refused if entry[:2] == (np.s_[:], False) and len(entry[2]) == 1]


@pytest.mark.parametrize("char", ["f", "d"])
def test_real_strides(cuda_device, char):
    import gpunp
    from gpunp.fft import cufft

    rng = np.random.default_rng(0)
    tolerance = 1e-4 if char == "f" else 1e-12
    wide = "F" if char == "f" else "D"
    base = rng.normal(size=(4, 6, 6)).astype(char)
    done = 0
    for view, transpose in itertools.product(VIEWS, (False, True)):
        a = base[view].T if transpose else base[view]
        for count in range(1, a.ndim + 1):
            for axes in itertools.permutations(range(a.ndim), count):
                expected = np.fft.rfftn(a, axes=axes)
                x = on_device(a, cuda_device)
                y = gpunp.empty(expected.shape, wide, device=cuda_device)
                if cufft.transform(x, y, axes, True):
                    done += 1
                    np.testing.assert_allclose(gpunp.asnumpy(y), expected, rtol=0, atol=tolerance)
        for axis in range(a.ndim):
            spectrum = np.fft.rfft(a, axis=axis).astype(wide)
            back = gpunp.empty(a.shape, char, device=cuda_device)
            if cufft.transform(gpunp.asarray(spectrum, device=cuda_device), back, (axis,), False):
                done += 1
                np.testing.assert_allclose(gpunp.asnumpy(back) / a.shape[axis], a, rtol=0, atol=tolerance)
    assert done > 100


def test_refusals(cuda_device):
    import gpunp
    from gpunp.fft import cufft

    x = gpunp.empty((3, 4), complex, device=cuda_device)
    for view in (x[::-1], x[:, ::-1], gpunp.broadcast_to(x[0], (3, 4))):
        target = gpunp.empty(view.shape, complex, device=cuda_device)
        assert not cufft.transform(view, target, (0,), True) or not cufft.transform(view, target, (1,), True)
    real = gpunp.empty(9, "f4", device=cuda_device)
    # cuFFT requires real data to be aligned like complex data.
    assert not cufft.transform(real[1:], gpunp.empty(5, "c8", device=cuda_device), (0,), True)
    with pytest.raises(ValueError, match="one to three axes"):
        cufft.transform(x, x, (0, 1, 2, 3), True)
    with pytest.raises(TypeError, match="single or double"):
        cufft.transform(gpunp.empty(4, "f2", device=cuda_device), x[0], (0,), True)


def test_the_quick_way(cuda_device):
    import gpunp

    rng = np.random.default_rng(0)
    with cuda_device:
        for shape in ((8,), (7,), (3, 4), (2, 3, 5)):
            a = rng.normal(size=shape) + 1j * rng.normal(size=shape)
            device = gpunp.asarray(a)
            np.testing.assert_allclose(gpunp.asnumpy(np.fft.fft(device)), np.fft.fft(a), atol=1e-12)
            result = np.fft.ifft(device, norm="forward")
            np.testing.assert_allclose(gpunp.asnumpy(result), np.fft.ifft(a, norm="forward"), atol=1e-12)
            real = gpunp.asarray(a.real.copy())
            np.testing.assert_allclose(gpunp.asnumpy(np.fft.rfft(real)), np.fft.rfft(a.real), atol=1e-12)


def test_plans_are_kept_and_dropped(cuda_device):
    import gpunp
    from gpunp.fft.config import get_plan_cache

    library = ctypes.CDLL("libcufft.so.12")
    cache = get_plan_cache(cuda_device)
    with cuda_device:
        arrays = [gpunp.zeros((2, n), complex) for n in range(4, 9)]
        for _ in range(2):
            for a in arrays:
                np.fft.fft(a)
        assert (cache.size, cache.misses, cache.hits) == (5, 5, 5)
        assert library.fake_living_plans() == 5
        # In the stand-in library only odd lengths need a work area.
        assert cache.memsize == 2 * 512
        cache.size_limit = 2
        assert library.fake_living_plans() == 2
        plan = gpunp.fft.plan("fft", arrays[0])
        cache.clear()
        gc.collect()
        assert library.fake_living_plans() == 1
        with plan:
            np.fft.fft(arrays[0])
        assert cache.size == 0
        del plan
        gc.collect()
        assert library.fake_living_plans() == 0


def test_the_library_version(cuda_device):
    import gpunp.cuda.cufft

    assert gpunp.cuda.cufft.version() == 12000
