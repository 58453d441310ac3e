"""Filters by functions of windows, compared with SciPy."""

import numpy as np
import pytest

scipy_ndimage = pytest.importorskip("scipy.ndimage")
from image_filters import MODES, compare, image, same  # noqa: E402

import gpunp  # noqa: E402
import gpunp_scipy.ndimage  # noqa: E402
from gpunp_scipy.ndimage import generic  # noqa: E402


def spread(windows, scale=1.0, axis=-1):
    return scale * (np.max(windows, axis=axis) - np.min(windows, axis=axis))


@pytest.mark.parametrize("mode", MODES)
def test_generic_filter(mode, rng):
    for shape in ((11,), (6, 9), (3, 4, 5)):
        for char in "fBd":
            a = image(rng, shape, char)
            compare("generic_filter", a, np.median, 3, mode=mode, cval=2)
            footprint = np.ones((2, 3, 2)[: len(shape)], bool)
            footprint.flat[1] = False
            compare("generic_filter", a, np.mean, footprint=footprint, mode=mode, cval=2, origin=-1)
            compare("generic_filter", a, spread, 2, output="f8", mode=mode, extra_arguments=(0.5,))
    compare("generic_filter", a, np.std, 3, axes=(0, 2), extra_keywords={"ddof": 1})
    compare("generic_filter", image(rng, (), "f"), np.median, 3, mode=mode)


def test_batches(monkeypatch, rng):
    monkeypatch.setattr(generic, "_WINDOW_BYTES", 2000)
    compare("generic_filter", image(rng, (20, 9), "d"), np.max, 3)


def test_functions_of_one_window():
    pytest.importorskip("numba")

    def weighted(window):
        total = 0.0
        for i in range(len(window)):
            total += i * window[i]
        return total

    a = np.arange(30.0).reshape(5, 6)
    compare("generic_filter", a, weighted, 3)


def test_functions_that_would_run_by_samples():
    a = gpunp.ones((4, 5))
    with pytest.raises(TypeError, match="called for each sample"):
        gpunp_scipy.ndimage.generic_filter(a, lambda window: print(window) or 0.0, 3)
    with pytest.raises(TypeError, match="one number for each window"):
        gpunp_scipy.ndimage.generic_filter(a, lambda window, axis: window, 3)
    for name in ("generic_filter", "generic_filter1d"):
        with pytest.raises(TypeError, match="functions in C"):
            getattr(gpunp_scipy.ndimage, name)(a, "low level", 3)


@pytest.mark.parametrize("mode", MODES)
def test_generic_filter1d(mode, rng):
    def differences(line, out, scale=1.0):
        out[...] = scale * (line[2:] - line[:-2])

    for shape, axis in (((7,), 0), ((4, 6), 0), ((4, 6), 1), ((2, 3, 5), 1)):
        for char in "fBd":
            a = np.abs(image(rng, shape, char)) // 4
            compare("generic_filter1d", np.sort(a, axis=axis), differences, 3, axis, "f8", mode, 1.0)
    compare("generic_filter1d", a, differences, 3, 0, None, mode, 0.0, 1, (2.0,))
    compare("generic_filter1d", a, differences, 3, extra_keywords={"scale": -1.0}, output="f8")


@pytest.mark.parametrize("mode", [*MODES, "valid"])
def test_vectorized_filter(mode, rng):
    for shape in ((11,), (6, 9), (3, 4, 5)):
        for char in "fBdeD":
            a = image(rng, shape, char)
            compare("vectorized_filter", a, np.max, size=3, mode=mode)
            footprint = np.eye(3, dtype=bool)[0 if len(shape) == 1 else slice(None)]
            if len(shape) < 3:
                compare("vectorized_filter", a, np.sum, footprint=footprint, mode=mode)
        compare("vectorized_filter", a, np.mean, size=2, mode=mode, axes=-1, batch_memory=200)
    compare("vectorized_filter", image(rng, (5, 6), "d"), np.sum, size=3, mode="constant", cval=2.5)
    compare("vectorized_filter", image(rng, (5, 6), "d"), np.sum, size=(2, 3), origin=(0, 1))
    compare("vectorized_filter", image(rng, (4, 5, 6), "d"), np.sum, size=(2, 3), axes=(2, 0))
    compare("vectorized_filter", np.ones((0, 4)), np.sum, size=3)
    compare("vectorized_filter", np.array(2.0), np.sum, size=())
    compare("vectorized_filter", np.array(2.0), np.sum, footprint=True)
    compare("vectorized_filter", np.array(2.0), np.sum, footprint=False)
    compare("vectorized_filter", np.ones((4, 5)), np.sum, size=3, batch_memory=np.inf)
    a = image(rng, (5, 6), "d")
    out = gpunp.zeros((5, 6), np.float32)
    gpunp_scipy.ndimage.vectorized_filter(gpunp.asarray(a), np.min, size=3, output=out)
    same(out, scipy_ndimage.minimum_filter(a, 3).astype("f"))


def test_bad_arguments():
    a = np.ones((4, 5))
    for name, args, kwargs in (
        ("vectorized_filter", ("no function",), {"size": 3}),
        ("vectorized_filter", (np.sum,), {}),
        ("vectorized_filter", (np.sum,), {"size": 3, "footprint": np.eye(3)}),
        ("vectorized_filter", (np.sum,), {"size": 0}),
        ("vectorized_filter", (np.sum,), {"size": 1.5}),
        ("vectorized_filter", (np.sum,), {"size": (3, 3, 3)}),
        ("vectorized_filter", (np.sum,), {"size": 3, "axes": (0, 1, 2)}),
        ("vectorized_filter", (np.sum,), {"size": 3, "origin": 0.5}),
        ("vectorized_filter", (np.sum,), {"size": 3, "origin": (0, 0, 0)}),
        ("vectorized_filter", (np.sum,), {"size": 3, "origin": 1, "mode": "valid"}),
        ("vectorized_filter", (np.sum,), {"size": 3, "mode": "unknown"}),
        ("vectorized_filter", (np.sum,), {"size": 3, "cval": 1.0}),
        ("vectorized_filter", (np.sum,), {"size": 3, "cval": "a", "mode": "constant"}),
        ("vectorized_filter", (np.sum,), {"size": 3, "batch_memory": 0}),
        ("vectorized_filter", (np.sum,), {"size": 3, "batch_memory": "a"}),
        ("vectorized_filter", (np.sum,), {"size": 3, "batch_memory": (1, 2)}),
        ("vectorized_filter", (np.sum,), {"size": 3, "batch_memory": 1}),
        ("generic_filter", (np.sum,), {}),
        ("generic_filter", (np.sum, 3), {"origin": 2}),
        ("generic_filter", (np.sum, 3), {"mode": "unknown"}),
        ("generic_filter1d", (np.sum, 0), {}),
        ("generic_filter1d", (np.sum, 3), {"axis": 2}),
        ("generic_filter1d", (np.sum, 3), {"origin": 2}),
    ):
        compare(name, a, *args, **kwargs)
    compare("generic_filter", a + 1j, np.sum, 3)
    compare("generic_filter1d", a + 1j, np.sum, 3)
