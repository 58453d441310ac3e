import numpy as np
import pytest
from records import ALL, Record, assert_same, outcome, record_test

import gpunp

LAYOUTS = ("C", "F", "negative")
RECORDS = (
    Record("concatenate", lambda f, a, b: f([a, b]), dtypes=ALL, arrays=2, layouts=LAYOUTS),
    Record("concatenate", lambda f, a: f((a, a, a), axis=-1)),
    Record("concatenate", lambda f, a: f((a, a), axis=None)),
    Record("concatenate", lambda f, a: f((a, a), axis=3)),
    Record("concatenate", lambda f, a: f([a, a], dtype="f4")),
    Record("concatenate", lambda f, a: f([a, a], dtype="i2", casting="unsafe"), dtypes="?il"),
    *(
        Record(name, lambda f, a, b: f([a, b]), arrays=2, layouts=LAYOUTS)
        for name in ("stack", "vstack", "hstack", "dstack", "column_stack")
    ),
    Record("stack", lambda f, a: f([a, a], axis=-1)),
    Record("append", lambda f, a, b: f(a, b), arrays=2),
    Record("append", lambda f, a, b: f(a, b, axis=0), arrays=2),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("function", [np.concatenate, np.stack, np.hstack])
def test_mixed_dtypes(function):
    parts = [np.ones(3, dtype=d) for d in ("?", "i1", "u2", "f4")]
    assert_same(function([gpunp.asarray(p) for p in parts]), function(parts))


def test_host_parts_and_out():
    a, b = np.arange(3.0), np.arange(4)
    assert_same(np.concatenate([gpunp.asarray(a), b, [1, 2]]), np.concatenate([a, b, [1, 2]]))
    out = gpunp.empty(7)
    assert np.concatenate([gpunp.asarray(a), b], out=out) is out
    assert_same(out, np.concatenate([a, b]))
    with pytest.raises(ValueError, match="wrong shape"):
        np.concatenate([gpunp.asarray(a), b], out=gpunp.empty(6))
    with pytest.raises(TypeError, match="asnumpy"):
        np.concatenate([gpunp.asarray(a), b], out=np.empty(7))


def test_nothing_to_join():
    with pytest.raises(ValueError, match="need at least one array"):
        gpunp.concatenate([])
    with pytest.raises(ValueError, match="match exactly"):
        np.concatenate([gpunp.zeros((2, 3)), gpunp.zeros((2, 4))])


@pytest.mark.parametrize(
    "function", [np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack]
)
def test_many_parts(function):
    parts = [np.arange(4, dtype="i2") + i for i in range(300)]
    assert_same(function([gpunp.asarray(part) for part in parts]), function(parts))


@pytest.mark.parametrize("char", "bhfdD")
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_parts_of_every_length(char, axis):
    parts = []
    for extent in (1, 3, 0, 700, 16, 5, 2500):
        shape = [3, 2, 3]
        shape[axis] = extent
        parts.append(np.arange(np.prod(shape)).reshape(shape).astype(char))
    on_device = [gpunp.asarray(part) for part in parts]
    assert_same(np.concatenate(on_device, axis), np.concatenate(parts, axis))


@pytest.mark.parametrize("start", range(5))
def test_long_parts_at_any_address(start):
    host = np.arange(40_000, dtype="u1")
    a = gpunp.asarray(host)
    for part, other in ((host[start:], a[start:]), (host[start : start + 20_001], a[start : start + 20_001])):
        assert_same(np.concatenate([other, other[1:], other]), np.concatenate([part, part[1:], part]))


def test_parts_that_are_views():
    host = np.arange(2000.0).reshape(20, 100)
    a = gpunp.asarray(host)
    cases = (
        lambda x: [x[:, :30], x[:, 70:]],
        lambda x: [x[::2, 3:4], x[1::2, 9:]],
        lambda x: [x[::-1], x],
        lambda x: [x[:, ::2], x],
        lambda x: [x[:1], x, x[5]],
    )
    for case in cases[:-1]:
        assert_same(np.concatenate(case(a), 1), outcome(lambda case=case: np.concatenate(case(host), 1))[0])
    with pytest.raises(ValueError, match="same number of dimensions"):
        np.concatenate(cases[-1](a))
    row = np.broadcast_to(a[0], (20, 100))
    assert_same(np.concatenate([row, a], 1), np.concatenate([np.broadcast_to(host[0], (20, 100)), host], 1))


def test_memory_order():
    host = np.arange(12.0).reshape(3, 4)
    fortran = gpunp.asarray(host, order="F")
    assert np.concatenate([fortran, fortran]).flags.f_contiguous
    assert_same(np.concatenate([fortran, fortran], 1), np.concatenate([host, host], 1))
    assert np.concatenate([fortran, gpunp.asarray(host)]).flags.c_contiguous


def test_out_that_is_read():
    host = np.arange(10)
    a = gpunp.asarray(host)
    np.concatenate([a[5:], a[5:]], out=a)
    assert_same(a, np.concatenate([host[5:], host[5:]]))
    wide, host = gpunp.zeros((4, 6)), np.zeros((4, 6))
    np.concatenate([gpunp.ones((2, 1)), gpunp.full((2, 2), 3, "i2")], 1, out=wide[::2, ::2])
    np.concatenate([np.ones((2, 1)), np.full((2, 2), 3, "i2")], 1, out=host[::2, ::2])
    assert_same(wide, host)


def test_keywords():
    a = gpunp.arange(3)
    with pytest.raises(TypeError, match="both were provided"):
        np.concatenate([a, a], out=gpunp.empty(6), dtype="f4")
    with pytest.raises(TypeError, match="according to the rule 'no'"):
        np.concatenate([a, gpunp.ones(2)], casting="no")
    with pytest.raises(ValueError, match="read-only"):
        np.concatenate([a, a], out=np.broadcast_to(gpunp.zeros(6, int), (6,)))
    assert_same(np.stack([a, a], dtype="f4", axis=1), np.stack([np.arange(3)] * 2, dtype="f4", axis=1))
    assert_same(gpunp.concatenate([gpunp.ones(2, "f4"), 2.0], axis=None), np.array([1, 1, 2], "f4"))
    assert_same(np.append(gpunp.ones(2, "f4"), 2.0), np.append(np.ones(2, "f4"), 2.0))
    assert_same(np.append(gpunp.ones(2), 2.0), np.append(np.ones(2), 2.0))
    out = gpunp.empty((2, 3), int)
    assert np.stack([a, a], out=out) is out


def nested(xp):
    a, b = xp.ones((2, 2)), xp.arange(6).reshape(2, 3)
    return [
        a,
        [a, b],
        [[a], [a]],
        [[a, b], [b, a]],
        [[xp.zeros((3, 3)), xp.ones((3, 2))], [xp.ones((1, 5))]],
        [1, 2, 3],
        [[a, 5 * xp.ones((2, 1))], [xp.zeros((1, 3))]],
        [[[a]], [[a]]],
        [xp.ones(3), xp.ones(2)],
        [xp.ones((2, 1, 3)), xp.ones((2, 1, 1))],
        [[a, b], [a, a]],
        [],
        [[a], []],
        [a, [a]],
        [[a], (a,)],
        [xp.zeros((2, 0)), a],
    ]


@pytest.mark.parametrize("case", range(len(nested(np))))
def test_block(case):
    expected, error = outcome(lambda: np.block(nested(np)[case]))
    actual, raised = outcome(lambda: gpunp.block(nested(gpunp)[case]))
    if error is None:
        assert raised is None, raised
        assert_same(actual, expected)
    else:
        assert isinstance(raised, type(error)), raised


@pytest.mark.parametrize("name", ["concatenate", "hstack", "vstack", "dstack", "column_stack", "stack"])
def test_iterators_are_no_sequences(name):
    for xp in (np, gpunp):
        with pytest.raises(TypeError):
            getattr(xp, name)(xp.arange(3) for _ in range(2))
