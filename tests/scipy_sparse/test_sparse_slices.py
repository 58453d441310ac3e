"""Rows of compressed arrays by the functions for GPUs, against SciPy's."""

import numpy as np
import pytest
import scipy
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


def chosen():
    """Keys with numbers, lists and masks, for arrays of 7 rows and 9 columns."""
    rows, columns = np.arange(7) % 3 == 1, np.arange(9) % 4 == 1
    keys = {
        "a row": 3,
        "the last row": -1,
        "a column": np.s_[:, 5],
        "the last column": np.s_[:, -1],
        "a row and columns": np.s_[3, 2:5],
        "rows and a column": np.s_[1:4, 5],
        "an entry": np.s_[3, 5],
        "entries": (np.array([1, 2, -3]), np.array([4, -5, 6])),
        "rows": np.array([1, 5, 1, -2]),
        "columns": (slice(None), np.array([8, 1, 1, -2])),
        "rows and columns": (np.array([[1], [5]]), np.array([[8, 1, 1, -2]])),
        "a row and chosen columns": (2, np.array([8, 1, 1])),
        "chosen rows and a column": (np.array([6, 1, 1]), 2),
        "a mask of rows": rows,
        "a mask of no rows": rows & False,
        "a mask of columns": (slice(None), columns),
        "a mask of rows, and columns": (rows, slice(2, 9)),
        "masks of both": np.ix_(rows, columns),
    }
    return {f"chosen: {name}": key for name, key in keys.items()}


CHOSEN = chosen()


def uploaded(key):
    if isinstance(key, tuple):
        return tuple(map(uploaded, key))
    return gpunp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", CHOSEN)
@pytest.mark.parametrize("kind", ["sorted", "unsorted", "zeros"])
@pytest.mark.parametrize("name", [*CLASSES, "coo_array"])
def test_chosen(device, name, kind, key):
    a = made(name, (7, 9), kind if name != "coo_array" else "sorted")
    x = getattr(gpunp_scipy.sparse, name)(a)
    expected, found = a[CHOSEN[key]], x[uploaded(CHOSEN[key])]
    assert found.shape == expected.shape or "matrix" in name
    assert found.dtype == expected.dtype
    if sp.issparse(expected):
        found = found.get()
        assert type(found) is type(expected)
        for part in ("coords",) if found.format == "coo" else ("indptr", "indices"):
            one, other = getattr(found, part), getattr(expected, part)
            assert [each.dtype for each in one] == [each.dtype for each in other]
        assert found.nnz == expected.nnz
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_array_equal(gpunp.asnumpy(found), np.asarray(expected))


WAITS = {
    "some rows": 1,
    "none": 0,
    "every second row": 1,
    "backwards": 1,
    "columns": 1,
    "every second column": 1,
    "rows and columns": 2,
    "chosen: a row": 1,
    "chosen: a column": 1,
    "chosen: an entry": 1,
    "chosen: a mask of rows": 1,
    # The numbers are checked first; of masks, those that are chosen are counted.
    "chosen: rows": 2,
    "chosen: columns": 2,
    "chosen: a mask of columns": 2,
    "chosen: a row and columns": 2,
    "chosen: rows and a column": 2,
    "chosen: entries": 3,
    "chosen: chosen rows and a column": 3,
    # SciPy 1.17.0 asks for more.
    "chosen: rows and columns": 6 if np.lib.NumpyVersion(scipy.__version__) < "1.17.1" else 4,
    "chosen: a row and chosen columns": 3,
}


@pytest.mark.parametrize("key", WAITS)
def test_waits(device, key):
    key, limit = uploaded((KEYS | CHOSEN)[key]), WAITS[key]
    x = gpunp_scipy.sparse.csr_array(made("csr_array", (7, 9), "sorted"))
    x[key]
    with Waits(device) as waits:
        x[key]
    assert waits.count <= limit
