import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

COVERS = ("mgrid", "ogrid", "r_", "c_")
KEYS = {
    "one": np.s_[0:5],
    "step": np.s_[1:9:3],
    "float": np.s_[0:1:0.25],
    "count": np.s_[-1:1:5j],
    "one point": np.s_[2:3:1j],
    "two": np.s_[0:3, 1:5],
    "mixed": np.s_[0:3:2, -1:1:5j],
    "three": np.s_[0:2, 0:3, 0:4],
    "no start": np.s_[:3, :2],
    "tuple of one": np.s_[0:5,],
    "empty": np.s_[3:0, 0:2],
    "complex32": np.s_[0 : np.float32(2) : 3j, 0:2],
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
def test_grids(name, key):
    expected, error = outcome(lambda: getattr(np, name)[key])
    actual, raised = outcome(lambda: getattr(gpunp, name)[key])
    if error is not None:
        assert isinstance(raised, type(error)), raised
    else:
        assert raised is None, raised
        assert_same(actual, expected, exact=False)
    assert len(getattr(gpunp, name)) == 0


def joined(xp):
    a = xp.arange(3)
    b = xp.arange(6.0).reshape(2, 3)
    return {
        "numbers": lambda o: o[1, 2, 3.5],
        "arrays": lambda o: o[a, 0, 0, a],
        "range": lambda o: o[0:4, a],
        "points": lambda o: o[-1:1:6j, a, 5],
        "matrix": lambda o: o[b, b],
        "axis": lambda o: o["-1", b, b],
        "ndmin": lambda o: o["0,2", a, a],
        "place": lambda o: o["0,2,0", a, a],
        "place3": lambda o: o["1,3,1", a, a],
        "rows": lambda o: o["1,2", a, b],
        "array ends": lambda o: o[a[:1] : a[1:2] : 3j, a[:1] : a[1:2] : 2j],
        "lists": lambda o: o[[1, 2], (3, 4)],
        "small": lambda o: o[a.astype("i1"), 1],
        "one": lambda o: o[a],
        "bad": lambda o: o["nonsense", a],
        "late": lambda o: o[a, "0"],
        "mismatch": lambda o: o["0,2", a, b[:, :2]],
    }


@pytest.mark.parametrize("case", joined(np))
@pytest.mark.parametrize("name", ["r_", "c_"])
def test_joined(name, case):
    expected, error = outcome(lambda: joined(np)[case](getattr(np, name)))
    actual, raised = outcome(lambda: joined(gpunp)[case](getattr(gpunp, name)))
    if error is not None:
        assert isinstance(raised, type(error)), raised
    else:
        assert raised is None, raised
        assert_same(actual, expected, exact=False)


def test_no_matrices():
    for key in (("r", gpunp.arange(2)), "1 2; 3 4"):
        with pytest.raises(TypeError, match="matrices are not supported"):
            gpunp.r_[key]
