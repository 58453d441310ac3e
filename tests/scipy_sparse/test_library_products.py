"""What is done around cuSPARSE's products: SciPy's take the library's place, in the CPU device's memory."""

import ctypes

import numpy as np
import pytest
import scipy.sparse as sp

import gpunp
from gpunp_scipy.sparse import matrix_products


def host_array(address, count, dtype):
    if not count:
        return np.empty(0, dtype)
    buffer = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(buffer, dtype)


class Library:
    """Stores zeros and rows in any order, and may have too little memory."""

    def __init__(self, *, fits_whole=True, fits_parts=True, is_sorted=True):
        self.fits = {False: fits_whole, True: fits_parts}
        self.is_sorted, self.calls = is_sorted, []

    def multiply(self, device, shape, a, b, indptr, place, *, dtype, in_parts):
        self.calls.append(in_parts)
        if not self.fits[in_parts]:
            raise MemoryError
        made = []
        for rows, columns, (nnz, *addresses) in ((*shape[:2], a), (*shape[1:], b)):
            starts, indices, data = (
                host_array(address, count, kind)
                for address, count, kind in zip(
                    addresses, (rows + 1, nnz, nnz), ("i4", "i4", dtype), strict=True
                )
            )
            made.append(sp.csr_array((data, indices, starts), shape=(rows, columns)))
        product = made[0] @ made[1]
        product.sort_indices()
        if not self.is_sorted:
            for row in range(shape[0]):
                part = slice(product.indptr[row], product.indptr[row + 1])
                for each in (product.indices, product.data):
                    each[part] = each[part][::-1].copy()
        product.data[::5] = 0
        addresses = place(product.nnz)
        host_array(indptr, shape[0] + 1, "i4")[:] = product.indptr
        host_array(addresses[0], product.nnz, "i4")[:] = product.indices
        host_array(addresses[1], product.nnz, dtype)[:] = product.data
        self.result = product


@pytest.fixture
def library(device, monkeypatch):
    if not device.is_cpu:
        pytest.skip("the stand-in reads host memory")
    cusparse = pytest.importorskip("gpunp.cuda.cusparse")

    def install(**options):
        made = Library(**options)
        monkeypatch.setattr(cusparse, "multiply", made.multiply)
        monkeypatch.setattr(cusparse, "is_available", lambda: True)
        monkeypatch.setattr(matrix_products, "FEWEST_OF_LIBRARY", 0)
        return made

    return install


def parts(a, index="i4"):
    return tuple(map(gpunp.asarray, (a.indptr.astype(index), a.indices.astype(index), a.data)))


def pair(dtype, shape=(30, 20, 25)):
    rng = np.random.default_rng(1)
    made = (
        sp.random_array(each, density=0.2, rng=rng, format="csr").astype(dtype)
        for each in (shape[:2], shape[1:])
    )
    return tuple(made)


@pytest.mark.parametrize("is_sorted", [True, False])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_results_are_sorted_and_have_no_zeros(library, dtype, is_sorted):
    used = library(is_sorted=is_sorted)
    a, b = pair(dtype)
    indptr, indices, data = matrix_products._by_library(parts(a), parts(b), 25)
    assert used.calls == [False]
    expected = used.result.copy()
    expected.sort_indices()
    expected.eliminate_zeros()
    np.testing.assert_array_equal(indptr.get(), expected.indptr)
    np.testing.assert_array_equal(indices.get(), expected.indices)
    np.testing.assert_array_equal(data.get(), expected.data)
    assert data.dtype == dtype


def test_too_little_memory(library):
    used = library(fits_whole=False)
    a, b = pair("d")
    assert matrix_products._by_library(parts(a), parts(b), 25) is not None
    assert used.calls == [False, True]
    used = library(fits_whole=False, fits_parts=False)
    assert matrix_products._by_library(parts(a), parts(b), 25) is None
    assert used.calls == [False, True]


def test_what_the_library_does_not_get(library, monkeypatch):
    used = library()
    a, b = pair("d")
    for one, other in ((parts(a, "i8"), parts(b, "i8")), (parts(a.astype(int)), parts(b.astype(int)))):
        assert matrix_products._by_library(one, other, 25) is None
    monkeypatch.setattr(matrix_products, "FEWEST_OF_LIBRARY", a.nnz + b.nnz + 1)
    assert matrix_products._by_library(parts(a), parts(b), 25) is None
    assert not used.calls


@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 0, 6), (3, 5, 0), (1, 1, 1)])
def test_empty(library, shape):
    library()
    a, b = (sp.csr_array(each) for each in (shape[:2], shape[1:]))
    indptr, indices, data = matrix_products._by_library(parts(a), parts(b), shape[2])
    np.testing.assert_array_equal(indptr.get(), np.zeros(shape[0] + 1))
    assert len(indices) == len(data) == 0
