import itertools

import numpy as np
import pytest
from calls import call_test
from records import ALL, CANCELLING, TOLERANCES, assert_same, outcome

import gpunp
from gpunp.linalg import engine

COVERS = (
    "dot",
    "vdot",
    "inner",
    "outer",
    "tensordot",
    "linalg.matmul",
    "linalg.vecdot",
    "linalg.tensordot",
    "linalg.outer",
)
SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((7, 1, 3, 4), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 5)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((70, 33), (33, 65)),
    ((1, 1), (1, 1)),
    ((3, 4), (5, 4)),
    ((), (4,)),
    ((2, 3, 4), (3, 4, 5)),
]


def values(shape, char, seed=0):
    rng = np.random.default_rng([seed, *shape])
    dtype = np.dtype(char)
    if dtype.kind in "biu":
        return rng.integers(0, 2 if dtype.kind == "b" else 200, shape).astype(dtype)
    parts = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype.kind == "c" else 0)
    return np.asarray(parts).astype(dtype)


def compare(call, *arrays):
    expected, error = outcome(lambda: call(*arrays))
    actual, raised = outcome(lambda: call(*map(gpunp.asarray, arrays)))
    if error is not None:
        assert isinstance(raised, type(error)), (error, raised)
        return
    if raised is not None:
        raise raised
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    # The library may sum in another order; both sum float16 products in float32.
    tolerance = TOLERANCES.get(expected.dtype.char, 0) * 10
    np.testing.assert_allclose(actual.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize(("left", "right"), SHAPES, ids=str)
def test_matmul(left, right, char):
    compare(np.matmul, values(left, char), values(right, char, 1))


@pytest.mark.parametrize("chars", list(itertools.product("?blfD", repeat=2)), ids="".join)
def test_mixed_dtypes(chars):
    compare(lambda a, b: a @ b, values((3, 4), chars[0]), values((4, 2), chars[1]))


LAYOUTS = [
    lambda a, b: (a.swapaxes(-1, -2), b),
    lambda a, b: (a, b.swapaxes(-1, -2)),
    lambda a, b: (a[:, ::-1], b[:, :, ::-1]),
    lambda a, b: (a[:, ::2], b[:, :, ::2]),
    lambda a, b: (a[::-1], b[:1]),
    lambda a, b: (a.transpose(2, 0, 1), b.transpose(0, 2, 1)[:, :3]),
    lambda a, b: (a[:, 1:], b[:, :, 1:]),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("char", "bdF")
def test_layouts(layout, char):
    a, b = values((4, 4, 4), char), values((4, 4, 4), char, 1)
    expected, error = outcome(lambda: np.matmul(*layout(a, b)))
    actual, raised = outcome(lambda: np.matmul(*layout(gpunp.asarray(a), gpunp.asarray(b))))
    assert type(error) is type(raised)
    if error is None:
        assert_same(actual, expected, exact=char == "b")


def test_out_and_keywords():
    a, b = values((3, 4, 5), "d"), values((3, 5, 4), "d", 1)
    x, y = gpunp.asarray(a), gpunp.asarray(b)
    for out, order in (
        (gpunp.empty((3, 4, 4)), "C"),
        (gpunp.empty((3, 4, 4), order="F"), "F"),
        (gpunp.empty((3, 4, 8))[..., ::2], "steps"),
        (gpunp.empty((3, 4, 4), "D"), "cast"),
    ):
        assert np.matmul(x, y, out=out) is out, order
        assert_same(out, (a @ b).astype(out.dtype), exact=False, absolute=CANCELLING)
    square = gpunp.asarray(a[:, :, :4])
    np.matmul(square, square, out=square)
    assert_same(square, a[:, :, :4] @ a[:, :, :4], exact=False, absolute=CANCELLING)
    axes = [(1, 2), (1, 2), (2, 1)]
    assert_same(np.matmul(x, y, axes=axes), np.matmul(a, b, axes=axes), exact=False, absolute=CANCELLING)
    assert_same(np.matmul(x, y, dtype="D"), np.matmul(a, b, dtype="D"), exact=False, absolute=CANCELLING)
    with pytest.raises(ValueError, match="out has shape"):
        np.matmul(x, y, out=gpunp.empty((3, 4, 5)))
    with pytest.raises(TypeError, match="asnumpy"):
        np.matmul(x, y, out=np.empty((3, 4, 4)))
    with pytest.raises(TypeError):
        np.matmul(x, y, out=gpunp.empty((3, 4, 4), int))


def test_operators():
    a = gpunp.asarray(values((3, 3), "d"))
    host = a.get()
    assert_same(a @ host, host @ host, exact=False, absolute=CANCELLING)
    assert_same(host @ a, host @ host, exact=False, absolute=CANCELLING)
    a @= a
    assert_same(a, host @ host, exact=False, absolute=CANCELLING)
    truths = gpunp.asarray([[True, False], [True, True]])
    truths @= truths
    assert truths.tolist() == [[True, False], [True, True]]
    with pytest.raises(ValueError, match="enough dimensions"):
        a @ 2
    with pytest.raises(TypeError):
        a @ "text"


@pytest.mark.parametrize("char", "?ldD")
def test_vectors(char):
    m, v, w = values((3, 4), char), values((4,), char, 1), values((3,), char, 2)
    compare(np.vecdot, m, v)
    compare(np.vecdot, m, m)
    compare(np.matvec, m, v)
    compare(np.vecmat, w, m)
    compare(lambda a: np.vecdot(a, a, axis=0), m)
    compare(np.linalg.matmul, m, m.T)
    compare(lambda a: np.linalg.vecdot(a, a, axis=0), m)


def test_gufunc_methods_are_refused():
    a = gpunp.ones((2, 2))
    for call in (
        lambda x: np.matmul.reduce(x),
        lambda x: np.matmul.accumulate(x),
        lambda x: np.matmul.outer(x, x),
    ):
        with pytest.raises((RuntimeError, TypeError)) as expected:
            call(a.get())
        with pytest.raises(expected.type):
            call(a)


PAIRS = [
    ((), ()),
    ((), (3,)),
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((3, 4), (4, 2)),
    ((2, 3, 4), (5, 4, 2)),
    ((3, 4), (2, 4)),
    ((2, 3, 4), (4,)),
    ((0,), (0,)),
    ((3, 0), (0, 2)),
    ((2, 4), (3, 0, 4)),
    ((4,), (5,)),
]


@pytest.mark.parametrize(("left", "right"), PAIRS, ids=str)
@pytest.mark.parametrize("char", "?bdD")
@pytest.mark.parametrize("function", [np.dot, np.inner, np.outer, np.vdot])
def test_dot_inner_outer_vdot(function, left, right, char):
    compare(function, values(left, char), values(right, char, 1))


def test_dot_out():
    a = values((3, 4), "d")
    out = gpunp.empty((3, 3))
    assert np.dot(gpunp.asarray(a), a.T, out=out) is out
    assert_same(out, a.dot(a.T), exact=False, absolute=CANCELLING)
    for bad in (
        gpunp.empty((3, 3), "f4"),
        gpunp.empty((3, 4)),
        gpunp.empty((3, 3), order="F"),
        np.empty((3, 3)),
    ):
        with pytest.raises(ValueError, match="not acceptable"):
            np.dot(gpunp.asarray(a), a.T, out=bad)


@pytest.mark.parametrize(
    "axes", [0, 1, 2, ([1, 2], [0, 1]), (0, 2), ((0, 1), (0, 1)), ([0, 0], [1, 1])], ids=str
)
def test_tensordot(axes):
    a, b = values((2, 3, 4), "d"), values((3, 4, 2), "d", 1)
    compare(lambda x, y: np.tensordot(x, y, axes), a, b)
    compare(lambda x, y: np.linalg.tensordot(x, y, axes=axes), a, b)


def test_linalg_outer():
    compare(np.linalg.outer, values((3,), "d"), values((4,), "d"))
    compare(np.linalg.outer, values((3, 1), "d"), values((4,), "d"))


def test_integer_products_wrap():
    a = np.full((40, 70), 200, np.uint8)
    compare(np.matmul, a, a.T)
    big = np.full((3, 3), 2**62)
    compare(np.matmul, big, big)


def compare_products(name, shapes, out_shape, char, **keywords):
    a, b = (values(shape, char, i) for i, shape in enumerate(shapes))
    out = np.zeros(out_shape, char)
    device_out = gpunp.asarray(out)
    getattr(np, name)(a, b, out=out, **keywords)
    result = getattr(np, name)(gpunp.asarray(a), gpunp.asarray(b), out=device_out, **keywords)
    assert result is device_out
    np.testing.assert_allclose(result.get(), out, rtol=1e-5)


@pytest.mark.parametrize("char", "ldF")
def test_results_in_out(char):
    for case in (
        ("vecdot", ((2, 3, 2), (2, 1, 2)), (2, 3)),
        ("vecdot", ((3,), (3,)), ()),
        ("vecdot", ((1, 3), (1, 3)), (5, 4, 3)),
        ("matmul", ((3,), (3,)), ()),
        ("matmul", ((3,), (4, 3, 2)), (4, 2)),
        ("matmul", ((5, 2, 3), (3,)), (4, 5, 2)),
        ("matvec", ((5, 2, 3), (3,)), (5, 2)),
        ("vecmat", ((2,), (5, 2, 3)), (5, 3)),
    ):
        compare_products(*case, char)
    compare_products("vecdot", ((3, 4, 3), (3, 4, 3)), (3, 1, 3), char, axis=1, keepdims=True)


def test_keepdims_and_axes_of_vecdot():
    a, b = values((3, 4, 3), "d"), values((4, 3), "d", 1)
    for keywords in (
        {"keepdims": True},
        {"keepdims": True, "axes": [(0,), (1,), (0,)]},
        {"axes": [np.int8(-1), np.array(-1)]},
    ):
        compare(lambda x, y, keywords=keywords: np.vecdot(x, y, **keywords), a, b)
    with pytest.raises(TypeError, match="keepdims"):
        np.matmul(gpunp.asarray(a), gpunp.asarray(b).T, keepdims=True)


test_calls = call_test(
    """
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), 4)
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), -1)
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), True)
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), 1.0)
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), None)
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), 'ab')
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), ([-4], [0]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), ([5], [0]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), ([2], [5]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), ([2, 1], [0]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), ([2],))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), ([2], [0], [0]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), (2.0, 0))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), (None, 0))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), A([2, 0]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), np.array([[2], [0]]))
    xp.tensordot(A(np.ones((2, 3, 4))), A(np.ones((4, 3))), A(1))
    xp.tensordot(A(np.zeros((0, 3))), A(np.zeros((3, 0))), ([True], [0]))
    xp.tensordot(A([1., 2]), 2.)
    xp.tensordot(A([1., 2]), 2., 0)
    xp.dot(2, A([1., 2]), out=3)
    xp.dot(2, A([1., 2]), out=(A([1., 2]),))
    xp.dot(2, A([1., 2]), out=A([1., 2]))
    xp.dot(2, A([1., 2]), out=A([1, 2]))
    xp.dot(A([1., 2]), A([3., 4]), out=A([0.]))
    xp.dot(A([1., 2]), A([3., 4]), out=A(0.))
    xp.outer(2, A([1., 2]), (A([[1., 2]]),))
    xp.outer(2, A([1., 2]), out=A([[1., 2]]))
    xp.outer(A([1., 2]), A([1., 2]), out=A(np.zeros((3, 2, 2))))
    xp.outer(A([1., 2]), A([1., 2]), out=A(np.zeros((2, 3))))
    xp.vdot(A([1., 2]), A([1., 2, 3]))
    xp.inner(A([1., 2]), A([1., 2, 3]))
    """
)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize(
    "sides", [(4, 4, 4), (1, 64, 4096), (4096, 1, 1), (61, 64, 67), (17, 3, 1), (1, 9, 5)]
)
def test_products_of_small_matrices(char, sides, rng):
    """Call the kernel directly, because `@` uses NumPy's BLAS on the CPU device."""
    m, k, n = sides
    a, b = rng.standard_normal((m, k)).astype(char), rng.standard_normal((k, n)).astype(char)
    if char in "FD":
        a, b = a + 1j * a[::-1], b - 1j * b[:, ::-1]
    c = gpunp.zeros((m, n), char)
    engine.multiply_small(gpunp.asarray(a), gpunp.asarray(b), c)
    tolerance = TOLERANCES[char]
    np.testing.assert_allclose(gpunp.asnumpy(c), a @ b, rtol=tolerance, atol=10 * tolerance)
