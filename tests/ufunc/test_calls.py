"""How ufuncs are called: promotion, scalars, layouts, broadcasting, keywords, overlap and errors."""

import itertools
import operator

import numpy as np
import pytest
from calls import call_test
from gpunp.array.layout import strided_view
from hypothesis import given, settings
from hypothesis import strategies as st
from values import ordinary_values

import gpunp

CHARS = "?bBhHiIlLefdFD"
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "equal",
    "less",
    "power",
    "bitwise_or",
    "logical_and",
]


def check(call, *operands):
    """Assert that a call on host and device arrays gives equal results, or exceptions of the same type."""
    with np.errstate(all="ignore"):
        try:
            expected = call(*operands)
        except Exception as error:
            with pytest.raises(type(error)):
                call(*[gpunp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands])
            return
    actual = call(*[gpunp.asarray(x) if isinstance(x, np.ndarray) else x for x in operands])
    assert isinstance(actual, gpunp.ndarray)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    tolerance = {"e": 2e-3, "f": 1e-6, "F": 1e-6, "d": 1e-14, "D": 1e-14}.get(
        np.dtype(expected.dtype).char, 0
    )
    np.testing.assert_allclose(actual.get(), expected, rtol=tolerance, atol=0)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(("left", "right"), list(itertools.product(CHARS, CHARS)), ids="-".join)
def test_mixed_dtypes(name, left, right, device):
    ufunc = getattr(np, name)
    check(ufunc, ordinary_values(left, 5), ordinary_values(right, 5, 1))


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "power", "maximum", "less", "floor_divide"])
@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize(
    "scalar", [True, 3, 2.5, 1j, np.float32(1.5), np.int8(2), np.uint64(7), np.array(2.0)], ids=repr
)
def test_scalars(name, char, scalar, device):
    ufunc = getattr(np, name)
    values = ordinary_values(char, (3, 2))
    check(lambda a: ufunc(a, scalar), values)
    if name != "power":
        check(lambda a: ufunc(scalar, a), values)


@pytest.mark.parametrize("char", "bBhHiIlL")
@pytest.mark.parametrize(
    "value", [-1, 127, 128, 255, 256, 2**31, 2**40, 2**63, 2**64, -(2**63), -(2**63) - 1]
)
def test_python_integers_out_of_range(char, value, device):
    values = ordinary_values(char, 4)
    for ufunc in (np.add, np.less, np.greater_equal, np.equal, np.not_equal):
        check(lambda a, f=ufunc: f(a, value), values)
        check(lambda a, f=ufunc: f(value, a), values)


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
]
IN_PLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
]


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("char", "?bLfD")
def test_operators(function, char, device):
    a, b = ordinary_values(char, (2, 3)), ordinary_values(char, (2, 3), 1)
    check(function, a, b)
    check(lambda x: function(x, 2), a)
    check(lambda x: function(2, x), a)


