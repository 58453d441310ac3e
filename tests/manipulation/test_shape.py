import numpy as np
import pytest
from calls import call_test
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from records import ALL, SHAPES, Record, assert_same, record_test

import gpunp

RECORDS = (
    *(
        Record(name, shapes=SHAPES)
        for name in ("ndim", "shape", "size", "ravel", "squeeze", "atleast_1d", "atleast_2d", "atleast_3d")
    ),
    Record("size", lambda f, a: f(a, axis=0)),
    Record("size", lambda f, a: f(a, axis=(0, -1))),
    Record("reshape", lambda f, a: f(a, -1), dtypes=ALL, shapes=SHAPES),
    Record("reshape", lambda f, a: f(a, (2, -1))),
    Record("reshape", lambda f, a: f(a, a.shape[::-1], order="F")),
    Record("reshape", lambda f, a: f(a, a.shape[::-1], order="A")),
    Record("reshape", lambda f, a: f(a, (-1, -1)), raises=True),
    Record("reshape", lambda f, a: f(a, (4, -1), copy=False)),
    Record("reshape", lambda f, a: f(a, (1, *a.shape, 1), copy=True)),
    Record("ravel", lambda f, a: f(a, order="F")),
    Record("ravel", lambda f, a: f(a, order="A")),
    Record("ravel", lambda f, a: f(a, order="K"), layouts=("C", "F", "transposed", "offset")),
    Record("squeeze", lambda f, a: f(a[None, ..., None])),
    Record("squeeze", lambda f, a: f(a[None, ..., None], axis=(0, -1))),
    Record("squeeze", lambda f, a: f(a, axis=0)),
    Record("expand_dims", lambda f, a: f(a, 0)),
    Record("expand_dims", lambda f, a: f(a, (0, -1))),
    Record("expand_dims", lambda f, a: f(a, 5), raises=True),
    Record("atleast_2d", lambda f, a: f(a, a)),
)
test_records = record_test(RECORDS)


@given(shape=hnp.array_shapes(min_dims=1, max_dims=4, max_side=4), data=st.data())
@settings(max_examples=100, deadline=None)
def test_reshape_of_any_strides(shape, data):
    host = np.arange(np.prod(shape)).reshape(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    axes = data.draw(st.permutations(range(np.ndim(host[index]))))
    target = data.draw(st.permutations(np.shape(host[index])))
    order = data.draw(st.sampled_from("CFA"))
    expected = np.asarray(host[index]).transpose(axes)
    # Convert scalars to 0-D arrays, as in `expected`.
    selected = gpunp.asarray(host)[index]
    actual = (gpunp.asarray(selected) if selected._is_scalar else selected).transpose(axes)
    reshaped, device_reshaped = (
        np.reshape(expected, target, order=order),
        np.reshape(actual, target, order=order),
    )
    assert_same(device_reshaped, reshaped)
    if expected.size:
        assert np.may_share_memory(device_reshaped, actual) == np.may_share_memory(reshaped, expected)


@st.composite
def factorings(draw, size):
    """Draw a shape of ``size`` elements, including axes of length one."""
    shape = []
    while size > 1:
        shape.append(draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0])))
        size //= shape[-1]
    return tuple(shape + [1] * draw(st.integers(0, 2)))


def steps(a):
    """Return the strides of axes with more than one element, which alone matter."""
    return [stride for extent, stride in zip(a.shape, a.strides, strict=True) if extent > 1]


