import numpy as np
import pytest
from records import ALL, make_values

import gpunp

COVERS = ("array2string", "array_repr", "array_str")


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize(
    "shape", [(), (3,), (0,), (2, 3), (2, 0), (3, 2, 2), (200, 60), (70, 80, 2), (30001,)]
)
def test_text_is_numpys(char, shape):
    host = make_values(char, shape)
    a = gpunp.asarray(host)
    assert repr(a) == repr(host)
    assert str(a) == str(host)
    assert np.array2string(a, precision=2) == np.array2string(host, precision=2)
    assert np.array_repr(a, 60) == np.array_repr(host, 60)
    assert np.array_str(a, 60) == np.array_str(host, 60)
    assert f"{a}" == f"{host}"


def test_print_options():
    host = np.linspace(0, 1, 7)
    with np.printoptions(precision=2, threshold=5, edgeitems=1):
        assert repr(gpunp.asarray(host)) == repr(host)
    assert np.array2string(gpunp.asarray(host), threshold=3, edgeitems=2) == np.array2string(
        host, threshold=3, edgeitems=2
    )


def test_format():
    assert f"{gpunp.asarray(2.5):.3f}" == "2.500"
    assert f"{gpunp.arange(3)}" == "[0 1 2]"
    with pytest.raises(TypeError, match=r"shape \(3,\) takes no format specification, got '\.3f'"):
        format(gpunp.arange(3), ".3f")
