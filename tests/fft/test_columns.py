"""The FFT kernels along columns, on every device, and the transforms composed of them."""

import numpy as np
import pytest

import gpunp
from gpunp.fft import columns


def complex_values(rng, *shape):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("F")


def expected(x, axis, forward, factor):
    """Return the unscaled double-precision transform, times the factor."""
    function, norm = (np.fft.fft, "backward") if forward else (np.fft.ifft, "forward")
    return function(x.astype("D"), axis=axis, norm=norm) * factor


def assert_near(result, wanted):
    """Assert that the relative error in the 2-norm is that of a good single-precision transform."""
    error = np.linalg.norm(gpunp.asnumpy(result) - wanted) / np.linalg.norm(wanted)
    assert error < 2.5e-7, error


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("shape", [(1024, 64), (2048, 67), (4096, 65), (2, 1024, 3, 33), (3, 2048, 70)])
def test_down_columns(shape, forward, device, rng):
    """All lengths, partial tiles, and batches; out of place and in place."""
    x = complex_values(rng, *shape)
    axis = 0 if len(shape) == 2 else 1
    wanted = expected(x, axis, forward, 0.25)
    source = gpunp.asarray(x, device=device)
    target = gpunp.empty_like(source)
    assert columns.down(source, target, axis, forward, 0.25)
    assert_near(target, wanted)
    np.testing.assert_array_equal(gpunp.asnumpy(source), x)
    assert columns.down(source, source, axis, forward, 0.25)
    np.testing.assert_array_equal(gpunp.asnumpy(source), gpunp.asnumpy(target))


@pytest.mark.parametrize("odd", [False, True])
def test_columns_of_a_part(odd, device, rng):
    """Rows with gaps between them; in the odd case every other row begins at an odd element."""
    x = complex_values(rng, 2, 1024, 101 if odd else 104)
    whole = gpunp.asarray(x, device=device)
    target = gpunp.zeros((2, 1024, 120), "F", device=device)
    part = slice(1, 98) if odd else slice(0, 96)
    assert columns.down(whole[:, :, part], target[:, :, 5 : 5 + part.stop - part.start], 1, True, 1.0)
    wanted = np.zeros((2, 1024, 120), "D")
    wanted[:, :, 5 : 5 + part.stop - part.start] = expected(x[:, :, part], 1, True, 1)
    assert_near(target, wanted)
    assert not gpunp.asnumpy(target)[:, :, :5].any()


def test_steps_backwards(device, rng):
    """Negative strides of rows and batches."""
    x = complex_values(rng, 2, 1024, 70)
    source = gpunp.asarray(x, device=device)
    target = gpunp.empty_like(source)
    assert columns.down(source[::-1, ::-1], target[::-1], 1, True, 1.0)
    assert_near(target, expected(x[::-1, ::-1], 1, True, 1)[::-1])
    lines = source.reshape(-1, 1024)[: 2 * 70]
    assert columns.along(lines[::-1], target.reshape(-1, 1024), True, 1.0)
    assert_near(target.reshape(-1, 1024), expected(x.reshape(-1, 1024)[::-1], -1, True, 1))


def test_what_is_refused(device, rng):
    """Other dtypes, lengths, widths and strides are refused: the library transforms them."""
    x = gpunp.asarray(complex_values(rng, 1024, 64), device=device)
    y = gpunp.empty_like(x)
    assert not columns.down(x.astype("D"), y.astype("D"), 0, True, 1.0)
    assert not columns.down(x, y, 1, True, 1.0)
    assert not columns.down(x[:1000], y[:1000], 0, True, 1.0)
    assert not columns.down(x[:, :40], y[:, :40], 0, True, 1.0)
    wide = gpunp.zeros((1024, 128), "F", device=device)
    assert not columns.down(wide[:, ::2], y, 0, True, 1.0)
    assert not columns.along(x, y, True, 1.0)
    line = gpunp.asarray(complex_values(rng, 3 << 10), device=device)
    assert not columns.along(line, gpunp.empty_like(line), True, 1.0)
    real = gpunp.asarray(rng.random((1024, 2048), "f"), device=device)
    assert not columns.real_columns_and_rows(real[:, ::2], gpunp.zeros((1024, 513), "F", device=device), 1.0)
    assert not columns.real_columns_and_rows(
        real.astype("d"), gpunp.zeros((1024, 1025), "D", device=device), 1.0
    )


