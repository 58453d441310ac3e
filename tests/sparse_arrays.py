"""What tests of sparse arrays share: random arrays, and comparisons of operations with SciPy's."""

import warnings

import numpy as np
import scipy.sparse as sp

import gpunp
import gpunp_scipy
from gpunp_scipy.sparse.methods import DeviceSparse

FORMATS = ("csr", "csc", "coo", "dia", "bsr")
KINDS = ("array", "matrix")


def host_sparse(name="csr_array", shape=(6, 8), dtype="f8", seed=0, density=0.35):
    """A random array of SciPy of small whole numbers, positive and negative, with an empty row."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(-4, 5, shape) * (rng.random(shape) < density)
    dense[1 % shape[0]] = 0
    if np.dtype(dtype).kind == "c":
        dense = dense * (1 + 2j)
    elif np.dtype(dtype).kind == "b":
        dense = dense != 0
    return getattr(sp, name)(dense.astype(dtype))


def on_device(host):
    """A sparse or a dense array on the device; numbers and objects as they are."""
    if sp.issparse(host):
        return getattr(gpunp_scipy.sparse, type(host).__name__)(host)
    return gpunp.asarray(host) if isinstance(host, np.ndarray) else host


def dense(value):
    """A host array of a result, whatever it is."""
    if isinstance(value, DeviceSparse):
        value = value.get()
    if sp.issparse(value):
        return value.toarray()
    return np.asarray(gpunp.asnumpy(value) if isinstance(value, gpunp.ndarray) else value)


def assert_same(found, expected):
    if sp.issparse(expected):
        assert isinstance(found, DeviceSparse)
        assert isinstance(found, type(expected))
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
    found, expected = dense(found), dense(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, 1e-6 if expected.dtype.char in "fF" else 1e-13)


def outcome(function, *args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), None
        except Exception as error:
            return None, type(error)


def check(function, *hosts):
    """A function gives the same for device arrays as for host arrays, or the same error."""
    expected, error = outcome(function, *hosts)
    devices = [on_device(h) for h in hosts]
    if error is not None:
        assert outcome(function, *devices)[1] is error
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = function(*devices)
    if isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)
    else:
        assert_same(found, expected)


SHAPES = [(0, 4), (4, 0), (0, 0), (1, 9), (9, 1), (1, 1), (5, 7), (6, 6), (3, 40)]


def random_structure(rng, form, kind="array", shape=None, dtype=None):
    """A random array, often with duplicates, stored zeros, empty rows, unsorted rows and int64 indices."""
    shape = SHAPES[rng.integers(len(SHAPES))] if shape is None else shape
    dtype = np.dtype(dtype or rng.choice(["?", "i1", "u2", "i4", "u4", "i8", "f4", "f8", "c8", "c16"]))
    cells = shape[0] * shape[1]
    count = int(rng.choice([0, max(cells // 8, 1), cells // 2, cells])) if cells else 0
    # Matrices with int64 indices get int32 by what SciPy finds in memory that it has not written.
    index = np.int32 if kind == "matrix" else rng.choice([np.int32, np.int64])
    row, column = (rng.integers(0, max(n, 1), count).astype(index) for n in shape)
    if rng.random() < 0.4 and count:
        row -= row % 2
    values = rng.integers(0 if dtype.kind == "u" else -3, 4, count)
    values = (values * (1 + 2j) if dtype.kind == "c" else values).astype(dtype)
    made = getattr(sp, f"coo_{kind}")((values, (row, column)), shape=shape)
    if form in ("csr", "csc") and rng.random() < 0.6:
        major, minor = (row, column) if form == "csr" else (column, row)
        order = np.argsort(major, kind="stable")
        counts = np.bincount(major, minlength=shape[form == "csc"])
        indptr = np.append(0, np.cumsum(counts)).astype(index)
        return getattr(sp, f"{form}_{kind}")((values[order], minor[order], indptr), shape=shape)
    return made.asformat(form)


def assert_same_parts(found, expected):
    """Index dtypes and numbers of entries are SciPy's, and an order is claimed only where there is one."""
    names = {"csr": ("indices", "indptr"), "dia": ("offsets",), "coo": ("row", "col")}
    names |= dict.fromkeys(("csc", "bsr"), names["csr"])
    for name in names[expected.format]:
        assert getattr(found, name).dtype == getattr(expected, name).dtype, name
    assert found.nnz == expected.nnz
    if expected.format in ("csr", "csc"):
        host = found.get()
        fresh = type(host)((host.data, host.indices, host.indptr), shape=host.shape)
        for flag in ("has_canonical_format", "has_sorted_indices"):
            assert getattr(fresh, flag) or not getattr(found, flag), flag
            assert getattr(found, flag) or not getattr(expected, flag), flag
