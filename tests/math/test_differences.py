import numpy as np
import pytest
from records import ALL, CANCELLING, INEXACT, REAL, Record, assert_same, make_values, record_test

import gpunp

SHAPES = ((5,), (0,), (1,), (3, 4), (2, 3, 4), (33, 65))
CUBES = ((3, 4), (2, 3, 4))

RECORDS = (
    Record("diff", dtypes=ALL, shapes=SHAPES),
    Record("diff", lambda f, a: f(a, n=3), dtypes=ALL, shapes=SHAPES),
    Record("diff", lambda f, a: f(a, 2, 0), dtypes=ALL, shapes=SHAPES),
    Record("diff", lambda f, a: f(a, 0), dtypes="ld", shapes=(*SHAPES, ())),
    Record("diff", lambda f, a: f(a, prepend=3), dtypes="lfd", shapes=SHAPES),
    Record("diff", lambda f, a: f(a, axis=0, append=a[:1], prepend=2.5), dtypes="lfdD", shapes=SHAPES),
    Record("diff", lambda f, a: f(a, 2, 0, a[-1:], a), dtypes="?ld", shapes=SHAPES),
    Record("diff", dtypes="ld", shapes=((),), raises=True, layouts=("C",)),
    Record("diff", lambda f, a: f(a, -1), dtypes="ld", raises=True, layouts=("C",)),
    Record("diff", lambda f, a: f(a, axis=5), dtypes="ld", raises=True, layouts=("C",)),
    Record("ediff1d", dtypes=ALL.replace("?", ""), shapes=(*SHAPES, ())),
    Record("ediff1d", lambda f, a: f(a, 9), dtypes=ALL.replace("?", ""), shapes=(*SHAPES, ())),
    Record("ediff1d", lambda f, a: f(a, to_begin=[1, 2], to_end=a[:1]), dtypes="bilfdD", shapes=SHAPES),
    Record("ediff1d", lambda f, a: f(a, to_begin=[[1, 2], [3, 4]]), dtypes="bilfdD", shapes=SHAPES),
    Record("ediff1d", dtypes="?", raises=True, layouts=("C",), shapes=((5,),)),
    Record("ediff1d", lambda f, a: f(a, 1.5), dtypes="il", raises=True, layouts=("C",)),
    Record("ediff1d", lambda f, a: f(a, None, 1j), dtypes="ld", raises=True, layouts=("C",)),
    Record("trapezoid", dtypes=ALL, shapes=SHAPES[:-1], exact=False, absolute=CANCELLING),
    Record("trapezoid", dtypes="?hfdD", shapes=SHAPES[-1:], exact=False, absolute=CANCELLING),
    Record(
        "trapezoid",
        lambda f, a: f(a, dx=0.5, axis=0),
        dtypes=ALL,
        shapes=SHAPES[:-1],
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "trapezoid",
        lambda f, a, x: f(a, x),
        dtypes="lfdD",
        shapes=SHAPES,
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "trapezoid",
        lambda f, a, x: f(a, x, axis=0),
        dtypes="lfdD",
        shapes=CUBES,
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "trapezoid",
        lambda f, a: f(a, a[0, 0, :], axis=-1),
        dtypes="lfd",
        shapes=((2, 3, 4),),
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "trapezoid",
        lambda f, a: f(a, [0, 1, 3], axis=1),
        dtypes="lfd",
        shapes=((2, 3, 4),),
        exact=False,
        absolute=CANCELLING,
        layouts=("C",),
    ),
    Record(
        "trapezoid",
        lambda f, a: f(a, [0, 1, 2]),
        dtypes="ld",
        shapes=((2, 3, 4),),
        raises=True,
        layouts=("C",),
    ),
    Record("trapezoid", lambda f, a: f(a, axis=4), dtypes="ld", raises=True, layouts=("C",)),
    Record("unwrap", dtypes=REAL.replace("?", ""), shapes=SHAPES[:-1], exact=False, absolute=CANCELLING),
    Record(
        "unwrap", lambda f, a: f(a, 5.0, 0), dtypes="bilfd", shapes=SHAPES, exact=False, absolute=CANCELLING
    ),
    Record(
        "unwrap", lambda f, a: f(a, period=6), dtypes="ilfd", shapes=SHAPES, exact=False, absolute=CANCELLING
    ),
    Record(
        "unwrap",
        lambda f, a: f(a, axis=0, period=7),
        dtypes="ilfd",
        shapes=SHAPES,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "unwrap",
        lambda f, a: f(a, discont=2, period=2.5),
        dtypes="ilfd",
        shapes=SHAPES,
        exact=False,
        absolute=CANCELLING,
    ),
    Record("unwrap", dtypes="d", shapes=((),), raises=True, layouts=("C",)),
)
test_records = record_test(RECORDS)


def test_hosts_beside_the_device():
    host = make_values("d", (6,))
    a = gpunp.asarray(host)
    assert_same(np.diff(host, append=a), np.diff(host, append=host))
    assert_same(np.diff(a, prepend=host), np.diff(host, prepend=host))
    assert_same(np.ediff1d(host, to_end=a), np.ediff1d(host, to_end=host))
    assert_same(np.trapezoid(host, a), np.trapezoid(host, host), exact=False)


@pytest.mark.parametrize("char", INEXACT)
def test_long_differences(char, rng):
    host = rng.normal(size=70_001).astype(char)
    assert_same(np.diff(gpunp.asarray(host)), np.diff(host))


def test_unwrap_of_phases(rng):
    phase = np.cumsum(rng.normal(0, 1, 5000))
    wrapped = np.angle(np.exp(1j * phase))
    actual = gpunp.asnumpy(np.unwrap(gpunp.asarray(wrapped)))
    np.testing.assert_allclose(actual, np.unwrap(wrapped), rtol=1e-12)


def test_diff_with_nothing_at_the_ends():
    """In the array API standard None means no values; NumPy does not accept None."""
    a = gpunp.asarray([1.0, 2, 4])
    assert_same(gpunp.diff(a, prepend=None, append=None), np.array([1.0, 2]))
    assert_same(gpunp.diff(a, prepend=None, append=7), np.array([1.0, 2, 3]))
