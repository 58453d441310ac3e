import numpy as np
import numpy.polynomial.polyutils as reference
import pytest
from records import assert_same

import gpunp

COVERS = (
    "polynomial.polyutils.as_series",
    "polynomial.polyutils.getdomain",
    "polynomial.polyutils.mapdomain",
    "polynomial.polyutils.mapparms",
    "polynomial.polyutils.trimcoef",
    "polynomial.polyutils.trimseq",
)
ours = gpunp.polynomial.polyutils
SERIES = ([1.0, 2.0, 0.0, 0.0], [0.0, 0.0], [3.0], [1, 2, 0], [1 + 2j, 0j], np.float32([2.0, 1e-3]))


def test_every_name_is_there():
    # It formats a number.
    assert set(reference.__all__) - {"format_float"} <= set(dir(ours))


@pytest.mark.parametrize("c", SERIES, ids=str)
def test_trimming(c, device):
    x = gpunp.asarray(c)
    assert_same(ours.trimseq(x), np.asarray(reference.trimseq(np.asarray(c))))
    assert ours.trimseq(list(c)) == reference.trimseq(list(c))
    for tol in (0, 1e-2, 10.0):
        assert_same(ours.trimcoef(x, tol), reference.trimcoef(c, tol))
    for trim in (True, False):
        for actual, expected in zip(
            ours.as_series([x, c], trim), reference.as_series([c, c], trim), strict=True
        ):
            assert_same(actual, expected)
    assert_same(ours.getdomain(x), reference.getdomain(c))


def test_intervals(device):
    x = np.linspace(-1, 3, 5)
    for old, new in (((-1, 3), (0, 2)), ((-1.0, 1.0), (2.0, -2.0)), ((0, 1j), (1, 2 + 1j))):
        assert_same(ours.mapdomain(gpunp.asarray(x), old, new), reference.mapdomain(x, old, new))
        assert ours.mapparms(old, new) == reference.mapparms(old, new)
        pair = ours.mapparms(gpunp.asarray(old), gpunp.asarray(new))
        np.testing.assert_allclose([value.get() for value in pair], reference.mapparms(old, new))
    assert ours.mapdomain(0.5, (-1, 1), (0, 2)) == 1.5


def test_invalid_series(device):
    assert ours.trimseq([]) == []
    for wrong in ([[]], [[[1.0]]]):
        with pytest.raises(ValueError, match="Coefficient array"):
            ours.as_series(wrong)
    with pytest.raises(ValueError, match="tol must be non-negative"):
        ours.trimcoef(gpunp.ones(2), -1)