@pytest.mark.parametrize("shape", [(1024, 1024), (2, 512, 2048), (1, 1024, 4096)])
def test_real_columns_and_rows(shape, device, rng):
    """Real 2-D transforms, of one matrix and of a stack of two."""
    x = rng.standard_normal(shape, "f")
    result = gpunp.empty((*shape[:-1], shape[-1] // 2 + 1), "F", device=device)
    assert columns.real_columns_and_rows(gpunp.asarray(x, device=device), result, 0.25)
    assert_near(result, np.fft.rfft2(x.astype("d")) * 0.25)


@pytest.mark.parametrize(
    ("shape", "forward"),
    [((1 << 20,), True), ((2, 1 << 20), False), ((1 << 21,), True)]
    + [((3, 4, 1 << log_n), log_n % 2 == 0) for log_n in range(8, 13)],
)
def test_along_lines(shape, forward, device, rng):
    """Rows, and long transforms in two steps; out of place and in place."""
    x = complex_values(rng, *shape)
    wanted = expected(x, -1, forward, 0.5)
    source = gpunp.asarray(x, device=device)
    target = gpunp.empty_like(source)
    assert columns.along(source, target, forward, 0.5)
    assert_near(target, wanted)
    np.testing.assert_array_equal(gpunp.asnumpy(source), x)
    assert columns.along(source, source, forward, 0.5)
    np.testing.assert_array_equal(gpunp.asnumpy(source), gpunp.asnumpy(target))


def test_pure_waves(device):
    """A single frequency has a single nonzero coefficient: a wrong root of unity makes others nonzero."""
    n, k = 1 << 20, 700_001
    wave = np.exp(2j * np.pi * (np.arange(n) * k % n) / n).astype("F")
    spectrum = gpunp.empty(n, "F", device=device)
    assert columns.along(gpunp.asarray(wave, device=device), spectrum, True, 1 / n)
    rest = gpunp.asnumpy(spectrum)
    assert abs(rest[k] - 1) < 1e-6
    rest[k] = 0
    assert abs(rest).max() < 2e-7


@pytest.fixture
def own_kernels(stand_in, monkeypatch):
    """Use the kernels for every supported length, and make a separate scaling pass an error."""
    from gpunp.fft import passes

    def no_scaling(*args):
        raise AssertionError("a separate scaling pass")

    library = passes._library
    monkeypatch.setattr(library, "scale", no_scaling)
    lengths = {
        "own_columns": {512, 1024, 2048, 4096},
        "own_lines": {1 << 20},
        "own_scaled": {256, 512, 1024},
        "own_real": {1024},
    }
    for question, worthwhile in lengths.items():
        monkeypatch.setattr(columns, question, lambda device, n, worthwhile=worthwhile: n in worthwhile)
    monkeypatch.setattr(columns, "own_pays", lambda x: True)
    monkeypatch.setattr(columns, "passes_pay", lambda x: True)
    monkeypatch.setattr(columns, "fits", lambda device: True)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "rfftn"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_factor_of_several_axes(name, norm, own_kernels, rng):
    """If the kernels transform one of the axes, they apply the factor."""
    x = complex_values(rng, 2, 1024, 132)
    if name.startswith("r"):
        x = rng.standard_normal((2, 1024, 134), "f")
    arguments = {"axes": (1, 2), "norm": norm}
    wanted = getattr(np.fft, name)(x.astype("D" if x.dtype.kind == "c" else "d"), **arguments)
    assert_near(getattr(np.fft, name)(gpunp.asarray(x), **arguments), wanted)


@pytest.mark.parametrize("width", [130, 131])
@pytest.mark.parametrize("name", ["rfft2", "irfft2"])
def test_rows_within_sectors(name, width, own_kernels, rng):
    """Between the two axes the rows are padded, so that they begin at memory sectors."""
    x = complex_values(rng, 3, 1024, width)
    if name == "rfft2":
        x = rng.standard_normal((3, 1024, 2 * width), "f")
    wanted = getattr(np.fft, name)(x.astype("D" if x.dtype.kind == "c" else "d"), norm="ortho")
    found = getattr(np.fft, name)(gpunp.asarray(x), norm="ortho")
    assert found.flags.c_contiguous
    assert_near(found, wanted)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_factor_of_one_axis(norm, own_kernels, rng):
    """Columns and long rows; with padding, whose copy applies the factor, and with out=."""
    x = complex_values(rng, 1024, 68)
    assert_near(np.fft.fft(gpunp.asarray(x), axis=0, norm=norm), np.fft.fft(x.astype("D"), axis=0, norm=norm))
    padded = np.fft.ifft(gpunp.asarray(x), 2048, 0, norm)
    assert_near(padded, np.fft.ifft(x.astype("D"), 2048, 0, norm))
    out = gpunp.asarray(x)
    assert np.fft.fft(out, axis=0, norm=norm, out=out) is out
    assert_near(out, np.fft.fft(x.astype("D"), axis=0, norm=norm))
    line = complex_values(rng, 1 << 20)
    assert_near(np.fft.ifft(gpunp.asarray(line), norm=norm), np.fft.ifft(line.astype("D"), norm=norm))
    rows = line[:4096].reshape(4, 1024)
    assert_near(np.fft.fft(gpunp.asarray(rows), norm=norm), np.fft.fft(rows.astype("D"), norm=norm))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_factor_of_real_matrices(norm, own_kernels, rng):
    """The kernels transform both axes and apply the factor."""
    x = rng.standard_normal((2, 512, 1024), "f")
    assert_near(np.fft.rfft2(gpunp.asarray(x), norm=norm), np.fft.rfft2(x.astype("d"), norm=norm))
