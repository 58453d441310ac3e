import numpy as np
import pytest

import gpunp

COVERS = ("format_float_positional", "format_float_scientific", "base_repr", "binary_repr")


@pytest.mark.parametrize("value", [np.float32(2.5), np.float64(-1e-20), np.float16(3)])
@pytest.mark.parametrize("options", [{}, {"precision": 3, "unique": False}, {"sign": True, "trim": "-"}])
def test_floats(value, options):
    for name in ("format_float_positional", "format_float_scientific"):
        expected = getattr(np, name)(value, **options)
        assert getattr(gpunp, name)(gpunp.asarray(value), **options) == expected
        assert getattr(gpunp, name)(value, **options) == expected
    assert gpunp.format_float_positional(gpunp.asarray([value]), pad_left=4) == np.format_float_positional(
        value, pad_left=4
    )


@pytest.mark.parametrize("value", [0, 5, -11, 2**40])
def test_integers(value):
    a = gpunp.asarray(value)
    assert gpunp.base_repr(a, 3, 1) == np.base_repr(value, 3, 1)
    assert gpunp.base_repr(value) == np.base_repr(value)
    assert gpunp.binary_repr(a, 50) == np.binary_repr(value, 50)
    with pytest.raises(ValueError, match="36"):
        gpunp.base_repr(a, 37)
