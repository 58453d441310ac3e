"""lfilter and sosfilt: orders, dtypes, axes, states, layouts and bad input, against SciPy."""

import numpy as np
import pytest
import scipy.signal
from signal_calls import assert_close, compare, on_device, values

import gpunp
from gpunp_scipy import signal
from gpunp_scipy.signal import recursion

ORDERS = (1, 2, 3, 4, 5, 8, 11)


def stable(rng, order, char="d"):
    """A transfer function whose poles are inside the unit circle."""
    poles = rng.uniform(0.2, 0.85, order // 2) * np.exp(1j * rng.uniform(0.2, 3, order // 2))
    poles = np.concatenate([poles, poles.conj(), [0.5] * (order % 2)])
    if np.dtype(char).kind == "c":
        return values(rng, order + 1, char), np.poly(poles * np.exp(0.4j)).astype(char)
    return values(rng, order + 1, char), np.poly(poles).real.astype(char)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("order", ORDERS)
def test_orders_and_dtypes(order, char, rng):
    b, a = stable(rng, order, char if order == 3 else char.lower())
    x = values(rng, 3000, char)
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x)
    zi = values(rng, order, char)
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x, zi=zi)
    compare(signal.lfilter, scipy.signal.lfilter, 2 * b, 2 * a, x[:1], zi=zi)


@pytest.mark.parametrize("order", [2, 9])
@pytest.mark.parametrize("char", "dF")
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_axes_and_states(axis, char, order, rng):
    b, a = stable(rng, order)
    x = values(rng, (5, 40, 6), char)
    shape = list(x.shape)
    shape[axis] = order
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x, axis=axis)
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x, axis=axis, zi=values(rng, shape, char))
    shape[0 if axis % 3 else 1] = 1
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x, axis=axis, zi=values(rng, shape, char))


def test_many_adjacent_lanes(rng):
    b, a = stable(rng, 4)
    x = values(rng, (700, 200), "f")
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x, axis=0)
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x[::-1, ::2].T)


@pytest.mark.parametrize("order", [4, 8, 12])
@pytest.mark.parametrize("size", [2047, 2048, 2049, 70_001, 300_000])
def test_long_signals(size, order, rng):
    b, a = stable(rng, order)
    x = values(rng, size, "d")
    compare(signal.lfilter, scipy.signal.lfilter, b, a, x, zi=values(rng, order, "d"), tolerance=1e-9)


