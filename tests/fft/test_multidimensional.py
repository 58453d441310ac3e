from dataclasses import replace

import numpy as np
import pytest
from calls import call_test
from records import CANCELLING, Record, assert_same, check_record, record_test

import gpunp

COVERS = (
    "fft.fftn",
    "fft.ifftn",
    "fft.rfftn",
    "fft.irfftn",
    "fft.fft2",
    "fft.ifft2",
    "fft.rfft2",
    "fft.irfft2",
)
N = ("fftn", "ifftn", "rfftn", "irfftn")
TWO = ("fft2", "ifft2", "rfft2", "irfft2")
SHAPES = ((6,), (3, 4), (2, 3, 5), (2, 2, 2, 3), (2, 1, 4))


def records(name):
    dtypes = "lefd" if "rfft" in name and "irfft" not in name else "lefdFD"
    name = f"fft.{name}"
    two = name.endswith("2")
    shapes = SHAPES[1:] if two else SHAPES
    yield Record(name, dtypes=dtypes, shapes=shapes, exact=False, absolute=CANCELLING)
    for norm in ("backward", "ortho", "forward"):
        yield Record(
            name,
            lambda f, a, norm=norm: f(a, norm=norm),
            dtypes="fd",
            shapes=shapes[:3],
            exact=False,
            absolute=CANCELLING,
        )
    for axes in ((0,), (1, 0), (-1, 0), [0, 1], (0, 0), (1, 0, 1)):
        yield Record(
            name,
            lambda f, a, axes=axes: f(a, axes=axes),
            dtypes="fd",
            shapes=SHAPES[1:4],
            exact=False,
            absolute=CANCELLING,
        )
    for s in ((2, 2), (5, 7), (2, 9), (-1, 1), [3, None]):
        yield Record(
            name,
            lambda f, a, s=s: f(a, s, (0, 1), "ortho"),
            dtypes="f",
            shapes=SHAPES[1:4],
            exact=False,
            absolute=CANCELLING,
        )
        yield Record(
            name,
            lambda f, a, s=s: f(a, s, (1, 0)),
            dtypes="d",
            shapes=SHAPES[1:4],
            exact=False,
            absolute=CANCELLING,
        )
    if not two:
        yield Record(
            name, lambda f, a: f(a, (4,)), dtypes="fd", shapes=SHAPES, exact=False, absolute=CANCELLING
        )
    if "rfft" in name:
        yield Record(name, lambda f, a: f(a, axes=()), dtypes="d", shapes=SHAPES[1:3], raises=True)
    else:
        yield Record(name, lambda f, a: f(a, axes=()), dtypes="fd", shapes=SHAPES[1:3], layouts=("C", "F"))
    if two or "rfft" in name:
        yield Record(name, dtypes="d", shapes=((),), layouts=("C",), raises=True)
    else:
        yield Record(name, dtypes="dD", shapes=((),), layouts=("C",))
    yield Record(name, lambda f, a: f(a, (2, 3), (0,)), dtypes="d", shapes=SHAPES[1:3], raises=True)
    yield Record(name, lambda f, a: f(a, (2, 0), (0, 1)), dtypes="d", shapes=SHAPES[1:3], raises=True)
    yield Record(name, lambda f, a: f(a, axes=(0, 7)), dtypes="d", shapes=SHAPES[1:3], raises=True)
    yield Record(name, lambda f, a: f(a, norm="other"), dtypes="d", shapes=SHAPES[1:3], raises=True)


RECORDS = tuple(record for name in N + TWO for record in records(name))
test_records = record_test(RECORDS)
FEW_LAYOUTS = ("C", "transposed", "steps")
WORKING = [replace(record, layouts=FEW_LAYOUTS) for record in RECORDS if not record.raises]


@pytest.mark.parametrize("record", WORKING, ids=[f"{i}-{record.name}" for i, record in enumerate(WORKING)])
def test_records_on_stand_in_plans(record, stand_in):
    check_record(record)


@pytest.mark.parametrize("name", N + TWO)
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0)])
def test_out(name, axes, rng):
    function = getattr(np.fft, name)
    a = rng.normal(size=(4, 6, 3))
    expected = function(a, axes=axes, norm="ortho")
    out = gpunp.empty(expected.shape, expected.dtype)
    assert function(gpunp.asarray(a), axes=axes, norm="ortho", out=out) is out
    assert_same(out, expected, exact=False, absolute=CANCELLING)
    with pytest.raises(ValueError, match="wrong shape"):
        function(gpunp.asarray(a), axes=axes, out=gpunp.empty((9, 9, 9), expected.dtype))


def test_out_with_lengths(rng):
    """NumPy writes every pass into out, so only the axis that is transformed first may change its length."""
    a = rng.normal(size=(4, 6))
    for s, axes in (((4, 9), (0, 1)), ((6, 3), (1, 0)), ((5, 6), (0, 1)), ((4, 6), (0, 1))):
        host = np.empty([s[axes.index(i)] for i in (0, 1)], complex)
        device = gpunp.empty(host.shape, complex)
        try:
            expected = np.fft.fftn(a, s, axes, out=host)
        except ValueError:
            with pytest.raises(ValueError, match="shape"):
                np.fft.fftn(gpunp.asarray(a), s, axes, out=device)
        else:
            assert_same(
                np.fft.fftn(gpunp.asarray(a), s, axes, out=device), expected, exact=False, absolute=CANCELLING
            )