@pytest.mark.parametrize("function", IN_PLACE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("char", "?bLfD")
def test_in_place_operators(function, char, device):
    def call(x, y):
        x = x.copy()
        before = x
        x = function(x, y)
        assert x is before
        return x

    check(call, ordinary_values(char, (2, 3)), ordinary_values(char, (2, 3), 1))
    check(call, ordinary_values(char, (2, 3)), ordinary_values("b", 3, 1))


def test_unary_operators(device):
    for char in "bLfD":
        values = ordinary_values(char, 6)
        for function in (operator.neg, operator.pos, abs):
            check(function, values)
    check(operator.invert, ordinary_values("i", 6))
    check(operator.invert, ordinary_values("?", 6))
    check(operator.invert, ordinary_values("f", 6))


def test_divmod(device):
    a = gpunp.asarray([7, -7, 3])
    quotient, rest = divmod(a, 4)
    np.testing.assert_array_equal(quotient.get(), [1, -2, 0])
    np.testing.assert_array_equal(rest.get(), [3, 1, 3])
    quotient, rest = divmod(9, a)
    np.testing.assert_array_equal(quotient.get(), [1, -2, 3])
    np.testing.assert_array_equal(rest.get(), [2, -5, 0])


@pytest.mark.parametrize("other", [None, "text"])
def test_equality_with_what_is_no_number(other, device):
    a = gpunp.asarray([1, 2])
    np.testing.assert_array_equal((a == other).get(), [False, False])
    np.testing.assert_array_equal((a != other).get(), [True, True])


def layouts(array):
    """Yield the same values with every kind of strides."""
    yield "C", array
    yield "F", np.asfortranarray(array)
    padded = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    every_other = tuple(slice(1, None, 2) for _ in array.shape)
    padded[every_other] = array
    yield "every other", padded[every_other]
    reverse = tuple(slice(None, None, -1) for _ in array.shape)
    yield "reversed", np.ascontiguousarray(array[reverse])[reverse]
    swapped = np.ascontiguousarray(np.moveaxis(array, 0, -1))
    yield "moved axis", np.moveaxis(swapped, -1, 0)


def on_device(array):
    """Copy an array to the device with its strides: upload its base and rebuild the view."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    flat = gpunp.asarray(np.frombuffer(base.tobytes(order="A"), base.dtype))
    return strided_view(flat, array.shape, array.strides, offset)


@pytest.mark.parametrize("char", "?hfdD")
@pytest.mark.parametrize("shape", [(3, 4), (40, 33), (2, 3, 5), (70, 64), (1, 7), (129, 3)], ids=str)
def test_layouts(char, shape, device):
    a, b = ordinary_values(char, shape), ordinary_values(char, shape, 1)
    expected = np.add(a, b), np.square(a), np.less(a, b)
    for (_, x), (_, y) in itertools.product(layouts(a), layouts(b)):
        dx, dy = on_device(x), on_device(y)
        np.testing.assert_array_equal(np.add(dx, dy).get(), expected[0])
        # On some processors NumPy uses fused multiply-adds for complex products, which round once less.
        np.testing.assert_allclose(np.square(dx).get(), expected[1], rtol=1e-6 if char == "f" else 1e-14)
        np.testing.assert_array_equal(np.less(dx, dy).get(), expected[2])
        assert np.add(dx, dy).strides == np.add(x, y).strides


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 1), (1, 4)), ((), (3,)), ((2, 3, 4), (4,)), ((2, 3, 4), (3, 1)), ((1,), (0,)), ((0, 3), (3,)),
     ((5, 1, 6), (1, 7, 1)), ((257,), (33, 1)), ((2, 3), (4,)), ((300, 1), (300,))],
    ids=str,
)  # fmt: skip
def test_broadcasting(left, right, device):
    for char in "fb":
        check(np.multiply, ordinary_values(char, left), ordinary_values(char, right, 1))
        check(np.hypot, ordinary_values(char, left), ordinary_values(char, right, 1))


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 255, 256, 257, 1023, 4097, 100_003])
@pytest.mark.parametrize("char", "?bhefdD")
def test_sizes(size, char, device):
    check(np.add, ordinary_values(char, size), ordinary_values(char, size, 1))
    check(lambda a: np.add(a[1:], a[:-1]), ordinary_values(char, size + 1))
    check(lambda a: np.equal(a, a), ordinary_values(char, size))


def test_many_dimensions(device):
    shape = (2, 1, 2, 3) * 3
    values = ordinary_values("f", shape).transpose(np.random.default_rng(1).permutation(12))
    check(np.add, values, values.T.reshape(values.shape))
    deep = ordinary_values("d", (1,) * 40 + (3,))
    check(np.add, deep, deep)


def test_keyword_out(device):
    a, b = gpunp.asarray([1.0, 2.0]), gpunp.asarray([3.0, 5.0])
    out = gpunp.empty(2)
    assert np.add(a, b, out=out) is out
    np.testing.assert_array_equal(out.get(), [4, 7])
    assert np.subtract(a, b, out) is out
    np.testing.assert_array_equal(out.get(), [-2, -3])
    narrow = gpunp.empty(2, np.float32)
    np.multiply(a, b, out=narrow)
    np.testing.assert_array_equal(narrow.get(), np.array([3, 10], np.float32))
    wide = gpunp.empty((3, 2))
    np.add(a, b, out=wide)
    np.testing.assert_array_equal(wide.get(), [[4, 7]] * 3)
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        np.add(a, b, out=gpunp.empty(2, np.int32))
    np.add(a, b, out=gpunp.empty(2, np.int32), casting="unsafe")
    with pytest.raises(ValueError, match="non-broadcastable output"):
        np.add(a, b, out=gpunp.empty(3))
    with pytest.raises(ValueError, match="non-broadcastable output"):
        np.add(wide, b, out=gpunp.empty(2))
    with pytest.raises(TypeError, match="out"):
        np.add(a, b, out=np.empty(2))
    mantissa, exponent = gpunp.empty(2), gpunp.empty(2, np.int32)
    got = np.frexp(a, out=(mantissa, exponent))
    assert got[0] is mantissa
    assert got[1] is exponent
    np.testing.assert_array_equal(exponent.get(), np.frexp([1.0, 2.0])[1])


def test_keyword_where(device):
    a = gpunp.asarray(np.arange(12.0).reshape(3, 4))
    mask = np.arange(4) % 2 == 0
    out = gpunp.full((3, 4), -1.0)
    np.multiply(a, 2, out=out, where=mask)
    expected = np.full((3, 4), -1.0)
    np.multiply(a.get(), 2, out=expected, where=mask)
    np.testing.assert_array_equal(out.get(), expected)
    np.multiply(a, 3, out=out, where=gpunp.asarray(~mask))
    np.multiply(a.get(), 3, out=expected, where=~mask)
    np.testing.assert_array_equal(out.get(), expected)
    assert np.add(a, 1, where=np.ones((2, 1, 1), bool)).shape == (2, 3, 4)
    with pytest.raises(TypeError, match="Cannot cast"):
        np.add(a, 1, where=gpunp.asarray([1, 0, 1, 0]))


def test_keywords_dtype_signature_casting(device):
    values = ordinary_values("i", 5)
    check(lambda a: np.add(a, a, dtype=np.float64), values)
    check(lambda a: np.add(a, a, dtype="f4", casting="unsafe"), values)
    check(lambda a: np.add(a, a, signature="dd->d"), values)
    check(lambda a: np.add(a, a, signature=(np.float64, None, None)), values)
    check(lambda a: np.add(a, 1.5, casting="no"), values)
    check(lambda a: np.add(a, a, dtype=np.int8), values)
    check(lambda a: np.add(a, a, dtype=np.int8, casting="unsafe"), values)
    check(lambda a: np.sqrt(a, dtype=np.float32), values.astype("f4"))
    check(lambda a: np.bitwise_or(a, 1.5), values)
    check(lambda a: np.add(a), values)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_keyword_order(order, device):
    a = ordinary_values("f", (3, 4, 5))
    for view in (a, a.T, a.transpose(1, 0, 2), np.asfortranarray(a)):
        assert np.negative(on_device(view), order=order).strides == np.negative(view, order=order).strides


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda a: a, lambda a: a[:1]),
        (lambda a: a[1:], lambda a: a[:-1]),
        (lambda a: a[0], lambda a: a),
        (lambda a: a.transpose(2, 0, 1), lambda a: a.transpose(2, 0, 1)[:, :1]),
        (lambda a: a[None], lambda a: a),
    ],
)
def test_order_where_axes_have_one_element_or_are_stretched(first, second, device):
    """Axes that strides do not put in order stay between those that they do, as in NumPy."""
    for shape in ((3, 1, 4), (2, 3, 4), (1, 3, 1)):
        values = np.asfortranarray(ordinary_values("d", shape))
        expected = np.add(first(values), second(values))
        on_the_device = on_device(values)
        sums = np.add(first(on_the_device), second(on_the_device))
        assert np.array_equal(sums.get(), expected)
        lengths = zip(sums.shape, sums.strides, expected.strides, strict=True)
        assert all(ours == numpys for length, ours, numpys in lengths if length > 1)


def test_overlap(device):
    for step in (1, -1):
        host = np.arange(1000.0)
        dev = gpunp.asarray(host)
        np.add(host[1:][::step], host[:-1][::step], out=host[1:][::step])
        np.add(dev[1:][::step], dev[:-1][::step], out=dev[1:][::step])
        np.testing.assert_array_equal(dev.get(), host)
    host = np.arange(64.0).reshape(8, 8)
    dev = gpunp.asarray(host)
    host += host.T
    dev += dev.T
    np.testing.assert_array_equal(dev.get(), host)
    dev[1:] = dev[:-1]
    host[1:] = host[:-1].copy()
    np.testing.assert_array_equal(dev.get(), host)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_views(data):
    """Random slices and permutations of two operands that broadcast."""
    ndim = data.draw(st.integers(0, 4))
    shape = data.draw(st.lists(st.integers(0, 5), min_size=ndim, max_size=ndim))
    char = data.draw(st.sampled_from("?blfeD"))

    def operand(seed):
        base_shape = [n * 2 + 1 for n in shape]
        axes = data.draw(st.permutations(range(ndim)))
        base = ordinary_values(char, [base_shape[a] for a in axes], seed)
        key = []
        for n in shape:
            step = data.draw(st.sampled_from([1, 2, -1, -2]))
            key.append(slice(0, n * abs(step), abs(step)) if step > 0 else slice(n * -step, 0, step))
        single = [data.draw(st.booleans()) for _ in shape]
        inverse = np.argsort(axes) if ndim else []

        def view(x):
            y = x.transpose([int(i) for i in inverse])[tuple(key)] if ndim else x
            kept = [slice(0, 1) if one and n else slice(None) for one, n in zip(single, shape, strict=True)]
            return y[tuple(kept)]

        return view(base), view(gpunp.asarray(base))

    (a, da), (b, db) = operand(0), operand(1)
    np.testing.assert_array_equal(np.logical_or(da, db).get(), np.logical_or(a, b))
    expected = np.maximum(a, b)
    actual = np.maximum(da, db)
    np.testing.assert_array_equal(actual.get(), expected)
    assert actual.shape == expected.shape


def test_results_are_never_numpy_scalars(device):
    zero_d = gpunp.asarray(2.5)
    for result in (zero_d + 1, np.sqrt(zero_d), np.add(zero_d, zero_d), -zero_d):
        assert isinstance(result, gpunp.ndarray)
        assert result.shape == ()


def test_foreign_operands_decide(device):
    class Wrapper:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    assert gpunp.asarray([1]) + Wrapper() == "mine"
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    assert (gpunp.asarray([1.0, 2.0]).__add__(masked)) is NotImplemented


@pytest.mark.skipif("not __import__('gpunp').cuda.is_available()")
def test_operands_on_two_devices_are_refused():
    with pytest.raises(ValueError, match=r"cuda:0.*cpu|cpu.*cuda:0"):
        gpunp.zeros(2, device="cuda") + gpunp.zeros(2, device="cpu")


# Outputs that share memory: the final contents are NumPy's.
test_outputs_that_overlap = call_test(
    """
    (lambda x: (xp.divmod(A([7., 8, 9, 10]), 4, out=(x, x)), x))(A(np.zeros(4)))
    (lambda x: (xp.divmod(x, 4, out=(x, x)), x))(A([7., 8, 9, 10]))
    (lambda x: (xp.divmod(A([7., 8, 9]), 4, out=(x[:-1], x[1:])), x))(A(np.zeros(4)))
    (lambda x: (xp.divmod(A([7., 8, 9]), 4, out=(x[1:], x[:-1])), x))(A(np.zeros(4)))
    (lambda x: (xp.divmod(x[:-1], 4, out=(x[:-1], x[1:])), x))(A([7., 8, 9, 10]))
    (lambda x: (xp.divmod(x[1:], 4, out=(x[1:], x[:-1])), x))(A([7., 8, 9, 10]))
    (lambda x: (xp.divmod(x[::-1], 4, out=(x, x[::-1])), x))(A([7., 8, 9, 10]))
    (lambda x: (xp.divmod(x, 4, out=(x, x), where=A([True, False, True, False])), x))(A([7., 8, 9, 10]))
    (lambda x: (xp.modf(A([7.5, 8, 9.25]), out=(x, x)), x))(A(np.zeros(3)))
    (lambda x: (xp.modf(x, out=(x, x)), x))(A([7.5, 8, 9.25]))
    (lambda x: (xp.frexp(A([7.5, 8, 9.25]), out=(x, x)), x))(A(np.zeros(3)))
    (lambda x: (xp.frexp(x[1:], out=(x[1:], x[:-1])), x))(A([7.5, 8, 9.25]))
    (lambda x: (xp.divmod(A([[7., 8], [9, 10]]), 4, out=(x, x)), x))(A(np.zeros((2, 2), 'f')))
    xp.add(A([1]), 1, subok=1)
    """
)
