import numpy as np
import pytest
from records import Record, record_test

import gpunp

RECORDS = (
    Record("broadcast_to", lambda f, a: f(a, (2, *a.shape))),
    Record("broadcast_to", lambda f, a: f(a, (3, 4))),
    Record("broadcast_to", lambda f, a: f(a, ())),
    Record("broadcast_arrays", lambda f, a: f(a, a[..., :1]), shapes=((5,), (3, 4), (2, 3, 4))),
    Record("broadcast_arrays", lambda f, a, b: f(a, b, 1), arrays=2),
)
COVERS = ("broadcast_shapes", "broadcast")
test_records = record_test(RECORDS)


def test_broadcast_shapes():
    assert gpunp.broadcast_shapes((3, 1), (4,)) == np.broadcast_shapes((3, 1), (4,))


def test_broadcast_to_is_read_only():
    view = np.broadcast_to(gpunp.arange(3), (2, 3))
    assert view.strides[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1


def test_broadcast():
    made, expected = (
        gpunp.broadcast(gpunp.arange(3), np.ones((2, 1)), 5),
        np.broadcast(np.arange(3), np.ones((2, 1)), 5),
    )
    for name in ("shape", "ndim", "nd", "size", "numiter"):
        assert getattr(made, name) == getattr(expected, name)
    assert [value.shape for value in made.values] == [(2, 3)] * 3
    with pytest.raises(ValueError, match="broadcast"):
        gpunp.broadcast(gpunp.arange(3), gpunp.arange(2))


def test_broadcast_is_an_iterator():
    made, expected = (
        xp.broadcast(convert([1, 2, 3]), xp.broadcast(convert([[4], [5]]), 6))
        for xp, convert in ((np, np.array), (gpunp, gpunp.asarray))
    )
    assert made.numiter == expected.numiter == 3
    assert [int(v) for v in next(made)] == [1, 4, 6]
    assert made.index == 1
    next(expected)
    assert [[int(v) for v in values] for values in made] == [[int(v) for v in values] for values in expected]
    assert made.index == expected.index == 6
    made.reset()
    assert made.index == 0
    assert len(list(made)) == 6
    made.reset()
    assert [int(v) for v in made.iters[1]] == [4, 4, 4, 5, 5, 5]


def test_scalars_are_broadcast_to_arrays_that_can_be_written_to():
    scalar = gpunp.asarray([1.0, 2.0]).sum()
    whole, single = np.broadcast_arrays(scalar[None], scalar)
    assert whole.flags.writeable
    assert single.flags.writeable
    single[0] = 7
    assert single.tolist() == [7]
    assert float(scalar) == 3