def _cut(monkeypatch, span):
    """Cut signals into spans of so many samples, as on GPUs."""

    def plan(system, x):
        spans = -(-x.shape[2] // span)
        return False, span, spans, system.powers(recursion.kernels.EACH), system.powers(span)

    def general_plan(a, order, x, rows, length, kind):
        matrix = recursion._power(recursion._transfer_matrix(a, order, kind), span)
        return span, -(-length // span), matrix

    monkeypatch.setattr(recursion, "_plan", plan)
    monkeypatch.setattr(recursion, "_general_plan", general_plan)


@pytest.mark.parametrize("span", [1, 13, 250, 999])
@pytest.mark.parametrize("char", "fD")
def test_spans(span, char, rng, monkeypatch, device):
    if device.kind != "cpu":
        pytest.skip("kernels of GPUs take spans of whole tiles")
    _cut(monkeypatch, span)
    x = values(rng, (3, 1000), char)
    for order in (1, 2, 4, 8, 9):
        b, a = stable(rng, order, "D" if char == "D" and order == 4 else "d")
        zi = values(rng, (3, order), char)
        compare(signal.lfilter, scipy.signal.lfilter, b, a, x)
        compare(signal.lfilter, scipy.signal.lfilter, b, a, x, zi=zi)
    for sections in (1, 2, 3, 4, 6):
        sos = scipy.signal.butter(2 * sections, 0.3, output="sos")
        compare(signal.sosfilt, scipy.signal.sosfilt, sos, x, zi=values(rng, (sections, 3, 2), char))


class _Lanes:
    """Lanes on a GPU, as far as their cutting depends on them."""

    itemsize = 4

    class device:
        kind, multiprocessors = "cuda", 132

    def __init__(self, outer, inner, samples):
        self.shape, self.strides = (outer, inner, samples), (4 * inner * samples, 4, 4 * inner)


@pytest.mark.parametrize("rows", [1, 3, 40, 100_000])
@pytest.mark.parametrize("inner", [1, 2, 64])
@pytest.mark.parametrize("samples", [1, 100, 5000, 1 << 24])
def test_cutting_for_gpus(samples, inner, rows):
    system = recursion.cascade(scipy.signal.butter(4, 0.3, output="sos"))
    columns, span, spans, inside, between = recursion._plan(system, _Lanes(rows, inner, samples))
    assert (spans - 1) * span < samples <= spans * span
    assert columns or span % recursion.kernels.TILE == 0
    assert columns or inside is not None
    assert spans == 1 or between is not None
    if rows * inner == 1 and samples == 1 << 24:
        assert spans > 132
    growing = recursion.transfer([1.0], [1.0, -3.0])
    assert recursion._plan(growing, _Lanes(rows, inner, 1 << 24))[2] == 1


def test_filters_that_do_not_decay(rng):
    x = values(rng, 100_000, "d")
    compare(signal.lfilter, scipy.signal.lfilter, [1.0], [1.0, -1.0], x, tolerance=1e-9)
    # Two poles at 1 amplify a rounding error by as much as the number of samples after it.
    compare(signal.lfilter, scipy.signal.lfilter, [1.0], [1.0, -2.0, 1.0], x, tolerance=1e-7)
    # The powers of the matrix of a tile overflow, the results do not.
    x[:-500] = 0
    compare(signal.lfilter, scipy.signal.lfilter, [1.0], [1.0, -3.0], x)


@pytest.mark.parametrize("char", "dfD")
def test_without_feedback(char, rng):
    x = values(rng, (4, 300), char)
    b = rng.normal(size=9)
    compare(signal.lfilter, scipy.signal.lfilter, b, [1.0], x)
    compare(signal.lfilter, scipy.signal.lfilter, b, [2.0], x, axis=0)
    compare(signal.lfilter, scipy.signal.lfilter, b, 2.0, x, zi=values(rng, (4, 8), char))
    compare(signal.lfilter, scipy.signal.lfilter, b, 2.0, x, zi=values(rng, (1, 8), char))
    compare(signal.lfilter, scipy.signal.lfilter, [3.0], [2.0], x, zi=np.zeros((4, 0), char))
    # A single state does not stand for several.
    for a in ([2.0], [2.0, 0.5]):
        compare(signal.lfilter, scipy.signal.lfilter, [1.0, 2, 3], a, x, zi=values(rng, (4, 1), char))
        compare(signal.lfilter, scipy.signal.lfilter, [3.0], a, x, zi=values(rng, (4, 3), char))


def test_nan_stays_within_the_taps(rng):
    x = values(rng, 100, "d")
    x[40] = np.nan
    compare(signal.lfilter, scipy.signal.lfilter, rng.normal(size=5), [1.0], x)
    compare(signal.lfilter, scipy.signal.lfilter, [1.0], [1.0, -0.5], x)


@pytest.mark.parametrize(
    ("b", "a", "x", "zi"),
    [
        ([], [1.0, 0.5], np.ones(3), None),
        ([1.0], [], np.ones(3), None),
        ([1.0], [0.0, 1.0], np.ones(3), None),
        ([[1.0]], [1.0, 0.5], np.ones(3), None),
        ([1.0], [1.0, 0.5], np.array(1.0), None),
        ([1.0], [1.0, 0.5], np.ones(3), np.ones(2)),
        ([1.0], [1.0, 0.5], np.ones((3, 4)), np.ones(1)),
        ([1.0, 2.0], [1.0], np.ones((3, 4)), np.ones(1)),
        ([1.0, 2.0], [1.0], np.ones((3, 4)), np.ones((3, 2))),
        ([1], [1, 2], np.ones(3, int), None),
        (np.ones(1, "e"), np.ones(2, "e"), np.ones(3, "e"), None),
    ],
)
def test_bad_input(b, a, x, zi):
    with pytest.raises((ValueError, TypeError, NotImplementedError)) as raised:
        scipy.signal.lfilter(b, a, x, zi=zi)
    with pytest.raises(raised.type):
        signal.lfilter(b, a, on_device(x), zi=on_device(zi))


def test_integer_samples_and_empty(rng):
    compare(signal.lfilter, scipy.signal.lfilter, [1.0], [1.0, -0.5], values(rng, 50, "i"))
    compare(signal.lfilter, scipy.signal.lfilter, [1.0], [1.0, -0.5], np.ones((0, 4)), axis=1)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("sections", [1, 2, 3, 4, 5, 8])
def test_sections(sections, char, rng):
    sos = scipy.signal.butter(2 * sections, 0.3, output="sos")
    x = values(rng, (3, 2500), char)
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, x)
    zi = values(rng, (sections, 3, 2), char)
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, x, zi=zi)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sections_along_axes(axis, rng):
    sos = scipy.signal.ellip(7, 0.5, 40, 0.25, output="sos")
    x = values(rng, (90, 70, 40), "d")
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, x, axis=axis)
    shape = list(x.shape)
    shape[axis] = 2
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, x, axis=axis, zi=values(rng, (4, *shape), "d"))


def test_complex_sections(rng):
    sos = scipy.signal.butter(4, 0.3, output="sos").astype(complex)
    sos[0, 1] += 0.5j
    x = values(rng, (3, 300), "D")
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, x)
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, x.real, zi=values(rng, (2, 3, 2), "D"))


@pytest.mark.parametrize("zi", [np.ones((1, 2)), np.ones((2, 3)), np.ones(2)])
def test_bad_sections(zi):
    sos = scipy.signal.butter(4, 0.3, output="sos")
    for bad in (sos[:, :5], sos[None], 2 * sos, sos[:0]):
        compare(signal.sosfilt, scipy.signal.sosfilt, bad, np.ones(9))
    compare(signal.sosfilt, scipy.signal.sosfilt, sos, np.ones(9), zi=zi)


def test_coefficients_on_the_device(rng):
    b, a = stable(rng, 4)
    x = values(rng, 500, "d")
    actual = signal.lfilter(gpunp.asarray(b), gpunp.asarray(a), gpunp.asarray(x))
    assert_close(actual, scipy.signal.lfilter(b, a, x))
