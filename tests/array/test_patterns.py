"""Arrays in `match` statements: sequences if NumPy's own arrays are, from NumPy 2.5 on."""

import numpy as np
import pytest

import gpunp


def kind(value):
    match value:
        case []:
            return "empty"
        case [a, b, c]:
            return "three", float(a), float(b), float(c)
        case [first, *rest]:
            return "more", np.shape(first), len(rest)
        case _:
            return "no sequence"


@pytest.mark.parametrize("shape", [(0,), (3,), (40,), (2, 5)], ids=str)
def test_arrays_match_as_those_of_numpy(shape, device):
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    assert kind(gpunp.asarray(host)) == kind(host)


@pytest.mark.skipif(kind(np.zeros(0)) != "empty", reason="NumPy's arrays are no sequences of patterns")
def test_arrays_without_dimensions_have_no_length(device):
    for value in (np.array(2.0), gpunp.asarray(np.array(2.0)), gpunp.arange(3.0).sum()):
        with pytest.raises(TypeError, match="unsized"):
            kind(value)
