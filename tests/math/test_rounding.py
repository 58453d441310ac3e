import numpy as np
import pytest
from calls import call_test
from records import ALL, INEXACT, REAL, SHAPES, Record, assert_same, outcome, record_test

import gpunp

RECORDS = (
    *(
        Record(
            "round",
            lambda f, a, n=n: f(a, n),
            dtypes=ALL,
            shapes=((), (3, 4), (33, 65)),
            layouts=("C", "negative"),
        )
        for n in (0, 1, 3, -1, -2)
    ),
    Record("around"),
    Record("fix", dtypes="bBlfd", shapes=SHAPES),
    Record("nan_to_num", dtypes=ALL, shapes=((), (33, 65)), layouts=("C", "transposed")),
    Record("nan_to_num", lambda f, a: f(a, nan=1, posinf=2, neginf=-3), dtypes=INEXACT, shapes=((33, 65),)),
    Record("clip", lambda f, a: f(a, 0, 1), dtypes=REAL),
    Record("clip", lambda f, a: f(a, -1.5, 2.5), dtypes=REAL),
    Record("clip", lambda f, a: f(a, None, 1), dtypes=REAL),
    Record("clip", lambda f, a: f(a, 0, None), dtypes=REAL),
    Record("clip", lambda f, a: f(a, None, None), dtypes="ilfd"),
    Record("clip", lambda f, a: f(a, min=0, max=300), dtypes="bBhlfd"),
    Record("clip", lambda f, a: f(a, min=-(2**70), max=2**70), dtypes="bBl"),
    Record("clip", lambda f, a: f(a), dtypes="lf"),
    Record("clip", lambda f, a, b: f(a, b, b + 1), dtypes="lfd", arrays=2, layouts=("C", "steps")),
)
test_records = record_test(RECORDS)


def test_out():
    host = np.array([1.26, -2.5, 3.5])
    for call in (lambda f, a, out: np.round(a, 1, out=out), lambda f, a, out: np.clip(a, 0, 2, out=out)):
        out = gpunp.empty(3)
        assert call(np, gpunp.asarray(host), out) is out
        assert_same(out, call(np, host, np.empty(3)))
    a = gpunp.asarray(host)
    assert_same(a.round(1), host.round(1))
    assert_same(a.clip(0, 2), host.clip(0, 2))


def test_nan_to_num_in_place():
    a = gpunp.asarray([np.nan, 1.0])
    assert np.nan_to_num(a, copy=False) is a
    assert a.tolist() == [0, 1]


def test_clip_arguments():
    a = gpunp.arange(3)
    with pytest.raises(TypeError):
        np.clip(a, 1)
    with pytest.raises(ValueError, match="forbidden"):
        np.clip(a, 1, 2, min=3)


@pytest.mark.parametrize("char", ["u1", "i1", "i8", "u8"])
def test_clip_by_numbers_beyond_the_dtype(char):
    host = np.arange(5).astype(char)
    huge = 2**70
    for bounds in ((300, None), (None, -1), (-1, None), (None, 300), (300, 400), (-huge, huge), (huge, None)):
        for call in (lambda a, b=bounds: np.clip(a, *b), lambda a, b=bounds: a.clip(*b)):
            expected, error = outcome(lambda call=call: call(host))
            actual, raised = outcome(lambda call=call: call(gpunp.asarray(host)))
            assert type(raised) is type(error), bounds
            if error is None:
                assert_same(actual, expected)


def test_rounded_integers_keep_their_order():
    a = gpunp.asarray(np.asfortranarray(np.arange(6).reshape(2, 3)))
    assert np.round(a).flags.f_contiguous
    assert np.round(a, 1).flags.f_contiguous


test_rounded_booleans = call_test(
    """
    xp.round(A([True, False]))
    xp.round(A([True, False]), 2)
    xp.round(A([True, False]), -2)
    xp.round(A([True, False]), out=A([7.0, 7.0]))
    xp.round(A([True, False]), 2, out=A([7.0, 7.0]))
    xp.round(A([True, False]), -1, out=A([7.0, 7.0]))
    xp.round(A([True, False]), 2, out=A([7, 7]))
    xp.round(A([3, 14]), 2, out=A([7.0, 7.0]))
    """
)
