"""Short calls of NumPy's functions lead to the handlers of the protocol, where nobody else answers."""

import numpy as np
import pytest
from gpunp.array.ndarray import BEHAVIOUR
from records import assert_same, outcome

import gpunp

CALLS = (
    ("sum", (), {}),
    ("sum", (0,), {}),
    ("sum", (), {"axis": 0, "keepdims": True}),
    ("sum", ((0, 1),), {}),
    ("sum", (), {"dtype": np.float32}),
    ("sum", (), {"dtype": "f4"}),
    ("sum", (), {"dtype": np.dtype("f4")}),
    ("sum", (9,), {}),
    ("sum", (), {"nonsense": 1}),
    ("sum", (1, 2, 3, 4, 5, 6, 7, 8), {}),
    ("ndim", (), {}),
    ("shape", (), {}),
    ("size", (), {}),
    ("reshape", ((4, 2),), {}),
    ("reshape", (), {"shape": (4, 2), "order": "F"}),
    ("transpose", ((1, 0),), {}),
    ("squeeze", (), {}),
    ("squeeze", (), {"axis": 0}),
    ("ravel", (), {"order": "F"}),
    ("swapaxes", (0, 1), {}),
    ("diagonal", (), {"offset": 1}),
    ("argmax", (), {}),
    ("argmax", (), {"axis": 1}),
    ("argmin", (1,), {"keepdims": True}),
    ("dot", (3,), {}),
    ("clip", (1, 3), {}),
    ("repeat", (2,), {"axis": 1}),
    ("linalg.norm", (), {"ord": "fro"}),
)


def named(name):
    found = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(("name", "args", "kwargs"), CALLS)
def test_calls_as_numpys(name, args, kwargs):
    host = np.arange(8.0).reshape(2, 4)
    function = named(name)
    # The first call takes the protocol, the second the short way.
    for _ in range(2):
        expected, error = outcome(lambda: function(host, *args, **kwargs))
        found, raised = outcome(lambda: function(gpunp.asarray(host), *args, **kwargs))
        assert (error is None) == (raised is None), raised
        if error is None:
            assert_same(found, expected, exact=name != "linalg.norm")
        else:
            assert isinstance(error, type(raised)) or isinstance(raised, type(error))


class Other:
    """An argument whose type has the protocol."""

    def __array_function__(self, func, types, args, kwargs):
        return func.__name__, gpunp.ndarray in types


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: np.where(x, y, x),
        lambda x, y: np.sum(x, out=y),
        lambda x, y: np.dot(x, y),
        lambda x, y: np.concatenate((x, y)),
    ],
)
def test_other_types_are_asked(call):
    array = gpunp.ones(4)
    for function in (np.sum, np.dot):
        function(array, 0)
    np.where(array, 1, 2)
    for _ in range(2):
        name, known = call(array, Other())
        assert known
        assert name in ("where", "sum", "dot", "concatenate")


def test_host_arrays_keep_numpys_functions():
    np.sum(gpunp.ones(3))
    assert type(np.sum(np.ones(3))) is np.float64
    assert np.sum([1, 2]) == 3
    with pytest.raises(TypeError, match=r"argument"):
        np.sum()


def test_host_operands_follow_the_policy():
    array = gpunp.ones(4)
    np.dot(array, array)
    with gpunp.config.using(host_operands="error"), pytest.raises(TypeError):
        np.dot(array, np.ones(4))
    assert float(np.dot(array, np.ones(4))) == 4


def test_a_replaced_protocol_answers(monkeypatch):
    array = gpunp.ones(4)
    np.ndim(array), np.squeeze(array)
    monkeypatch.setitem(BEHAVIOUR, "__array_function__", lambda self, func, *rest: func.__name__)
    assert np.ndim(array) == "ndim"
    assert np.squeeze(array) == "squeeze"


@pytest.mark.parametrize("call", [np.add, np.maximum])
def test_ufuncs_with_out(call):
    x, y = gpunp.arange(8.0), gpunp.ones(8)
    out = gpunp.empty(8)
    for _ in range(2):
        assert call(x, y, out=out) is out
        assert_same(out, call(np.arange(8.0), np.ones(8)))
        assert call(x, 2, out=(out,)) is out
    with pytest.raises(TypeError):
        call(x, y, out=gpunp.empty(8, dtype=np.int32))
    with pytest.raises(ValueError, match=r"shape|broadcast"):
        call(x, y, out=gpunp.empty(7))
    with pytest.raises(TypeError):
        call(x, out=out)
