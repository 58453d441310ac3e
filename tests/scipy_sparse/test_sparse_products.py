"""Products of two sparse arrays by the kernels and sorts for GPUs, against SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse import matrix_products


def random_rows(rng, lengths, columns, dtype, index):
    """The parts of compressed rows of small whole numbers; columns may repeat and are in no order."""
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    data = rng.integers(-3, 4, indptr[-1])
    if np.dtype(dtype).kind == "c":
        data = data + 1j * rng.integers(-3, 4, len(data))
    return indptr.astype(index), rng.integers(0, columns, len(data)).astype(index), data.astype(dtype)


LENGTHS = {
    "few": lambda rng: (rng.integers(0, 8, 300), rng.integers(0, 8, 200)),
    "many": lambda rng: (rng.integers(0, 90, 100), rng.integers(0, 40, 200)),
    "long": lambda rng: (np.where(np.arange(50) == 7, 400, 2), rng.integers(0, 60, 200)),
    "empty rows": lambda rng: (5 * (np.arange(70) % 9 == 0), 3 * (np.arange(200) % 4 == 0)),
    "nothing": lambda rng: (np.zeros(9, int), np.ones(200, int)),
    "all slots": lambda rng: (np.full(20, 32), np.full(200, 32)),
}


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "?"])
@pytest.mark.parametrize("name", LENGTHS)
def test_products(device, name, dtype, index):
    rng = np.random.default_rng(1)
    of_a, of_b = LENGTHS[name](rng)
    a = random_rows(rng, of_a, len(of_b), dtype, index)
    b = random_rows(rng, of_b, 150, dtype, index)
    first, second = (
        sp.csr_array(parts[::-1], shape=shape)
        for parts, shape in ((a, (len(of_a), len(of_b))), (b, (len(of_b), 150)))
    )
    expected = first @ second
    expected.sort_indices()
    for most in (matrix_products.MOST_AT_A_TIME, 3000):
        parts = (tuple(map(gpunp.asarray, each)) for each in (a, b))
        made = matrix_products.multiply(*parts, 150, most_at_a_time=most)
        if name == "nothing":
            assert made is None
            continue
        indptr, indices, data = made
        assert data.dtype == expected.dtype
        assert indptr.dtype == indices.dtype == np.dtype(index)
        np.testing.assert_array_equal(indptr.get(), expected.indptr)
        np.testing.assert_array_equal(indices.get(), expected.indices)
        np.testing.assert_array_equal(data.get(), expected.data)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sums_have_scipys_order(device, form):
    rng = np.random.default_rng(2)
    a, b = (sp.random_array((90, 90), density=0.1, rng=rng, format=form) for _ in range(2))
    expected = (a @ b).sorted_indices() if form == "csr" else (a @ b).tocsr().tocsc()
    found = getattr(gpunp_scipy.sparse, f"{form}_array")(a) @ getattr(gpunp_scipy.sparse, f"{form}_array")(b)
    np.testing.assert_array_equal(found.get().sorted_indices().data, expected.data)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_shapes_and_dtypes(device, form):
    rng = np.random.default_rng(3)
    for shapes in (((3, 5), (5, 7)), ((4, 0), (0, 6)), ((0, 4), (4, 3)), ((1, 9), (9, 1))):
        for one, other in (("f4", "f8"), ("i4", "c8"), ("?", "f4"), ("i8", "i8")):
            hosts = [
                sp.random_array(shape, density=0.5, rng=rng, format=form).astype(dtype)
                for shape, dtype in zip(shapes, (one, other), strict=True)
            ]
            expected = hosts[0] @ hosts[1]
            devices = [getattr(gpunp_scipy.sparse, f"{form}_array")(host) for host in hosts]
            found = (devices[0] @ devices[1]).get()
            assert found.dtype == expected.dtype
            assert found.shape == expected.shape
            np.testing.assert_allclose(found.toarray(), expected.toarray(), 1e-6)
    with pytest.raises(ValueError, match="mismatch"):
        devices[0] @ devices[0]
