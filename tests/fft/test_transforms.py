from dataclasses import replace

import numpy as np
import pytest
from calls import call_test
from records import CANCELLING, Record, assert_same, check_record, record_test
from threads import run_together

import gpunp

COVERS = ("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft")
ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SHAPES = ((8,), (7,), (1,), (0,), (), (3, 4), (2, 3, 5), (4, 0))
DTYPES = "?lefdFD"


def records(name):
    # rfft and ihfft accept real input only.
    real = name in ("rfft", "ihfft")
    dtypes = DTYPES.strip("FD") if real else DTYPES
    name = f"fft.{name}"
    yield Record(name, dtypes=dtypes, shapes=SHAPES, exact=False, absolute=CANCELLING)
    yield Record(
        name, dtypes="bBhHiIL", shapes=((5,), (3, 4)), layouts=("C",), exact=False, absolute=CANCELLING
    )
    for norm in ("backward", "ortho", "forward"):
        yield Record(
            name,
            lambda f, a, norm=norm: f(a, norm=norm),
            dtypes=dtypes,
            shapes=((6,), (3, 5)),
            exact=False,
            absolute=CANCELLING,
        )
    for n in (1, 3, 6, 11):
        yield Record(
            name,
            lambda f, a, n=n: f(a, n),
            dtypes="fd",
            shapes=((5,), (3, 4)),
            layouts=("C", "F"),
            exact=False,
            absolute=CANCELLING,
        )
        yield Record(
            name,
            lambda f, a, n=n: f(a, np.int64(n), 0, "ortho"),
            dtypes="fd",
            shapes=((5,), (3, 4)),
            exact=False,
            absolute=CANCELLING,
        )
    for axis in (0, 1, -2):
        yield Record(
            name,
            lambda f, a, axis=axis: f(a, axis=axis),
            shapes=((3, 4), (2, 3, 5)),
            dtypes="fd",
            exact=False,
            absolute=CANCELLING,
        )
    if real:
        yield Record(name, dtypes="FD", shapes=((4,), (3, 4)), raises=True)
    yield Record(name, lambda f, a: f(a, 0), shapes=((4,), (3, 4)), raises=True)
    yield Record(name, lambda f, a: f(a, -3), shapes=((4,), (3, 4)), raises=True)
    yield Record(name, lambda f, a: f(a, axis=5), shapes=((4,), (3, 4)), raises=True)
    yield Record(name, lambda f, a: f(a, 4, axis=5), shapes=((4,), (3, 4)), raises=True)
    yield Record(name, lambda f, a: f(a, 2.5), shapes=((4,),), raises=True)
    yield Record(name, lambda f, a: f(a, norm="other"), dtypes="ld", shapes=((4,), (3, 4)), raises=True)


RECORDS = tuple(record for name in ONE for record in records(name))
test_records = record_test(RECORDS)
FEW_LAYOUTS = ("C", "transposed", "steps")
WORKING = [replace(record, layouts=FEW_LAYOUTS) for record in RECORDS if not record.raises]


@pytest.mark.parametrize("record", WORKING, ids=[f"{i}-{record.name}" for i, record in enumerate(WORKING)])
def test_records_on_stand_in_plans(record, stand_in):
    check_record(record)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("axis", [-1, 0])
def test_out(name, char, axis, rng):
    function = getattr(np.fft, name)
    a = rng.normal(size=(4, 6)).astype(char)
    expected = function(a, axis=axis, norm="ortho")
    device = gpunp.asarray(a)
    for dtype in {expected.dtype, np.dtype("d" if expected.dtype.kind == "f" else "D")}:
        for order in "CF":
            out = gpunp.empty(expected.shape, dtype, order=order)
            assert function(device, axis=axis, norm="ortho", out=out) is out
            # The transform is computed in the precision of the input, whatever the dtype of out.
            assert_same(out.astype(expected.dtype), expected, exact=False, absolute=CANCELLING)
    padded = gpunp.empty((*expected.shape, 2), expected.dtype)
    function(device, axis=axis, out=padded[..., 1])
    assert_same(padded[..., 1], function(a, axis=axis), exact=False, absolute=CANCELLING)
    with pytest.raises(ValueError, match="wrong shape"):
        function(device, axis=axis, out=gpunp.empty((5, 9), expected.dtype))
    with pytest.raises(TypeError, match=r"Cannot cast|same_kind"):
        function(device, axis=axis, out=gpunp.empty(expected.shape, int))
    with pytest.raises(TypeError, match="host array"):
        function(device, axis=axis, out=np.empty(expected.shape, expected.dtype))
    with pytest.raises(TypeError):
        function(device, axis=axis, out=[1])
    frozen = gpunp.empty(expected.shape, expected.dtype)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        function(device, axis=axis, out=frozen)


def test_in_place_and_overlapping(rng):
    a = rng.normal(size=(6, 6)) + 1j * rng.normal(size=(6, 6))
    for axis in (0, 1):
        device = gpunp.asarray(a)
        assert np.fft.fft(device, axis=axis, out=device) is device
        assert_same(device, np.fft.fft(a, axis=axis), exact=False, absolute=CANCELLING)
    device = gpunp.asarray(a)
    np.fft.ifft(device, out=device.T)
    assert_same(device, np.fft.ifft(a).T, exact=False, absolute=CANCELLING)
    np.fft.fft(device[:-1], out=device[1:])
    assert_same(device[1:], np.fft.fft(np.fft.ifft(a).T[:-1]), exact=False, absolute=CANCELLING)