def test_in_place(rng):
    a = rng.normal(size=(3, 4, 5)) + 1j
    device = gpunp.asarray(a)
    assert np.fft.fftn(device, out=device) is device
    assert_same(device, np.fft.fftn(a), exact=False, absolute=CANCELLING)


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (2, 1, 0)])
def test_strides(axes, rng):
    """Inner, middle and outer axes, and several executions of one plan."""
    a = rng.normal(size=(6, 5, 8)) + 1j * rng.normal(size=(6, 5, 8))
    device = gpunp.asarray(a)
    for view in (
        np.s_[:],
        np.s_[::2],
        np.s_[:, 1:],
        np.s_[:, :, ::2],
        np.s_[1:, ::2, 1:7],
        np.s_[::-1, :, ::-1],
    ):
        for name in N:
            x, y = a[view], device[view]
            if name == "rfftn":
                x, y = x.real, y.real
            expected = getattr(np.fft, name)(x, axes=axes)
            assert_same(getattr(np.fft, name)(y, axes=axes), expected, exact=False, absolute=CANCELLING)
            assert_same(device, a)


def test_large(rng):
    for shape, axes in (
        ((256, 300), None),
        ((40, 50, 60), (0, 1)),
        ((3, 1000, 70), (1,)),
        ((9, 8, 7, 6, 5), None),
    ):
        a = rng.normal(size=shape)
        spectrum = np.fft.rfftn(gpunp.asarray(a), axes=axes, norm="ortho")
        np.testing.assert_allclose(
            gpunp.asnumpy(spectrum), np.fft.rfftn(a, axes=axes, norm="ortho"), rtol=0, atol=1e-11
        )
        s = a.shape if axes is None else [a.shape[axis] for axis in axes]
        axes = range(a.ndim) if axes is None else axes
        back = np.fft.irfftn(spectrum, s, axes, norm="ortho")
        np.testing.assert_allclose(gpunp.asnumpy(back), a, rtol=0, atol=1e-12)


LINES = """
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=2)
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=1)
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes='ab')
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=(0.0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=(None, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=(0, 2))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=np.array([0, 1]))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), axes=(np.int8(1),))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), 2, axes=(0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), (2.0, 3), axes=(0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), (True, 3), axes=(0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), 'ab', axes=(0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), (-2, 2), axes=(0.0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), (None, 3), axes=(0, 0))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), np.array([2, 3]), axes=(0, 1))
    xp.fft.{f}(A(np.arange(12.).reshape(3, 4)), norm=['ortho'])
    xp.fft.{f}(A(np.arange(24.).reshape(2, 3, 4)).T).strides
    xp.fft.{f}(A(np.arange(24.).reshape(2, 3, 4)).T, (5, 2), (0, 2)).strides
    xp.fft.{f}(A(2.), axes=2)
"""
test_calls = call_test("".join(LINES.replace("{f}", name) for name in N), exact=False, absolute=CANCELLING)
# Not ifftn: NumPy 2.4 ignores its out.
test_outputs = call_test(
    """
    xp.fft.fftn(A(np.arange(12.).reshape(3, 4)), (3, 5), (0, 1), out=A(np.zeros((3, 5), 'D')))
    xp.fft.fftn(A(np.arange(12.).reshape(3, 4)), (2, 4), (0, 1), out=A(np.zeros((2, 4), 'D')))
    xp.fft.fftn(A(np.arange(12.).reshape(3, 4)), (2, 4), (1, 0), out=A(np.zeros((4, 2), 'D')))
    xp.fft.fftn(A(np.arange(12.).reshape(3, 4)), (3, 2), (0, 1), out=A(np.zeros((3, 2), 'F')))
    xp.fft.fftn(A(np.arange(12.).reshape(3, 4)), out=A(np.zeros((3, 4))))
    xp.fft.fftn(A(np.arange(4.).reshape(1, 4)), (2, 4), (0, 1), out=A(np.zeros((2, 4), 'D')))
    xp.fft.rfftn(A(np.arange(12.).reshape(3, 4)), (3, 6), (0, 1), out=A(np.zeros((3, 4), 'D')))
    xp.fft.rfftn(A(np.arange(12.).reshape(3, 4)), (2, 6), (0, 1), out=A(np.zeros((2, 4), 'D')))
    xp.fft.irfftn(A(np.arange(12.).reshape(3, 4)), (2, 5), (0, 1), out=A(np.zeros((2, 5))))
    xp.fft.irfftn(A(np.arange(12.).reshape(3, 4)), (2, 5), (0, 1), out=A(np.zeros((2, 5), 'i')))
    xp.fft.irfftn(A(np.arange(12.).reshape(3, 4)), (2, 5), (0, 1), out=A(np.zeros((2, 4))))
    """,
    exact=False,
    absolute=CANCELLING,
)


@pytest.mark.parametrize("test", [test_calls, test_outputs], ids=["calls", "outputs"])
def test_calls_on_stand_in_plans(test, stand_in):
    (lines,) = [mark.args[1] for mark in test.pytestmark]
    for line in lines:
        test(line)


@pytest.mark.parametrize("s", [(3, 4), (None, 4)])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_deprecated_lengths_warn_as_in_numpy(name, s, device):
    x = np.arange(12.0).reshape(3, 4)
    # Each call is deprecated for one reason.
    axes = None if None not in s else (0, 1)
    with pytest.warns(DeprecationWarning, match="Deprecated|deprecated") as expected:
        wanted = getattr(np.fft, name)(x, s, axes)
    with pytest.warns(DeprecationWarning, match="Deprecated|deprecated") as found:
        y = getattr(np.fft, name)(gpunp.asarray(x, device=device), s, axes)
    assert len(found) == len(expected)
    assert found[0].filename == __file__
    np.testing.assert_allclose(gpunp.asnumpy(y), wanted, atol=1e-12)