@given(data=st.data())
@settings(max_examples=500, deadline=None)
def test_reshape_gives_views_where_numpy_does(data):
    # Sliced, reversed and broadcast axes: positive, negative and zero strides, mergeable or not.
    whole = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, max_side=6))
    host = np.arange(np.prod(whole, dtype=int)).reshape(whole)
    index = tuple(slice(None, None, data.draw(st.sampled_from((1, 1, 2, -1, -2)))) for _ in range(host.ndim))
    axes = data.draw(st.permutations(range(host.ndim)))
    stretch = data.draw(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=2))

    def view(a):
        a = a[(*index, ...)].transpose(axes)
        for axis, extent in stretch:
            axis = min(axis, a.ndim)
            shape = (*a.shape[:axis], extent, *a.shape[axis:])
            a = np.broadcast_to(np.expand_dims(a, axis), shape)
        return a

    expected, actual = view(host), view(gpunp.asarray(host))
    target = data.draw(factorings(expected.size))
    order = data.draw(st.sampled_from("CFA"))
    try:
        wanted = np.reshape(expected, target, order=order, copy=False)
    except ValueError:
        with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
            np.reshape(actual, target, order=order, copy=False)
        assert_same(np.reshape(actual, target, order=order), np.reshape(expected, target, order=order))
        return
    got = np.reshape(actual, target, order=order, copy=False)
    assert steps(got) == steps(wanted)
    assert_same(got, wanted)


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize(
    ("shape", "target"), [((0, 3), (3, 0)), ((2, 0, 4), (0,)), ((0,), (5, 0, 1)), ((3, 1, 0), (0, 7))]
)
def test_reshape_of_no_elements_is_a_view(shape, target, order):
    a, host = gpunp.zeros((4, *shape)), np.zeros((4, *shape))
    got = np.reshape(a[::-2], (2, *target), order=order, copy=False)
    assert got.shape == (2, *target)
    assert np.reshape(host[::-2], (2, *target), order=order, copy=False).shape == got.shape


def test_reshape_method_takes_extents_and_a_tuple():
    a = gpunp.arange(6)
    assert a.reshape(2, 3).shape == a.reshape((2, 3)).shape == a.reshape([2, -1]).shape == (2, 3)
    with pytest.raises(ValueError, match=r"cannot reshape array of size 6 into shape \(4,\)"):
        a.reshape(4)


def test_ravel_keeps_the_order_of_axes_that_do_not_move():
    for shape, target in (((4,), (3, 4)), ((3, 1), (3, 4)), ((1, 4, 1), (2, 4, 3))):
        host = np.arange(np.prod(shape)).reshape(shape)
        stretched = np.broadcast_to(gpunp.asarray(host), target)
        assert_same(np.ravel(stretched, "K"), np.ravel(np.broadcast_to(host, target), "K"))
        assert_same(stretched.flatten("K"), np.broadcast_to(host, target).flatten("K"))


def test_shapes_in_arrays():
    for shape in (np.asarray([2, 3]), gpunp.asarray([2, 3])):
        assert gpunp.zeros(shape).shape == gpunp.arange(6).reshape(shape).shape == (2, 3)
        assert np.broadcast_to(gpunp.ones(3), shape).shape == (2, 3)
    assert gpunp.zeros(gpunp.asarray(3)).shape == (3,)


test_copies_own_their_memory = call_test(
    """
    A([[1, 2], [3, 4]]).ravel("F").flags.owndata
    A(np.arange(10))[::2].ravel("F").flags.owndata
    np.reshape(A([[1, 2, 5], [3, 4, 6]]), (3, 2), "F")
    np.reshape(A(np.zeros((2, 0, 3))), (3, 0), "F", copy=True).shape
    """
)

test_squeezed_scalars = call_test(
    """
    xp.squeeze(A([1, 2])[1], np.int64(0))
    xp.squeeze(A([1, 2])[1], -1)
    xp.squeeze(A([1, 2])[1], ())
    xp.squeeze(A([1, 2])[1], 1)
    xp.squeeze(A([1, 2])[1])
    xp.squeeze(A([1, 2])[1], A(0))
    """
)


def test_nothing_to_squeeze():
    for module in (np, gpunp):
        a = gpunp.asarray(np.zeros((2, 3)))
        assert module.squeeze(a) is a
        assert module.squeeze(a, ()) is a
        assert a.squeeze() is a
        point = gpunp.zeros(())
        assert module.squeeze(point, 0) is point
