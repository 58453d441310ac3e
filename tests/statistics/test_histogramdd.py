import numpy as np
import pytest
from records import Record, assert_same, make_values, record_test

import gpunp

MATRICES = ((7, 2), (0, 2), (12, 2))
PLAIN = ("C", "F", "negative", "offset")
RECORDS = (
    Record("histogramdd", dtypes="bilefd", shapes=MATRICES, layouts=PLAIN),
    Record("histogramdd", dtypes="bBlfd", shapes=((9, 1), (10, 3), (6,)), layouts=PLAIN),
    Record("histogramdd", lambda f, a: f(a, (4, 3)), dtypes="bilfd", shapes=MATRICES, layouts=PLAIN),
    Record(
        "histogramdd", lambda f, a: f(a, 3, [None, (-2, 3.5)]), dtypes="bilfd", shapes=MATRICES, layouts=PLAIN
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, 3, [(0, 1), (-2, 3)]),
        dtypes="ilfd",
        shapes=((70, 2),),
        layouts=PLAIN,
    ),
    Record(
        "histogramdd", lambda f, a: f(a, [[-3, 0, 0, 5], 4]), dtypes="bilfd", shapes=MATRICES, layouts=PLAIN
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, [[-3, 0, 0.5, 5], np.arange(9)]),
        dtypes="bilefd",
        shapes=MATRICES,
        layouts=PLAIN,
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, 3, density=True),
        dtypes="lfd",
        shapes=((12, 2),),
        layouts=PLAIN,
        exact=False,
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, 3, weights=a[:, 0]),
        dtypes="?blfd",
        shapes=((12, 2), (5, 3)),
        layouts=PLAIN,
        exact=False,
    ),
    Record(
        "histogramdd", lambda f, a: f([a[:, 0], a[:, 1]], 3), dtypes="lfd", shapes=MATRICES, layouts=PLAIN
    ),
    Record(
        "histogramdd",
        lambda f, a: f((a[:, 0], a[:, 1] * 1.5), 3),
        dtypes="lf",
        shapes=MATRICES,
        layouts=PLAIN,
    ),
    Record("histogramdd", lambda f, a: f(a, [3]), dtypes="d", shapes=MATRICES, layouts=PLAIN, raises=True),
    Record("histogramdd", lambda f, a: f(a, [3, 0]), dtypes="d", shapes=MATRICES, layouts=PLAIN, raises=True),
    Record(
        "histogramdd", lambda f, a: f(a, [3, 2.5]), dtypes="d", shapes=MATRICES, layouts=PLAIN, raises=True
    ),
    Record(
        "histogramdd", lambda f, a: f(a, [3, [2, 1]]), dtypes="d", shapes=MATRICES, layouts=PLAIN, raises=True
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, [3, [[1, 2]]]),
        dtypes="d",
        shapes=MATRICES,
        layouts=PLAIN,
        raises=True,
    ),
    Record(
        "histogramdd", lambda f, a: f(a, 3, [(0, 1)]), dtypes="d", shapes=MATRICES, layouts=PLAIN, raises=True
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, 3, [(1, 0), None]),
        dtypes="d",
        shapes=MATRICES,
        layouts=PLAIN,
        raises=True,
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, 3, weights=a[:, 0] * 1j),
        dtypes="d",
        shapes=MATRICES[::2],
        layouts=PLAIN,
        raises=True,
    ),
    Record(
        "histogramdd",
        lambda f, a: f(a, 3, weights=a[:3, 0]),
        dtypes="d",
        shapes=((7, 2),),
        layouts=PLAIN,
        raises=True,
    ),
    Record("histogram2d", lambda f, a, b: f(a, b), dtypes="bilefd", shapes=((7,), (0,), (30,)), arrays=2),
    Record("histogram2d", lambda f, a, b: f(a, b, (3, 4)), dtypes="ld", shapes=((7,), (0,), (30,)), arrays=2),
    Record(
        "histogram2d",
        lambda f, a, b: f(a, b, [-3, 0, 1, 4]),
        dtypes="lfd",
        shapes=((7,), (0,), (30,)),
        arrays=2,
    ),
    Record(
        "histogram2d",
        lambda f, a, b: f(a, b, [[-3, 0, 4], 5], [[0, 1], [-4, 4]]),
        dtypes="lfd",
        shapes=((7,),),
        arrays=2,
    ),
    Record(
        "histogram2d",
        lambda f, a, b, w: f(a, b, 4, None, True, w * w),
        dtypes="fd",
        shapes=((30,),),
        arrays=3,
        exact=False,
    ),
    Record("histogram2d", lambda f, a, b: f(a, b[1:]), dtypes="d", shapes=((7,),), arrays=2, raises=True),
)
test_records = record_test(RECORDS)


def test_many_points(rng):
    host = rng.normal(size=(60_000, 2))
    assert_same(np.histogramdd(gpunp.asarray(host), (200, 150)), np.histogramdd(host, (200, 150)))
    x, y = host.T
    assert_same(
        np.histogram2d(gpunp.asarray(x), gpunp.asarray(y), 100, weights=gpunp.asarray(y)),
        np.histogram2d(x, y, 100, weights=y),
        exact=False,
    )


def test_host_and_device_together():
    x, y = make_values("d", (40,), 1), make_values("d", (40,), 2)
    edges = np.array([-4.0, 0.0, 3.0])
    assert_same(np.histogram2d(gpunp.asarray(x), y), np.histogram2d(x, y))
    assert_same(np.histogram2d(x, y, [gpunp.asarray(edges), 3]), np.histogram2d(x, y, [edges, 3]))
    with pytest.raises(ValueError, match="lengths"):
        np.histogramdd([gpunp.asarray(x), y[1:]])
    with pytest.raises(ValueError, match=r"2\*\*31"):
        np.histogramdd(gpunp.asarray(np.ones((3, 3))), 2000)
    with pytest.raises(TypeError, match=r"real"):
        np.histogramdd(gpunp.asarray(np.ones((3, 3), "D")))


def test_range_not_finite():
    host = np.array([[1.0, 2.0], [np.nan, 1.0]])
    with pytest.raises(ValueError, match="autodetected range"):
        gpunp.asnumpy(np.histogramdd(gpunp.asarray(host))[0])


@pytest.mark.parametrize("bins", [10, []])
def test_points_without_coordinates(bins):
    for module in (np, gpunp):
        with pytest.raises(ValueError, match=r"depth|no columns"):
            np.histogramdd(module.zeros((3, 0)), bins)
