import numpy as np
import pytest
from calls import call_test
from records import ALL, SHAPES, Record, assert_same, record_test

import gpunp

RECORDS = (
    *(Record(name, dtypes=ALL, shapes=SHAPES) for name in ("zeros_like", "ones_like")),
    Record("zeros_like", lambda f, a: f(a, dtype="f4", order="F")),
    Record("ones_like", lambda f, a: f(a, shape=(2, 5))),
    Record("full_like", lambda f, a: f(a, 3), dtypes=ALL),
    Record("full_like", lambda f, a: f(a, -1, dtype="i8")),
    Record("empty_like", lambda f, a: f(a)[:0] if a.ndim else f(a) * 0 == 1, dtypes="il"),
    Record(
        "empty_like", lambda f, a: f(a).strides, shapes=((3, 4), (2, 3, 4)), layouts=("C", "F", "transposed")
    ),
)
COVERS = ("empty", "zeros", "ones", "full")
test_records = record_test(RECORDS)


@pytest.mark.parametrize("shape", [(), 3, (2, 3), (0, 4), [2, 1], np.int64(4)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("char", [None, *ALL])
def test_from_shape(shape, order, char):
    assert_same(gpunp.zeros(shape, char, order), np.zeros(shape, char, order))
    assert_same(gpunp.ones(shape, char, order), np.ones(shape, char, order))
    assert_same(gpunp.full(shape, 1, char, order), np.full(shape, 1, char, order))
    empty, host = gpunp.empty(shape, char, order), np.empty(shape, char, order)
    assert (empty.shape, empty.dtype, empty.flags.f_contiguous) == (
        host.shape,
        host.dtype,
        host.flags.f_contiguous,
    )


test_orders = call_test(
    """
    xp.zeros((2, 3), order=None).flags.c_contiguous
    xp.empty((2, 3), order=None).flags.c_contiguous
    xp.ones((2, 3), order=None)
    xp.full((2, 3), 7, order=None)
    xp.eye(3, order=None)
    xp.ndarray((2, 3), order=None).flags.c_contiguous
    xp.zeros_like(A([[1, 2]]).T, order=None).flags.f_contiguous
    xp.zeros((2, 3), order="f").flags.f_contiguous
    xp.eye(3, order="f").flags.f_contiguous
    xp.zeros(3, order="K")
    xp.zeros(3, order="x")
    xp.zeros(3, order=1)
    """,
    own=True,
)


def test_full_takes_arrays():
    assert_same(gpunp.full((2, 3), np.arange(3)), np.full((2, 3), np.arange(3)))
    assert_same(gpunp.full((2, 3), gpunp.arange(3.0)), np.full((2, 3), np.arange(3.0)))


@pytest.mark.parametrize("shape", [-1, (2, -3), 2.5, "ab", (1,) * 65])
def test_bad_shapes(shape):
    with pytest.raises((ValueError, TypeError)) as expected:
        np.zeros(shape)
    with pytest.raises(expected.type):
        gpunp.zeros(shape)


def test_like_and_device(device):
    reference = gpunp.zeros(2)
    for made in (
        np.zeros(3, like=reference),
        np.ones((2, 2), "f4", like=reference),
        np.full(2, 7, like=reference),
        np.empty(0, like=reference),
        gpunp.zeros(3, device=device),
        gpunp.ones(2, device=str(device)),
    ):
        assert isinstance(made, gpunp.ndarray)
        assert made.device is device
    with pytest.raises(ValueError, match="unknown kind"):
        gpunp.zeros(3, device="tpu")


def test_host_prototype_gives_its_shape_only():
    with gpunp.config.using(host_operands="error"):
        assert_same(gpunp.zeros_like(np.ones((2, 3), "i2")), np.zeros((2, 3), "i2"))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_full_casts_its_value():
    for value in (np.nan, 2 + 3j, -1.5, np.float64(7.9), np.complex64(1j), 1e300):
        for char in "?bIlefD":
            if char == "I" and (value == -1.5 or abs(value) > 100):
                # Converting values out of range to unsigned integers is platform-dependent.
                continue
            with np.errstate(all="ignore"):
                expected = np.full(2, value, char)
            found = gpunp.full(2, value, char)
            assert_same(np.full_like(found, value), found.get())
            if abs(value) < 100 or char in "efD":
                assert_same(found, expected)
    with pytest.raises(OverflowError):
        gpunp.full(2, 300, "u1")


# The axes lie in memory in the prototype's order if the shape has as many dimensions.
test_shape_of_its_own = call_test(
    """
    np.empty_like(A(np.zeros((2, 3, 4))).transpose(1, 0, 2), shape=(3, 5, 7)).strides
    np.zeros_like(A(np.zeros((2, 3, 4))).transpose(1, 2, 0), shape=(3, 5, 7)).strides
    np.ones_like(A(np.zeros((2, 3, 4))).transpose(2, 0, 1)[::2], dtype="f4", shape=(3, 5, 7)).strides
    np.full_like(A(np.zeros((2, 3, 4))).transpose(1, 2, 0), 3, shape=(3, 5)).strides
    np.zeros_like(A(np.zeros((3, 4))).T, shape=5).strides
    np.zeros_like(A(np.zeros((3, 4))).T, shape=(5, 3), order="C").strides
    np.zeros_like(A(np.zeros((3, 4))).T, shape=(5, 3, 2), order="A").strides
    np.zeros_like(A(np.zeros((3, 4)))[:, ::2], shape=(5, 3), order="A").strides
    np.zeros_like(A(np.zeros((3, 4))), shape=(5, 3), order="F").strides
    np.full_like(A([1.0, 2]), [1j, 2])
    np.full_like(A([1, 2]), [1.5, 2])
    """
)
