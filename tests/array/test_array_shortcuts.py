"""Methods with a short way for usual calls: every call gives what NumPy gives, whichever way it takes."""

import inspect

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp
from gpunp import array_methods, array_shortcuts

CALLS = {
    "squeeze": [(), (0,), ((0, 1),)],
    "swapaxes": [(0, 1), (0, -1), (-1, 0), (0, 5), (np.int64(0), 1), ("0", 1)],
    "diagonal": [(), (1,), (-1,), (0, 1, 0), (0, 0, 0), (np.int64(0),)],
    "ravel": [(), ("F",), ("K",), ("C",), ("x",)],
    "flatten": [(), ("F",), ("C",)],
    "tolist": [()],
    "tobytes": [(), ("F",), ("C",)],
    "item": [(), (0,), (-1,), (1, 0), (99,), (-99,), ((1, 0),), (np.int64(0),), (1.0,), (0, 0, 0)],
    "view": [(), (np.uint8,), ("nonsense",)],
    "astype": [
        (np.float64,),
        (np.dtype("f4"),),
        (int,),
        ("D",),
        (bool,),
        (float, "F"),
        (np.int64, "C", "safe"),
    ],
    "argmax": [(), (0,), (-1,), (7,)],
    "argmin": [(), (0,), (-1,), (7,)],
}
SHAPES = [(), (1,), (8,), (0,), (2, 4), (3, 1, 2), (1, 1), (2, 0), (40, 50)]
LAYOUTS = {
    "plain": lambda x: x,
    "transposed": lambda x: x.T,
    "steps": lambda x: x[..., ::-2] if x.ndim else x,
}


def made(shape, char):
    rng = np.random.default_rng(5)
    return np.array(rng.random(shape) * 90).astype(char)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("char", "?bHilqefdD")
@pytest.mark.parametrize("name", CALLS)
def test_methods_as_numpys(name, char, layout):
    for shape in SHAPES:
        values = made(shape, char)
        host, array = LAYOUTS[layout](values), LAYOUTS[layout](gpunp.asarray(values))
        for args in CALLS[name]:
            expected, error = outcome(lambda h=host, a=args: getattr(h, name)(*a))
            found, raised = outcome(lambda x=array, a=args: getattr(x, name)(*a))
            if error is not None:
                assert raised is not None, (shape, args, found)
                assert isinstance(raised, type(error)) or isinstance(error, type(raised)), (
                    shape,
                    args,
                    raised,
                )
                continue
            assert raised is None, (shape, args, raised)
            assert_same(found, expected, where=f"{shape} {args}")
            if name == "diagonal":
                assert not found.flags.writeable


@pytest.mark.parametrize("char", "?bHilqefdD")
def test_fill(char):
    values = (0, 1, 2.5, -1, 300, True, 1e300, 10**30, np.float32(2), np.array(3), 2j, "x", None, [1, 2])
    for shape in ((), (8,), (2, 4), (0,), (40, 50)):
        for value in values:
            host = np.ones(shape, char)
            array = gpunp.asarray(host)
            _, error = outcome(lambda h=host, v=value: h.fill(v))
            _, raised = outcome(lambda x=array, v=value: x.fill(v))
            assert (error is None) == (raised is None), (shape, value, error, raised)
            if error is None:
                assert_same(array, host, where=f"{shape} {value}")


def test_fill_of_views_scalars_and_read_only_arrays():
    array = gpunp.zeros((4, 4))
    array[:, 1].fill(3)
    array.T[0].fill(2.5)
    assert gpunp.asnumpy(array).tolist() == [[2.5, 3, 0, 0]] * 4
    array.flags.writeable = False
    for target in (array, array[0, 0]):
        with pytest.raises(ValueError, match=r"read-only|immutable"):
            target.fill(1)


@pytest.mark.parametrize(
    "values", [[1, np.nan, 3, np.nan], [-0.0, 0.0], [np.inf, np.inf], [np.nan], [3, 3, 1]]
)
@pytest.mark.parametrize("char", "fd")
def test_places_of_extreme_elements(values, char):
    host = np.array(values, char)
    array = gpunp.asarray(host)
    assert_same(array.argmax(), host.argmax())
    assert_same(array.argmin(), host.argmin())
    assert_same(array.argmax(keepdims=True), host.argmax(keepdims=True))


def test_views_share_memory():
    array = gpunp.zeros((2, 4))
    for view in (array.ravel(), array.view(), array.swapaxes(0, 1), array.squeeze()):
        view[...] = view[...] + 1
    assert gpunp.asnumpy(array).tolist() == [[4] * 4] * 2
    copies = (array.flatten(), array.astype(np.float64), array.ravel("F"))
    for copy in copies:
        copy[...] = 0
    assert array.sum() == 32


@pytest.mark.parametrize("shape", [(8,), (2, 4), (1, 4), (0,), ()])
def test_squeeze_without_effect_returns_the_array(shape):
    host = np.ones(shape)
    array = gpunp.asarray(host)
    assert (array.squeeze() is array) == (host.squeeze() is host)


def test_views_of_scalars_are_of_copies():
    scalar = gpunp.arange(4.0)[2]
    view = scalar.ravel()
    view[0] = 9
    assert float(scalar) == 2
    assert scalar.squeeze()._is_scalar
    assert scalar.astype(np.float32)._is_scalar


@pytest.mark.parametrize("char", "fdDil")
def test_products_of_small_arrays(char):
    rng = np.random.default_rng(6)
    for left, right in (
        ((8,), (8,)),
        ((2, 4), (4,)),
        ((4,), (4, 3)),
        ((3, 4), (4, 5)),
        ((1, 1), (1, 1)),
        ((90,), (90,)),
    ):
        a, b = (rng.integers(-9, 9, shape).astype(char) for shape in (left, right))
        x, y = gpunp.asarray(a), gpunp.asarray(b)
        assert_same(x @ y, a @ b)
        assert_same(np.dot(x, y), np.dot(a, b))
        assert_same(x.dot(y), a.dot(b))
        assert_same(np.matmul(x, y), np.matmul(a, b))
        if left == right:
            assert_same(np.inner(x, y), np.inner(a, b))
            assert_same(np.vdot(x, y), np.vdot(a, b))


@pytest.mark.parametrize("call", [lambda p, q: p.dot(q), np.dot, np.vdot, np.inner, np.matmul])
def test_vectors_of_different_lengths(call):
    with pytest.raises(ValueError, match=r"len|align|mismatch"):
        call(gpunp.ones(8), gpunp.ones(7))


@pytest.mark.parametrize("name", sorted(array_shortcuts.METHODS))
def test_signatures_and_docstrings_are_those_of_the_complete_methods(name):
    short, complete = getattr(gpunp.ndarray, name), array_methods.METHODS[name]
    assert inspect.signature(short) == inspect.signature(complete)
    assert short.__doc__ == complete.__doc__
    assert short.__qualname__ == complete.__qualname__


def test_downloads_are_counted(device):
    array = gpunp.ones(8)
    before = device.transfer_counts[2]
    array.tolist(), array.tobytes(), array.item(3)
    assert device.transfer_counts[2] - before == 3