def test_input_is_kept(rng):
    for name in ONE:
        a = rng.normal(size=(3, 8))
        if name not in ("rfft", "ihfft"):
            a = a + 1j
        device = gpunp.asarray(a)
        getattr(np.fft, name)(device, axis=0)
        getattr(np.fft, name)(device, norm="ortho")
        assert_same(device, a)


def test_host_input_with_a_device_out():
    out = gpunp.empty(4, complex)
    assert np.fft.fft([1, 2, 3, 4], out=out) is out
    assert_same(out, np.fft.fft([1, 2, 3, 4]), exact=False, absolute=CANCELLING)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 16, 60, 97, 127, 251, 1000, 1021, 1024, 2187, 4096, 10007])
@pytest.mark.parametrize("char", "FD")
def test_lengths(n, char, rng):
    """The tolerances are those of NumPy's own tests: 1e-6 and 1e-14 of the largest value."""
    a = (rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))).astype(char)
    device = gpunp.asarray(a)
    spectrum = np.fft.fft(a.astype("D"))
    tolerance = {"F": 1e-6, "D": 1e-14}[char] * np.abs(spectrum).max()

    def close(actual, expected):
        np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=0, atol=tolerance)

    close(np.fft.fft(device), spectrum)
    close(np.fft.ifft(np.fft.fft(device)), a)
    close(np.fft.rfft(device.real), np.fft.rfft(a.real.astype("d")))
    close(np.fft.irfft(np.fft.rfft(device.real), n), a.real)
    close(np.fft.fft(device.T.copy(), axis=0).T, spectrum)


def test_imaginary_parts_without_a_meaning_are_ignored(rng):
    for n in (7, 8):
        a = rng.normal(size=(3, n // 2 + 1)) + 1j * rng.normal(size=(3, n // 2 + 1))
        assert_same(np.fft.irfft(gpunp.asarray(a), n), np.fft.irfft(a, n), exact=False, absolute=CANCELLING)
        assert_same(np.fft.hfft(gpunp.asarray(a), n), np.fft.hfft(a, n), exact=False, absolute=CANCELLING)


def test_threads(rng):
    arrays = [rng.normal(size=(5, n)) for n in range(20, 40)]

    def work():
        for a in arrays:
            device = gpunp.asarray(a)
            assert_same(np.fft.irfft(np.fft.rfft(device), a.shape[1]), a, exact=False, absolute=CANCELLING)

    run_together(*[work] * 4)


LINES = """
    xp.fft.{f}(A([1., 2, 3, 4]), True)
    xp.fft.{f}(A([1., 2, 3, 4]), 2.0)
    xp.fft.{f}(A([1., 2, 3, 4]), 2.5)
    xp.fft.{f}(A([1., 2, 3, 4]), 'a')
    xp.fft.{f}(A([1., 2, 3, 4]), [3])
    xp.fft.{f}(A([1., 2, 3, 4]), np.int8(3))
    xp.fft.{f}(A([1., 2, 3, 4]), np.array(3))
    xp.fft.{f}(A([1., 2, 3, 4]), A(3))
    xp.fft.{f}(A([1., 2, 3, 4]), axis=1)
    xp.fft.{f}(A([1., 2, 3, 4]), 3, axis=1)
    xp.fft.{f}(A([1., 2, 3, 4]), axis=0.0)
    xp.fft.{f}(A([1., 2, 3, 4]), 3, axis=None)
    xp.fft.{f}(A([1., 2, 3, 4]), norm='other')
    xp.fft.{f}(A([1., 2, 3, 4]), norm=['ortho'])
    xp.fft.{f}(A([1., 2, 3, 4]), norm=1)
    xp.fft.{f}(A([1., 2, 3, 4]), 3)
    xp.fft.{f}(A(np.arange(24.).reshape(2, 3, 4)).T, axis=1).strides
    xp.fft.{f}(A(np.arange(24.).reshape(2, 3, 4)).transpose(1, 2, 0), 5, axis=0).strides
"""
OUTPUTS = """
    xp.fft.{f}(A([1., 2, 3, 4]), out=A([0j, 0, 0, 0, 0, 0, 0]))
    xp.fft.{f}(A([1., 2, 3, 4]), out=A([0, 0, 0, 0, 0, 0]))
    xp.fft.{f}(A([1., 2, 3, 4]), 4, out=A([0, 0, 0]))
"""
test_calls = call_test("".join(LINES.replace("{f}", name) for name in ONE), exact=False, absolute=CANCELLING)
# Not hfft: NumPy 2.4 ignores its out.
test_bad_outputs = call_test("".join(OUTPUTS.replace("{f}", name) for name in ONE if name != "hfft"))
test_outputs = call_test(
    """
    xp.fft.fft(A([1, 2]), out=(A([1j, 2]),))
    xp.fft.fft(A([1, 2]), 2.0, out=A([1j, 2]))
    xp.fft.fft(A([[1, 2, 4]]), out=A(np.zeros((5, 3), 'D')))
    xp.fft.rfft(A([[1, 2, 4]]), out=A(np.zeros((5, 2), 'F')))
    xp.fft.irfft(A([[1, 2, 4]]), out=A(np.zeros((5, 4))))
    xp.fft.fft(A([[1, 2, 4], [3, 4, 5]]), out=A(np.zeros((5, 3), 'D')))
    xp.fft.rfft(A([1j, 2]), out=A([1j, 2, 3]))
    xp.fft.rfft(A([1j, 2]), norm='other')
    xp.fft.irfft(A([1j, 2]), out=A([1, 2]))
    """,
    exact=False,
    absolute=CANCELLING,
)
