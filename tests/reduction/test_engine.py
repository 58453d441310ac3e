"""The reduction engine: axes, layouts, sizes at which kernels split their work, and arguments."""

import numpy as np
import pytest
from calls import call_test
from gpunp.reduction.engine import reduce_array
from hypothesis import given, settings
from hypothesis import strategies as st
from records import assert_same, make_values, outcome

import gpunp

UFUNCS = (
    "add",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "gcd",
    "logaddexp",
    "logaddexp2",
    "hypot",
)


@st.composite
def cases(draw):
    """Draw a shape, an order of its axes, steps along them, the axes to reduce, and keepdims."""
    ndim = draw(st.integers(0, 6))
    shape = draw(st.lists(st.integers(0, 5), min_size=ndim, max_size=ndim))
    order = draw(st.permutations(range(ndim)))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, -1, 2, -2]), min_size=ndim, max_size=ndim))
    axes = draw(st.sets(st.integers(0, ndim - 1))) if ndim else set()
    return shape, order, steps, tuple(sorted(axes)), draw(st.booleans())


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from("?bHilfdD"))
def test_any_axes_of_any_layout(case, char):
    shape, order, steps, axes, keepdims = case
    host = make_values(char, shape)
    view = (*(slice(None, None, step) for step in steps), Ellipsis)
    on_device = gpunp.asarray(host).transpose(order)[view]
    host = host.transpose(order)[view]
    for name in ("sum", "any", "mean", "var", "max"):
        function = getattr(np, name)
        expected, error = outcome(lambda f=function: f(host, axis=axes, keepdims=keepdims))
        actual, raised = outcome(lambda f=function: f(on_device, axis=axes, keepdims=keepdims))
        assert type(raised) is type(error), (name, raised, error)
        if error is None:
            assert_same(actual, expected, exact=False, where=name, absolute="terms of a sum cancel")
    if len(axes) == 1 and host.size:
        assert_same(np.argmin(on_device, axis=axes[0]), np.argmin(host, axis=axes[0]))


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_of_every_dtype(name):
    ufunc = getattr(np, name)
    for char in "?bBhHiIlLefdFD":
        host = make_values(char, (5, 9))
        for axis in (0, 1, (0, 1)):
            expected, error = outcome(lambda h=host, a=axis: ufunc.reduce(h, axis=a))
            actual, raised = outcome(lambda h=host, a=axis: reduce_array(name, gpunp.asarray(h), a))
            assert (raised is None) is (error is None), (char, raised, error)
            if error is None:
                # NumPy rounds float16 at every step, gpunp only the result.
                kind = expected.dtype.char
                tolerance = 2e-2 if kind == "e" else 2e-6 if kind in "fF" else 1e-13
                assert actual.dtype == expected.dtype
                np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "shape", [(1, 70_001), (3, 40_000), (70_001, 1), (5000, 33), (257, 1025), (64, 3, 2049), (3, 2049, 64)]
)
@pytest.mark.parametrize("char", "?bHifdD")
def test_sizes_that_are_split(shape, char):
    host = make_values(char, shape)
    host = np.nan_to_num(host, posinf=1, neginf=1)
    a = gpunp.asarray(host)
    for axis in (None, *range(len(shape)), tuple(range(len(shape)))[::2]):
        for name in ("sum", "max", "mean", "var", "count_nonzero"):
            expected = getattr(np, name)(host, axis=axis)
            np.testing.assert_allclose(
                gpunp.asnumpy(getattr(np, name)(a, axis=axis)),
                expected,
                rtol=2e-4 if char == "f" else 1e-10,
                atol=1e-3 if char == "f" else 1e-9,
            )
        if not isinstance(axis, tuple):
            assert_same(np.argmax(a, axis=axis), np.argmax(host, axis=axis))


def test_the_same_bits_every_time(rng):
    a = gpunp.asarray(rng.normal(size=(1000, 1300)).astype("f4"))
    for axis in (None, 0, 1):
        for name in ("sum", "mean", "var", "prod"):
            results = {gpunp.asnumpy(getattr(np, name)(a, axis=axis)).tobytes() for _ in range(5)}
            assert len(results) == 1


def test_more_dimensions_than_a_kernel_takes():
    shape = (2,) * 14
    host = np.arange(2.0**14).reshape(shape)
    where = host % 3 > 0
    a = gpunp.asarray(host)
    for axis in (tuple(range(0, 14, 2)), tuple(range(1, 14, 2)), (0, 5, 13)):
        assert_same(np.sum(a, axis=axis), np.sum(host, axis=axis))
        assert_same(
            np.sum(a, axis=axis, where=gpunp.asarray(where), keepdims=True),
            np.sum(host, axis=axis, where=where, keepdims=True),
        )
    assert_same(np.argmax(-a.T), np.argmax(-host.T))


