"""Products of sparse matrices through cuSPARSE: the order of its calls, work areas, and what they raise."""

import importlib.metadata

import numpy as np
import pytest
import scipy.sparse as sp

# The stand-in library is found only if the real one is not installed.
REAL = any(d.name == "nvidia-cusparse" for d in importlib.metadata.distributions())
pytestmark = [
    pytest.mark.fake_driver(),
    pytest.mark.skipif(REAL, reason="the real cuSPARSE is installed, and needs the real driver"),
]


def rows(seed, shape, dtype):
    rng = np.random.default_rng(seed)
    made = sp.random_array(shape, density=0.3, rng=rng, format="csr")
    made.data = np.round(4 * made.data) + 1  # no sum is 0, as SciPy would not store it
    return made.astype(dtype)


def multiplied(a, b, device, **options):
    """The parts of a product, and the arrays that the library wrote."""
    import gpunp
    from gpunp.cuda import cusparse

    parts = [
        [
            gpunp.asarray(each, device=device)
            for each in (m.indptr.astype("i4"), m.indices.astype("i4"), m.data)
        ]
        for m in (a, b)
    ]
    made = [gpunp.empty(a.shape[0] + 1, "i4", device=device)]

    def place(count):
        made.extend(gpunp.empty(count, dtype, device=device) for dtype in ("i4", a.dtype))
        return made[1].data_address, made[2].data_address

    described = ((len(each[1]), *(part.data_address for part in each)) for each in parts)
    shape = *a.shape, b.shape[1]
    cusparse.multiply(device, shape, *described, made[0].data_address, place, dtype=a.dtype.char, **options)
    return [gpunp.asnumpy(each) for each in made]


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_products(cuda_device, dtype, in_parts):
    for shape in ((20, 15, 25), (1, 1, 1), (0, 4, 3), (4, 0, 3), (4, 5, 0)):
        a, b = rows(0, shape[:2], dtype), rows(1, shape[1:], dtype)
        expected = a @ b
        expected.sort_indices()
        indptr, indices, data = multiplied(a, b, cuda_device, in_parts=in_parts)
        np.testing.assert_array_equal(indptr, expected.indptr)
        np.testing.assert_array_equal(indices, expected.indices)
        np.testing.assert_array_equal(data, expected.data)


def test_products_that_are_too_large(cuda_device):
    """What has too many products of entries is computed in parts."""
    a = rows(0, (80, 80), "d")
    with pytest.raises(MemoryError, match="INSUFFICIENT_RESOURCES"):
        multiplied(a, a, cuda_device)
    indptr, indices, data = multiplied(a, a, cuda_device, in_parts=True)
    found = sp.csr_array((data, indices, indptr), shape=a.shape)
    np.testing.assert_array_equal(found.toarray(), (a @ a).toarray())


def test_the_library_is_found(cuda_device):
    from gpunp.cuda import cusparse

    assert cusparse.is_available()
