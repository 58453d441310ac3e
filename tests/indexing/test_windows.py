"""take from more memory than the second-level cache of a GPU holds."""

import numpy as np
import pytest

import gpunp

LENGTH, COUNT = 1 << 24, (1 << 22) + 4321


@pytest.mark.parametrize("dtype", ["f4", "i8"])
@pytest.mark.parametrize("near", [False, True], ids=["random", "sorted"])
def test_many_places(dtype, near, device):
    rng = np.random.default_rng(5)
    places = rng.integers(-LENGTH, LENGTH, COUNT)
    if near:
        places.sort()
    host = np.arange(LENGTH).astype(dtype)
    array, index = gpunp.asarray(host, device=device), gpunp.asarray(places, device=device)
    np.testing.assert_array_equal(gpunp.asnumpy(np.take(array, index)), host[places])
    np.testing.assert_array_equal(gpunp.asnumpy(array[index.astype("i4")]), host[places])
    for mode in ("wrap", "clip"):
        want = np.take(host, places + 7, mode=mode)
        np.testing.assert_array_equal(gpunp.asnumpy(np.take(array, index + 7, mode=mode)), want)


def test_a_place_out_of_bounds_is_reported(device):
    array = gpunp.zeros(LENGTH, dtype="f4", device=device)
    index = gpunp.asarray(np.random.default_rng(5).integers(0, LENGTH, COUNT), device=device)
    index[COUNT // 2] = LENGTH
    with pytest.raises(IndexError):
        gpunp.asnumpy(np.take(array, index))
