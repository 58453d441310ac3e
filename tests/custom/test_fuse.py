import numpy as np
import pytest
from records import assert_same

import gpunp


def squared_difference(x, y):
    return (x - y) * (x - y)


@pytest.mark.parametrize(
    "decorate",
    [
        gpunp.fuse,
        gpunp.fuse(),
        gpunp.fuse(kernel_name="squares"),
        lambda f: gpunp.fuse(f, kernel_name="squares"),
    ],
)
def test_decorated_functions_run(decorate):
    function = decorate(squared_difference)
    x = np.arange(5.0)
    assert_same(function(gpunp.asarray(x), gpunp.asarray(x[::-1])), squared_difference(x, x[::-1]))
    np.testing.assert_array_equal(function(x, 2.0), squared_difference(x, 2.0))
    assert function.__name__ == "squared_difference"


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1,), {}, "takes one function"),
        ((abs, abs), {}, "takes one function"),
        ((), {"name": "f"}, "unexpected keyword argument 'name'"),
        ((), {"kernel_name": 1}, "kernel_name must be a str"),
    ],
)
def test_bad_arguments(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        gpunp.fuse(*args, **kwargs)
