import numpy as np
import pytest

import gpunp

COVERS = ("mintypecode",)


@pytest.mark.parametrize("chars", ["d", "ddf", "fF", "ef", "il", "FD", ""])
def test_mintypecode(chars):
    expected = np.mintypecode([np.zeros(1, char) for char in chars])
    assert gpunp.mintypecode([gpunp.zeros(1, char) for char in chars]) == expected
    assert gpunp.mintypecode(chars) == np.mintypecode(chars)
    assert gpunp.mintypecode(list(chars), "fd", "f") == np.mintypecode(list(chars), "fd", "f")


def test_mintypecode_of_an_array():
    host = np.zeros(3, "F")
    assert gpunp.mintypecode(gpunp.asarray(host)) == np.mintypecode(host)
