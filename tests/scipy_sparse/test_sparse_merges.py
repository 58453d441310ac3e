"""Sums, products and comparisons of two arrays of sorted rows by the kernels for GPUs, against SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from solvers import Waits

import gpunp
from gpunp_scipy.sparse import arithmetic, entry_kernels, merge_kernels, merges
from gpunp_scipy.sparse.segments import rows_of


def sorted_rows(seed, shape, dtype, density=0.3):
    rng = np.random.default_rng(seed)
    dense = rng.integers(-2, 3, shape) * (rng.random(shape) < density)
    dense[3 % shape[0]] = np.arange(shape[1]) % 5
    dense[4 % shape[0]] = 0
    if np.dtype(dtype).kind == "c":
        dense = dense * (1 + 2j)
    elif np.dtype(dtype).kind == "u":
        dense = abs(dense)
    return sp.csr_array(dense.astype(dtype))


def parts(host, index):
    return tuple(
        gpunp.asarray(each.astype(to))
        for each, to in ((host.indptr, index), (host.indices, index), (host.data, host.dtype))
    )


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "i8", "u1", "i2", "?"])
@pytest.mark.parametrize("name", arithmetic.OPERATIONS)
def test_operations(device, name, dtype, index):
    if np.dtype(dtype).kind == "c" and name in ("le", "ge"):
        return
    if dtype == "?" and name == "eldiv":
        # SciPy divides truth values as numbers.
        return
    for shape in ((40, 30), (3, 900), (700, 2)):
        a, b = (sorted_rows(seed, shape, dtype) for seed in (0, 1))
        if name == "eldiv":
            # What numbers give that are divided by 0 is tested elsewhere.
            b = sp.csr_array(a)
        with np.errstate(all="ignore"):
            expected = a._binopt(b, f"_{name}_")
            indptr, indices, data = merges.merge(parts(a, index), parts(b, index), name)
        np.testing.assert_array_equal(indptr.get(), expected.indptr)
        np.testing.assert_array_equal(indices.get(), expected.indices)
        np.testing.assert_array_equal(data.get(), expected.data)


# Rows and columns, and entries of either array. A tile has about 2000.
LARGE = [
    (1, 50_000, 9000),
    (5, 20_000, 9000),
    (300, 300, 9000),
    (9000, 3, 12_000),
    (60_000, 40, 3000),
    (1, 2048, 2048),
    (2048, 1, 2048),
    (3000, 3000, 1),
]


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("case", LARGE, ids=str)
def test_many_tiles(device, case, index):
    """Rows that go on in further tiles, many empty rows, explicit zeros, and equal arrays."""
    rows, columns, entries = case
    rng = np.random.default_rng(entries)
    places = [np.unique(rng.integers(0, rows * columns, entries)) for _ in range(2)]
    a, b = (
        sp.csr_array(
            (rng.integers(-1, 2, len(at)).astype(float), (at // columns, at % columns)), (rows, columns)
        )
        for at in places
    )
    for one, other in ((a, b), (a, a), (a, -a), (a, sp.csr_array((rows, columns)))):
        for name in ("plus", "minus", "elmul", "maximum", "ne", "gt"):
            expected = one._binopt(other, f"_{name}_")
            for known in (columns, None):
                found = merges.merge(parts(one, index), parts(other, index), name, columns=known)
                for part, field in zip(found, ("indptr", "indices", "data"), strict=True):
                    np.testing.assert_array_equal(part.get(), getattr(expected, field))


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("columns", [2**20, 2**20 + 1, 2**31 - 1, 2**51, 2**62])
def test_many_columns(device, columns, start):
    """Keys of 32 and 64 bits, and ranks of columns; indices and values that begin within 16 bytes."""
    rng = np.random.default_rng(columns % 97)
    arrays = []
    for _ in range(2):
        lengths = rng.integers(0, 500, 20)
        rows = [np.unique(rng.integers(columns - 2000, columns, n)) for n in lengths]
        rows[7] = np.array([0, columns - 1])
        indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
        data = rng.integers(1, 9, indptr[-1]).astype(float)
        arrays.append(sp.csr_array((data, np.concatenate(rows), indptr), (20, columns)))
    index = arrays[0].indices.dtype
    given = [
        (
            parts(each, index)[0],
            *(
                gpunp.asarray(np.append(np.zeros(start, part.dtype), part))[start:]
                for part in (each.indices, each.data)
            ),
        )
        for each in arrays
    ]
    for name in ("plus", "elmul", "minimum", "ne"):
        expected = arrays[0]._binopt(arrays[1], f"_{name}_")
        found = merges.merge(*given, name, columns=columns)
        for part, field in zip(found, ("indptr", "indices", "data"), strict=True):
            np.testing.assert_array_equal(part.get(), getattr(expected, field))


@pytest.mark.parametrize("empty", ["before", "between", "after"])
def test_many_empty_rows(device, empty):
    """More empty rows at one place than a tile writes the starts of."""
    a, b = (sorted_rows(seed, (300, 30), "f8") for seed in (0, 1))
    gap = sp.csr_array((40_000, 30))
    order = {"before": (gap, a), "between": (a, gap, a), "after": (a, gap)}[empty]
    one = sp.vstack(order, format="csr")
    other = sp.vstack([b if each is a else gap for each in order], format="csr")
    for name in ("plus", "elmul", "gt"):
        expected = one._binopt(other, f"_{name}_")
        found = merges.merge(parts(one, "i4"), parts(other, "i4"), name, columns=30)
        for part, field in zip(found, ("indptr", "indices", "data"), strict=True):
            np.testing.assert_array_equal(part.get(), getattr(expected, field))


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("shared", [0, 1, 5, 60])
def test_few_common_entries(device, shared, index):
    """Tiles without common entries are not written, among them those within a row and at its end."""
    rng = np.random.default_rng(shared)
    cases = (1, 90_000, 9000), (3, 40_000, 9000), (400, 3000, 12_000), (9000, 90, 12_000)
    for rows, columns, entries in cases:
        places = 2 * np.unique(rng.integers(0, rows * columns // 2, entries))
        others = np.union1d(places + 1, rng.choice(places, shared, replace=False))
        others = others[others < rows * columns]
        a, b = (
            sp.csr_array((np.arange(1.0, len(at) + 1), (at // columns, at % columns)), (rows, columns))
            for at in (places, others)
        )
        for one, other in ((a, b), (b, a)):
            expected = one.multiply(other)
            found = merges.merge(parts(one, index), parts(other, index), "elmul")
            for part, field in zip(found, ("indptr", "indices", "data"), strict=True):
                np.testing.assert_array_equal(part.get(), getattr(expected, field))


@pytest.mark.parametrize("is_sorted", [True, False])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ["maximum", "minimum", "lt", "gt", "ne"])
def test_comparisons_of_nan(device, name, dtype, is_sorted):
    """NaN is neither less nor greater, and complex numbers compare by their parts."""
    parts_of_numbers = np.array([np.nan, 0.0, -0.0, 1, -2, np.inf, 3])
    one, other = np.meshgrid(parts_of_numbers, parts_of_numbers)
    if np.dtype(dtype).kind == "c":
        numbers = one.ravel().astype(dtype)
        numbers.imag = other.ravel()
        one, other = np.meshgrid(numbers, numbers)
    a, b = (sp.csr_array(np.where(each == 0, 0, each).astype(dtype)) for each in (one, other))
    for first, second in ((a, b), (b, a)):
        expected = first._binopt(second, f"_{name}_")
        if is_sorted:
            indptr, indices, data = (
                each.get() for each in merges.merge(parts(first, "i4"), parts(second, "i4"), name)
            )
            np.testing.assert_array_equal(indptr, expected.indptr)
            np.testing.assert_array_equal(indices, expected.indices)
            np.testing.assert_array_equal(data, expected.data)
        else:
            shape, keys = first.shape, parts(first, "i4") + parts(second, "i4")
            room = len(keys[1]) + len(keys[4])
            made = gpunp.empty(shape[0] + 1, "i4"), gpunp.empty(room, "i4"), gpunp.empty(room, expected.dtype)
            arithmetic.operations()[f"csr_{name}_csr"](*shape, *keys, *made)
            np.testing.assert_array_equal(made[0].get(), expected.indptr)
            np.testing.assert_array_equal(made[2].get()[: expected.nnz], expected.data)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_products_with_values_that_are_not_finite(device, dtype):
    """A NaN or an infinity times an entry that is not there is NaN."""
    a, b = (sorted_rows(seed, (40, 30), dtype) for seed in (0, 1))
    for value in (np.nan, np.inf):
        special = a.copy()
        special.data[::7] = value
        for one, other in ((special, b), (b, special), (special, sp.csr_array(a.shape, dtype=dtype))):
            with np.errstate(all="ignore"):
                expected = one.multiply(other)
            found = merges.merge(parts(one, "i4"), parts(other, "i4"), "elmul")
            for part, field in zip(found, ("indptr", "indices", "data"), strict=True):
                np.testing.assert_array_equal(part.get(), getattr(expected, field))


def test_parts_that_do_not_fit(device):
    a, b = (parts(sorted_rows(0, (9, 7), dtype), index) for dtype, index in (("f8", "i4"), ("f4", "i4")))
    with pytest.raises(ValueError, match="dtype"):
        merge_kernels.merge(a, b, union=True)
    with pytest.raises(ValueError, match="row pointers"):
        merge_kernels.merge(a, parts(sorted_rows(0, (8, 7), "f8"), "i4"), union=True)


def test_nothing_to_merge(device):
    a = sorted_rows(0, (9, 7), "f8")
    empty = sp.csr_array((9, 7))
    for one, other in ((a, empty), (empty, a), (empty, empty)):
        for name in ("plus", "elmul"):
            expected = one._binopt(other, f"_{name}_")
            found = merges.merge(parts(one, "i4"), parts(other, "i4"), name)
            for part, field in zip(found, ("indptr", "indices", "data"), strict=True):
                np.testing.assert_array_equal(part.get(), getattr(expected, field))


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i2", "?"])
def test_copies_of_rows(device, dtype, index):
    for lengths in (np.arange(60) % 7, np.where(np.arange(4) == 2, 5000, 0), np.full(3000, 1)):
        rng = np.random.default_rng(2)
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(index)
        host = rng.integers(0, 99, indptr[-1]).astype(index), rng.random(indptr[-1]).astype(dtype)
        chosen = rng.integers(0, len(lengths), 50)
        ends = np.concatenate(([0], np.cumsum(lengths[chosen]))).astype(index)
        indices, data = gpunp.empty(int(ends[-1]), index), gpunp.empty(int(ends[-1]), dtype)
        given = tuple(map(gpunp.asarray, (indptr, *host)))
        entry_kernels.copy_rows(gpunp.asarray(ends), gpunp.asarray(chosen), given, indices, data)
        for found, source in ((indices, host[0]), (data, host[1])):
            expected = np.concatenate([source[indptr[r] : indptr[r + 1]] for r in chosen])
            np.testing.assert_array_equal(found.get(), expected)
        rows = rows_of(given[0], len(host[0]))
        np.testing.assert_array_equal(rows.get(), np.repeat(np.arange(len(lengths)), lengths))


@pytest.mark.parametrize(
    ("name", "limit"), [("plus", 1), ("minus", 1), ("elmul", 1), ("maximum", 1), ("ne", 1), ("gt", 1)]
)
def test_waits(device, name, limit):
    """Results without zeros: their number of entries is all that a sum or a product waits for."""
    a, b = (sp.csr_array(np.triu(np.full((9, 7), value))) for value in (2.0, 5.0))
    given = parts(a, "i4"), parts(b, "i4")
    merges.merge(*given, name)
    with Waits(device) as waits:
        merges.merge(*given, name)
    assert waits.count <= limit
