import numpy as np
import pytest

import gpunp

COVERS = ("mintypecode", "finfo", "iinfo")


@pytest.mark.parametrize("chars", ["d", "ddf", "fF", "ef", "il", "FD", ""])
def test_mintypecode(chars):
    expected = np.mintypecode([np.zeros(1, char) for char in chars])
    assert gpunp.mintypecode([gpunp.zeros(1, char) for char in chars]) == expected
    assert gpunp.mintypecode(chars) == np.mintypecode(chars)
    assert gpunp.mintypecode(list(chars), "fd", "f") == np.mintypecode(list(chars), "fd", "f")


def test_mintypecode_of_an_array():
    host = np.zeros(3, "F")
    assert gpunp.mintypecode(gpunp.asarray(host)) == np.mintypecode(host)


def test_limits():
    for given in ("f4", np.float16, np.dtype("D"), 2.5, np.float32(1)):
        assert gpunp.finfo(given) == np.finfo(given)
    assert gpunp.finfo(gpunp.zeros(3, "f4")) == np.finfo("f4")
    for given in ("i4", np.uint8, 3, np.int16(1)):
        assert gpunp.iinfo(given).max == np.iinfo(given).max
    assert gpunp.iinfo(gpunp.zeros(3, "u2")).max == np.iinfo("u2").max
    with pytest.raises(ValueError, match="not"):
        gpunp.finfo("i4")
    with pytest.raises(ValueError, match="Invalid integer"):
        gpunp.iinfo(gpunp.zeros(3))
