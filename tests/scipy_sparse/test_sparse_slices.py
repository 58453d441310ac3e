"""Rows of compressed arrays by the functions for GPUs, against SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from solvers import Waits

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse import sharing, slices

CLASSES = ["csr_array", "csr_matrix", "csc_array", "csc_matrix"]
SHAPES = [(0, 5), (5, 0), (1, 1), (7, 9), (30, 20)]
KEYS = {
    "all": np.s_[:],
    "none": np.s_[3:3],
    "reversed bounds": np.s_[3:1],
    "some rows": np.s_[1:3],
    "last rows": np.s_[2:],
    "first rows": np.s_[:-1],
    "rows and all columns": np.s_[1:3, :],
    "every second row": np.s_[::2],
    "backwards": np.s_[::-1],
    "backwards, some": np.s_[5:1:-2],
    "columns": np.s_[:, 2:],
    "every second column": np.s_[:, ::2],
    "rows and columns": np.s_[1:3, 1:4],
    "no columns": np.s_[:, 3:3],
    "columns with reversed bounds": np.s_[:, 4:2],
    "first columns": np.s_[:, :-2],
    "all columns": np.s_[:, :100],
    "a column": np.s_[:, -1:],
    "rows and no columns": np.s_[2:, 9:],
}


@pytest.fixture(autouse=True)
def functions_for_gpus(device, monkeypatch):
    monkeypatch.setattr(sharing, "uses_scipy", lambda device: False)


def made(name, shape, kind):
    """Rows that are sorted; in another order with duplicates; or with stored zeros. Some are empty."""
    rng = np.random.default_rng(shape[0])
    found = sp.random_array(shape, density=0.3, rng=rng) if 0 not in shape else sp.coo_array(shape)
    found = getattr(sp, name)(found.asformat(name[:3]))
    if kind == "unsorted":
        indices = found.indices[::-1] % max(1, shape[found.format == "csr"])
        found = type(found)((found.data, indices, found.indptr), shape=shape)
    elif kind == "zeros":
        found.data[::2] = 0
    return found


def assert_same_parts(found, expected):
    assert found.shape == expected.shape
    assert found.nnz == expected.nnz
    host = found.get()
    assert type(host) is type(expected)
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(host, part), getattr(expected, part), part)
        assert getattr(host, part).dtype == getattr(expected, part).dtype
    assert found.has_sorted_indices == expected.has_sorted_indices
    assert found.has_canonical_format == expected.has_canonical_format


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("kind", ["sorted", "unsorted", "zeros"])
@pytest.mark.parametrize("name", CLASSES)
def test_slices(device, name, kind, is_known):
    for shape in SHAPES:
        a = made(name, shape, kind)
        x = getattr(gpunp_scipy.sparse, name)(a)
        if is_known:
            assert x.has_canonical_format == a.has_canonical_format
        for key in KEYS.values():
            assert_same_parts(x[key], a[key])


@pytest.mark.parametrize("name", CLASSES)
def test_chosen_rows(device, name):
    a = made(name, (30, 20), "unsorted")
    x = getattr(gpunp_scipy.sparse, name)(a)
    for rows in ([3, 3, 0, 19], [-1, 5], [2]):
        assert_same_parts(x[gpunp.asarray(rows)], a[rows])
        assert_same_parts(x[:, gpunp.asarray(rows)], a[:, rows])


def test_parts_are_copied(device):
    a = made("csr_array", (7, 9), "sorted")
    x = gpunp_scipy.sparse.csr_array(a)
    for found in (x[1:5], x[:5], x[::2]):
        for part in (found.indptr, found.indices, found.data):
            part[:] = 0
    np.testing.assert_array_equal(x.get().toarray(), a.toarray())


def test_wide_indices(device):
    """SciPy makes them narrow where their values allow it, which its own code does."""
    a = made("csr_array", (7, 9), "sorted")
    x = gpunp_scipy.sparse.csr_array(a)
    x.indptr, x.indices = x.indptr.astype("i8"), x.indices.astype("i8")
    assert slices.between(x, 1, 3) is None
    assert slices.taken(x, gpunp.asarray([1, 3])) is None
    np.testing.assert_array_equal(x[1:3].get().toarray(), a[1:3].toarray())


def test_bad_rows(device):
    x = gpunp_scipy.sparse.csr_array(made("csr_array", (7, 9), "sorted"))
    for rows in ([7], [-8]):
        with pytest.raises(IndexError):
            x[gpunp.asarray(rows)]


WAITS = {
    "some rows": 1,
    "none": 0,
    "every second row": 1,
    "backwards": 1,
    "columns": 1,
    "rows and columns": 2,
}


@pytest.mark.parametrize("key", WAITS)
def test_waits(device, key):
    x = gpunp_scipy.sparse.csr_array(made("csr_array", (7, 9), "sorted"))
    x[KEYS[key]].nnz  # noqa: B018
    with Waits(device) as waits:
        x[KEYS[key]].nnz  # noqa: B018
    assert waits.count <= WAITS[key]