@pytest.mark.parametrize("char", "iefdD")
def test_out(char):
    host = np.arange(12.0).reshape(3, 4)
    for axis, shape in ((0, (4,)), (1, (3,)), (None, ())):
        for kind in ("d", char):
            expected = np.sum(host.astype(kind), axis=axis, out=np.zeros(shape, char))
            out = gpunp.zeros(shape, char)
            assert np.sum(gpunp.asarray(host.astype(kind)), axis=axis, out=out) is out
            assert_same(out, expected)
    strided = gpunp.zeros((3, 8))[:, ::-2]
    np.sum(gpunp.asarray(np.ones((3, 4, 5))), axis=2, out=strided)
    assert_same(strided, np.full((3, 4), 5.0))
    with pytest.raises(ValueError, match="wrong number of dimensions"):
        np.sum(gpunp.ones((3, 4)), axis=0, out=gpunp.zeros((1, 4)))
    with pytest.raises(ValueError, match="does not fit"):
        np.sum(gpunp.ones((3, 4)), axis=0, out=gpunp.zeros(3))


def test_out_that_is_the_input():
    host = np.arange(16.0).reshape(4, 4)
    a, b = gpunp.asarray(host), host.copy()
    np.sum(a, axis=0, out=a[0])
    np.sum(b, axis=0, out=b[0])
    assert_same(a, b)


def test_masks_are_broadcast():
    host = np.arange(24.0).reshape(2, 3, 4)
    mask = np.array([[True], [False], [True]])
    for axis in (None, 0, (1, 2)):
        expected = np.sum(host, axis=axis, where=mask)
        assert_same(np.sum(gpunp.asarray(host), axis=axis, where=gpunp.asarray(mask)), expected)
    with pytest.raises(ValueError, match="cannot be broadcast"):
        np.sum(gpunp.ones((3, 1)), where=gpunp.ones((3, 2), bool))


@pytest.mark.parametrize("char", "ifdFD")
def test_masks_where_work_is_split(char, rng):
    host = np.nan_to_num(make_values(char, (3, 9001)), posinf=1, neginf=1)
    mask = rng.random(host.shape) < 0.6
    for axis in (None, 0, 1):
        for name in ("sum", "mean", "var", "std"):
            expected, error = outcome(lambda n=name, x=axis: getattr(np, n)(host, axis=x, where=mask))
            actual = getattr(np, name)(gpunp.asarray(host), axis=axis, where=gpunp.asarray(mask))
            assert error is None
            np.testing.assert_allclose(gpunp.asnumpy(actual), expected, rtol=1e-4, atol=1e-4)


def test_initial_none_asks_for_an_element():
    assert float(np.sum(gpunp.ones(3), initial=None)) == 3
    with pytest.raises(ValueError, match="no identity"):
        np.sum(gpunp.ones(0), initial=None)


@pytest.mark.large
def test_more_than_two_to_the_31():
    size = 2**31 + 1000
    a = gpunp.ones(size, "i1")
    a[-5] = 7
    assert int(np.sum(a)) == size + 6
    assert int(np.argmax(a)) == size - 5
    tall = a[: 2**31].reshape(2**30, 2)
    assert gpunp.asnumpy(np.sum(tall, axis=0)).tolist() == [2**30, 2**30]
    assert int(np.count_nonzero(np.max(tall, axis=1))) == 2**30


test_keepdims = call_test(
    """
    xp.sum(A([1, 2]), keepdims=1)
    xp.sum(A([1, 2]), keepdims=0)
    xp.sum(A([1, 2]), keepdims=None)
    xp.max(A([1, 2]), keepdims='a')
    xp.mean(A([1, 2]), keepdims=1.0)
    xp.add.reduce(A([1, 2]), keepdims=[])
    xp.all(A([1, 2]), keepdims=A(True))
    xp.count_nonzero(A([1, 2]), keepdims='')
    xp.count_nonzero(A([1, 2]), axis=0, keepdims='')
    xp.linalg.norm(A([1., 2]), keepdims='a')
    xp.linalg.norm(A([[1., 2]]), axis=0, keepdims='a')
    A([1, 2]).std(keepdims=None)
    xp.sum(A([1, 2]), dtype=A([1.]))
    xp.zeros_like(A([1, 2]), dtype=A([1.]))
    """
)
