"""Names of NumPy's past and of other libraries."""

import numpy as np
import pytest

import gpunp
from gpunp.interop import older_names

A = np.array([[3.0, 1.0, 2.0], [0.5, 7.0, -1.0]])
CALLS = {
    "asfarray": ((np.array([1, 2]), "i"), np.array([1.0, 2.0])),
    "in1d": ((A, [1.0, 7.0]), np.isin(A, [1.0, 7.0]).ravel()),
    "msort": ((A,), np.sort(A, axis=0)),
    "round_": ((A / 3, 2), np.round(A / 3, 2)),
    "row_stack": (([A[0], A[1]],), A),
    "trapz": ((A, None, 0.5), np.trapezoid(A, dx=0.5)),
}


@pytest.mark.parametrize("name", CALLS)
def test_names_that_numpy_has_dropped(name, device):
    args, expected = CALLS[name]
    on_device = [gpunp.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
    for given in (args, on_device):
        with pytest.warns(DeprecationWarning, match=rf"gpunp\.{name} is deprecated; use numpy\."):
            actual = getattr(gpunp, name)(*given)
        assert type(actual) is gpunp.ndarray
        np.testing.assert_array_equal(actual, expected, strict=True)


def test_capsules(device):
    x = gpunp.arange(4.0)
    with pytest.warns(DeprecationWarning, match="pass the array itself to from_dlpack"):
        capsule = x.toDlpack()
    with pytest.warns(DeprecationWarning, match=r"use gpunp\.from_dlpack"):
        y = gpunp.fromDlpack(capsule)
    y[0] = 9
    assert x[0] == 9


def test_every_name_is_there():
    for name, value in vars(older_names).items():
        if getattr(value, "__module__", None) == older_names.__name__ and name[0] != "_":
            assert getattr(gpunp, name) is value


@pytest.mark.parametrize(
    ("name", "ufunc"), [("scatter_add", np.add), ("scatter_max", np.maximum), ("scatter_min", np.minimum)]
)
def test_scatter(name, ufunc, device):
    x, expected = gpunp.ones(5), np.ones(5)
    getattr(gpunp, name)(x, gpunp.asarray([0, 2, 2]), gpunp.asarray([3.0, -4.0, 0.5]))
    ufunc.at(expected, [0, 2, 2], [3.0, -4.0, 0.5])
    np.testing.assert_array_equal(x, expected)
    x, expected = gpunp.ones((3, 4), "f4"), np.ones((3, 4), "f4")
    assert getattr(x, name)((slice(1, None), [0, 2, 2]), 7) is None
    getattr(x, name)(gpunp.asarray([0, 0]), [1, 2, -3, 4])
    ufunc.at(expected, (slice(1, None), [0, 2, 2]), 7)
    ufunc.at(expected, [0, 0], [1, 2, -3, 4])
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize(
    ("view", "shape"),
    [
        (lambda a: a, (120,)),
        (lambda a: a[:, 1:3], (2, 30)),
        (lambda a: a[:, :, ::2], (8, 2, 5)),
        (lambda a: a[..., :3], (24, 3)),
        (lambda a: a[:, :1, ::3, None], (2, 5)),
        (lambda a: a[::-1], (2, 60)),
        (lambda a: a.transpose(1, 0, 2, 3), (4, 2, 15)),
        (lambda a: np.broadcast_to(a[0, 0], (4, 3, 5)), (4, 15)),
        (lambda a: a[:0], (0,)),
        (lambda a: a[:1, :1, :1, :1], (1,)),
        (lambda a: a[0, 0, 0, 0, ...], ()),
    ],
)
def test_reduced_views(view, shape, device):
    host = np.arange(120).reshape(2, 4, 3, 5)
    a = view(gpunp.asarray(host))
    reduced = a.reduced_view()
    assert reduced.shape == shape
    assert not a.size or np.may_share_memory(reduced, a)
    np.testing.assert_array_equal(reduced.get().ravel(), view(host).ravel())


def test_rsqrt(device):
    x = np.array([0.25, 4.0, 9.0])
    np.testing.assert_allclose(gpunp.rsqrt(gpunp.asarray(x)).get(), 1 / np.sqrt(x))
    assert gpunp.rsqrt(gpunp.asarray(x, "f")).dtype == np.float32
    assert gpunp.rsqrt(gpunp.asarray([4])).dtype == np.float64
    out = gpunp.empty(3)
    assert gpunp.rsqrt(gpunp.asarray(x), out=out) is out


def test_bounds_of_memory(device):
    a = gpunp.zeros((4, 6))
    start = a.data.ptr
    assert gpunp.byte_bounds(a) == (start, start + a.nbytes)
    assert gpunp.byte_bounds(a[::-1, 1:3]) == (start + 8, start + 3 * 48 + 24)
    low, high = gpunp.byte_bounds(a[:0])
    assert low == high


def test_who(capsys, device):
    x = gpunp.zeros((2, 3), "f")
    gpunp.who({"x": x, "y": x[:1], "text": "no array", "host": np.zeros(2)})
    text = capsys.readouterr().out
    assert text.splitlines()[1].split() == ["x", "2", "x", "3", "24", "float32"]
    assert "12 (as x)" in text
    assert text.endswith("Upper bound on total bytes: 24\n")
    gpunp.who({"host": np.zeros(2)})
    assert capsys.readouterr().out == ""


def test_pinned_memory(device):
    for kind in ("empty", "zeros"):
        make, like = getattr(gpunp, f"{kind}_pinned"), getattr(gpunp, f"{kind}_like_pinned")
        a = make((2, 3), "f", "F")
        assert (type(a), a.shape, a.dtype, a.flags.fnc) == (np.ndarray, (2, 3), np.float32, True)
        assert make(4).shape == (4,)
        for source in (a, gpunp.asarray(a)):
            b = like(source)
            assert (b.shape, b.dtype, b.flags.fnc) == (a.shape, a.dtype, True)
            assert like(source, "d", "C", shape=(5,)).shape == (5,)
        if kind == "zeros":
            assert not a.any()
            assert not b.any()
    with pytest.raises(ValueError, match="order must be"):
        gpunp.empty_pinned(3, order="K")


def test_availability():
    assert gpunp.is_available() is gpunp.cuda.is_available()
