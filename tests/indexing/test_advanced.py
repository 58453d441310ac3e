import numpy as np
import pytest
from records import assert_same

import gpunp


def test_masked_assignment():
    host = np.arange(12.0).reshape(3, 4)
    a = gpunp.asarray(host)
    for array in (a, host):
        array[array > 7] = -1
        array[array == 2] = np.nan
    assert_same(a, host)
    a[np.asarray(host == 4)] = gpunp.asarray(8.0)
    host[host == 4] = 8
    assert_same(a, host)


def test_what_is_not_handled_says_so():
    a = gpunp.arange(4)
    for key in ([0, 1], np.array([1, 2]), gpunp.asarray([1]), a > 1):
        with pytest.raises(TypeError, match=r"indexing with .* gpunp.config.fallback"):
            a[key]
    with pytest.raises(TypeError, match="assignment by"):
        a[[0, 1]] = 5
    with pytest.raises(IndexError):
        a["x"]


def test_fallback():
    host = np.arange(4)
    a = gpunp.asarray(host)
    with gpunp.config.using(fallback="numpy"):
        assert_same(a[[0, 2]], host[[0, 2]])
        a[[0, 2]] = [7, 8]
    host[[0, 2]] = [7, 8]
    assert_same(a, host)
