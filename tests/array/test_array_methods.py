"""Array methods: all of NumPy's that apply to numbers on a device, with NumPy's parameters."""

import inspect
import math

import numpy as np
import pytest
from calls import call_test
from records import ALL, assert_same, make_values

import gpunp

# Access to host memory, and support for subclasses, which gpunp does not have.
LEFT_OUT = {
    "__array_finalize__",
    "__array_interface__",
    "__array_struct__",
    "__array_wrap__",
    "__buffer__",
    "ctypes",
    "data",
}


def names(cls):
    return {
        name
        for name in dir(cls)
        if (
            not name.startswith("_")
            or name.startswith("__array")
            or name in ("__class_getitem__", "__buffer__")
        )
    }


def test_all_methods_are_there():
    assert sorted(names(np.ndarray) - names(gpunp.ndarray) - LEFT_OUT) == []


@pytest.mark.parametrize("name", sorted(name for name in names(np.ndarray) if not name.startswith("_")))
def test_signatures(name):
    theirs = getattr(np.ndarray, name)
    if not callable(theirs) or name in LEFT_OUT:
        return
    try:
        wanted = inspect.signature(theirs).parameters
    except ValueError:
        pytest.skip(f"this NumPy has no signature for ndarray.{name}")
    ours = inspect.signature(getattr(gpunp.ndarray, name)).parameters
    variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    wanted = [
        (p.name, p.default)
        for p in list(wanted.values())[1:]
        if p.kind not in (*variadic, inspect.Parameter.POSITIONAL_ONLY)
    ]
    found = {p.name: p.default for p in list(ours.values())[1:]}
    for parameter, default in wanted:
        # NumPy's functions and methods use different sentinels for "not given".
        assert parameter in found, f"ndarray.{name} has no {parameter}"
        assert found[parameter] is np._NoValue or found[parameter] == default
    positional = [p for p, _ in wanted if p in found]
    assert positional == [p for p in found if p in positional], f"ndarray.{name}: wrong order"


def test_generic_alias():
    assert gpunp.ndarray[int, np.dtype[np.float64]].__origin__ is gpunp.ndarray


CLIPS = [
    lambda a: a.clip(),
    lambda a: a.clip(1),
    lambda a: a.clip(1, 2),
    lambda a: a.clip(1, max=2),
    lambda a: a.clip(max=2),
    lambda a: a.clip(min=1),
]


@pytest.mark.parametrize("call", CLIPS)
def test_clip(call):
    host = np.arange(5.0)
    assert_same(call(gpunp.asarray(host)), call(host))
    out = gpunp.zeros(5)
    assert gpunp.asarray(host).clip(1, 3, out) is out
    assert_same(out, host.clip(1, 3))


@pytest.mark.parametrize("char", ALL)
def test_conj(char):
    host = make_values(char, (3, 4))
    a = gpunp.asarray(host)
    for name in ("conj", "conjugate"):
        assert_same(getattr(a, name)(), getattr(host, name)())


FIELDS = [("f8", 0), ("f8", 8), ("f4", 4), ("f4", 12), ("u1", 5), ("c16", 0), ("c8", 8), ("i2", 6)]


@pytest.mark.parametrize(("dtype", "offset"), FIELDS)
@pytest.mark.parametrize("arrange", [lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[1, 1]])
def test_fields(dtype, offset, arrange):
    host = arrange(make_values("D", (3, 4)))
    a = arrange(gpunp.asarray(make_values("D", (3, 4))))
    assert_same(a.getfield(dtype, offset), host.getfield(dtype, offset))
    if not isinstance(host, np.ndarray):
        return
    assert np.may_share_memory(a.getfield(dtype, offset), a)
    host = host.copy()
    value = 3 if dtype != "c8" else 1j
    host.setfield(value, dtype, offset)
    assert a.setfield(value, dtype, offset=offset) is None
    np.testing.assert_array_equal(a.get(), host)


@pytest.mark.parametrize("kind", [np.recarray, np.matrix, np.ma.MaskedArray])
def test_views_of_other_classes_are_refused(kind):
    for arguments in ((kind,), (None, kind), ("f8", kind)):
        with pytest.raises(ValueError, match="view: type must be"):
            gpunp.ones(2).view(*arguments)


def test_field_errors():
    a = gpunp.zeros(3)
    for dtype, offset in (("f8", 4), ("c16", 0), ("f4", 8), ("f4", -1)):
        with pytest.raises(ValueError, match=r"type|offset") as expected:
            np.zeros(3).getfield(dtype, offset)
        with pytest.raises(ValueError, match=r"type|offset") as actual:
            a.getfield(dtype, offset)
        assert str(actual.value) == str(expected.value)
    with pytest.raises(ValueError, match="multiple"):
        a.getfield("f4", 2)
    with pytest.raises(TypeError, match="gpunp has no"):
        a.getfield("S2")


def test_files_of_text(tmp_path):
    host = np.arange(6.0).reshape(2, 3).T
    a = gpunp.asarray(host)
    for options in ({}, {"sep": ","}, {"sep": " ", "format": "%.2f"}):
        a.tofile(tmp_path / "ours", **options)
        host.tofile(tmp_path / "theirs", **options)
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    for order in "CFA":
        assert a.tobytes(order) == host.tobytes(order)
    with open(tmp_path / "stream", "wb") as stream:
        a.dump(stream)
    assert_same(gpunp.load(tmp_path / "stream", allow_pickle=True), host)


test_rounding_of_one_number = call_test(
    """
round(A([2.5, 3.5]).sum() / 4)
round(A(-3.7)[()])
round(A([2.567, 1]).max(), 2)
round(A([1234, 1]).max(), -2)
math.trunc(A([-3.7]).min())
math.floor(A([-3.7]).min())
math.ceil(A([-3.7]).min())
round(A([1.5, 2.5]))
round(A([]))
""",
    math=math,
)


@pytest.mark.parametrize("value", [True, 1j])
def test_rounding_of_no_real_number(value):
    with pytest.raises(TypeError, match="__round__"):
        round(gpunp.asarray(value))


test_numbers_and_views = call_test(
    """
    float(A(1.5, dtype="e"))
    int(A(1.5, dtype="e"))
    float(A(1.5, dtype="f"))
    float(A(1 + 2j))
    int(A(1 + 2j))
    complex(A(1 + 2j))
    float(A([1 + 2j])[0])
    A([1, 2]).view(None)
    A([1, 2], dtype="f").view(dtype=None)
    A([1, 2]).view()
    A([1, 2, 3], dtype="i1").view(None)
    A([1, 2])[1].byteswap()
    A(5).byteswap()
    """
)
