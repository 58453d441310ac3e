"""The functions that take the place of scipy.sparse._sparsetools on a GPU, each against it."""

import types

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import _sparsetools as theirs

import gpunp
from gpunp_scipy.sparse import compiled, row_kernels

# On the CPU device, SciPy's functions take the place of these.
ours = types.SimpleNamespace(**compiled.DEVICE)
DTYPES = ("f4", "f8", "c8", "c16", "i4", "i8", "u1", "?")
KINDS = ("canonical", "duplicates", "unsorted", "zeros", "no columns", "no rows")


def values(rng, count, dtype):
    """Small whole numbers, so that sums in any order are exact."""
    made = rng.integers(1, 5, count)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.integers(-3, 4, count)
    return made.astype(dtype)


def structure(kind, dtype="f8", index="i4", shape=(9, 7), seed=0):
    """The parts of a compressed array of random structure; some rows are empty."""
    rng = np.random.default_rng(seed)
    if kind == "no columns":
        shape = (4, 0)
    elif kind == "no rows":
        shape = (0, 5)
    m, n = shape
    lengths = rng.integers(0, 6, m) if n else np.zeros(m, int)
    lengths[rng.random(m) < 0.3] = 0
    rows = []
    for length in lengths:
        length = min(length, n) if kind not in ("duplicates",) else length
        row = rng.integers(0, n, length) if kind == "duplicates" else rng.permutation(n)[:length]
        rows.append(row if kind == "unsorted" else np.sort(row))
    indices = np.concatenate([*rows, np.zeros(0, int)]).astype(index)
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(index)
    data = values(rng, len(indices), dtype)
    if kind == "zeros":
        data[rng.random(len(data)) < 0.4] = 0
    return shape, indptr, indices, data


def run(name, *args):
    """Call a function of both modules with copies of the arguments; return these and the results."""
    host = [each.copy() if isinstance(each, np.ndarray) else each for each in args]
    device = [gpunp.asarray(each) if isinstance(each, np.ndarray) else each for each in args]
    results = getattr(theirs, name)(*host), getattr(ours, name)(*device)
    return (
        host,
        [gpunp.asnumpy(each) if isinstance(each, gpunp.ndarray) else each for each in device],
        results,
    )


def check(name, *args, used=None):
    """Arguments of both are equal after the call; ``used`` says how many elements count, for some."""
    host, device, results = run(name, *args)
    for place, (expected, found) in enumerate(zip(host, device, strict=True)):
        if isinstance(expected, np.ndarray):
            count = (used or {}).get(place, len(expected))
            count = count(host) if callable(count) else count
            np.testing.assert_array_equal(
                found[:count], expected[:count], err_msg=f"{name}, argument {place}"
            )
            assert found.dtype == expected.dtype
    return results


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(device, kind, dtype, index):
    (m, n), p, j, x = structure(kind, dtype, index)
    nnz = len(j)
    check("csr_tocsc", m, n, p, j, x, np.zeros(n + 1, index), np.zeros(nnz, index), np.zeros(nnz, dtype))
    check("csr_todense", m, n, p, j, x, np.zeros((m, n), dtype))
    check("expandptr", m, p, np.zeros(nnz, index))
    row = np.repeat(np.arange(m, dtype=index), np.diff(p))
    order = np.random.default_rng(1).permutation(nnz)
    row, column, x = row[order], j[order], x[order]
    out = np.zeros(m + 1, index), np.zeros(nnz, index), np.zeros(nnz, dtype)
    check("coo_tocsr", m, n, nnz, row, column, x, *out)
    for fortran in (0, 1):
        check("coo_todense", m, n, nnz, row, column, x, np.zeros(m * n, dtype), fortran)
        strides = np.array([1, m] if fortran else [n, 1], index)
        coords = np.concatenate((row, column))
        check("coo_todense_nd", strides, nnz, 2, coords, x, np.zeros(m * n, dtype), fortran)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_dense(device, kind, dtype):
    (m, n), p, j, x = structure(kind, dtype)
    rng = np.random.default_rng(2)
    row = np.repeat(np.arange(m, dtype="i4"), np.diff(p))
    vector, y = values(rng, n, dtype), values(rng, m, dtype)
    many, ys = values(rng, 3 * n, dtype), values(rng, 3 * m, dtype)
    check("csr_matvec", m, n, p, j, x, vector, y)
    check("csr_matvecs", m, n, 3, p, j, x, many, ys)
    check("coo_matvec", len(j), row, j, x, vector, y)
    check("coo_matmat_dense", len(j), 3, row, j, x, many, ys)
    # The same parts are the columns of an n x m array.
    check("csc_matvec", n, m, p, j, x, values(rng, m, dtype), values(rng, n, dtype))
    check("csc_matvecs", n, m, 3, p, j, x, values(rng, 3 * m, dtype), values(rng, 3 * n, dtype))


@pytest.mark.parametrize("index", ["i4", "i8"])
def test_order_and_duplicates(device, kind, index):
    (m, n), p, j, x = structure(kind, "f8", index)
    found = check("csr_has_sorted_indices", m, p, j)
    assert bool(found[0]) == bool(found[1])
    found = check("csr_has_canonical_format", m, p, j)
    assert bool(found[0]) == bool(found[1])
    total = {3: lambda host: int(host[2][-1]), 4: lambda host: int(host[2][-1])}
    check("csr_eliminate_zeros", m, n, p, j, x, used=total)
    if kind != "duplicates":
        # SciPy's order of duplicates is not defined.
        check("csr_sort_indices", m, p, j, x)
    else:
        check("csr_sum_duplicates", m, n, p, j, x, used=total)


@pytest.mark.parametrize("dtype", ["f4", "c16", "i8"])
def test_parts(device, kind, dtype):
    (m, n), p, j, x = structure(kind, dtype)
    if 0 in (m, n):
        return
    for k in (-3, 0, 2):
        check("csr_diagonal", k, m, n, p, j, x, np.zeros(min(m + min(k, 0), n - max(k, 0)), dtype))
    for part in ((2, 6, 1, 5), (0, m, 0, n), (3, 3, 0, n), (1, 8, 4, 4)):
        for expected, found in zip(*run("get_csr_submatrix", m, n, p, j, x, *part)[2], strict=True):
            np.testing.assert_array_equal(gpunp.asnumpy(found), expected)
    rows = np.array([3, 0, 3, 8], "i4")
    count = int((p[rows + 1] - p[rows]).sum())
    check("csr_row_index", len(rows), rows, p, j, x, np.zeros(count, "i4"), np.zeros(count, dtype))
    count = int((p[1:] - p[:-1])[7:1:-2].sum())
    check("csr_row_slice", 7, 1, -2, p, j, x, np.zeros(count, "i4"), np.zeros(count, dtype))
    wanted = np.array([6, 1, 1, 3], "i4")
    host, _, _ = run("csr_column_index1", 4, wanted, m, n, p, j, np.zeros(n, "i4"), np.zeros(m + 1, "i4"))
    check("csr_column_index1", 4, wanted, m, n, p, j, np.zeros(n, "i4"), np.zeros(m + 1, "i4"))
    order = np.argsort(wanted, kind="stable").astype("i4")
    count = int(host[7][-1])
    out = np.zeros(count, "i4"), np.zeros(count, dtype)
    check("csr_column_index2", order, host[6], len(j), j, x, *out)
    rng = np.random.default_rng(4)
    i, k = rng.integers(-m, m, 40).astype("i4"), rng.integers(-n, n, 40).astype("i4")
    check("csr_sample_values", m, n, p, j, x, 40, i, k, np.zeros(40, dtype))
    used = {7: 0} if kind == "duplicates" else None
    results = check("csr_sample_offsets", m, n, p, j, 40, i, k, np.zeros(40, "i4"), used=used)
    assert results[0] == results[1]
    check("csr_scale_rows", m, n, p, j, x, values(rng, m, dtype))
    check("csr_scale_columns", m, n, p, j, x, values(rng, n, dtype))


OPERATIONS = ("plus", "minus", "elmul", "eldiv", "maximum", "minimum", "ne", "lt", "gt", "le", "ge")


@pytest.mark.parametrize("dtype", ["f8", "c8", "i4"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_of_two(device, kind, operation, dtype):
    if dtype == "c8" and operation in ("maximum", "minimum", "lt", "gt", "le", "ge"):
        dtype = "f4"
    (m, n), p, j, x = structure(kind, dtype)
    _, q, k, y = structure(kind, dtype, seed=5)
    out = "?" if operation in ("ne", "lt", "gt", "le", "ge") else dtype
    most = len(j) + len(k)
    parts = np.zeros(m + 1, "i4"), np.zeros(most, "i4"), np.zeros(most, out)
    with np.errstate(all="ignore"):
        host, device, _ = run(f"csr_{operation}_csr", m, n, p, j, x, q, k, y, *parts)
    same_array(host[-3:], device[-3:], (m, n))


def same_array(expected, found, shape):
    """Two compressed arrays with the same entries; rows of the second are sorted."""
    count = int(expected[0][-1])
    np.testing.assert_array_equal(found[0], expected[0])
    a = sp.csr_array((expected[2][:count], expected[1][:count], expected[0]), shape=shape)
    a.sort_indices()
    np.testing.assert_array_equal(found[1][:count], a.indices)
    actual, data = found[2][:count], a.data
    if data.dtype.kind == "c":
        # What a complex number gives that is divided by 0 is not defined.
        actual, data = (np.where(np.isfinite(each), each, np.nan) for each in (actual, data))
        np.testing.assert_allclose(actual, data, 1e-6)
    else:
        np.testing.assert_array_equal(actual, data)


@pytest.mark.parametrize("dtype", ["f8", "c8", "i4", "?"])
def test_product(device, kind, dtype):
    (m, n), p, j, x = structure(kind, dtype)
    (n, r), q, k, y = structure(kind, dtype, shape=(n, 6), seed=6)
    if n == 0 or m == 0:
        return
    most = ours.csr_matmat_maxnnz(m, r, *(gpunp.asarray(each) for each in (p, j, q, k)))
    assert most >= theirs.csr_matmat_maxnnz(m, r, p, j, q, k)
    parts = np.zeros(m + 1, "i4"), np.zeros(most, "i4"), np.zeros(most, dtype)
    host, device, _ = run("csr_matmat", m, r, p, j, x, q, k, y, *parts)
    same_array(host[-3:], device[-3:], (m, r))


def test_side_by_side(device):
    (m, n), p, j, x = structure("unsorted")
    _, q, k, y = structure("duplicates", seed=3)
    count = len(j) + len(k)
    parts = np.concatenate((p, q)), np.concatenate((j, k)), np.concatenate((x, y))
    out = np.zeros(m + 1, "i4"), np.zeros(count, "i4"), np.zeros(count)
    check("csr_hstack", 2, m, np.array([n, n], "i4"), *parts, *out)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_diagonals(device, dtype):
    rng = np.random.default_rng(8)
    for m, n, length in ((6, 8, 7), (8, 5, 9), (5, 5, 3)):
        offsets = np.array([2, -1, 0, -4, 4], "i4")
        data = values(rng, 5 * length, dtype).reshape(5, length)
        data[1, 1] = 0
        check("dia_matvec", m, n, 5, length, offsets, data, values(rng, n, dtype), values(rng, m, dtype))
        x, y = values(rng, 2 * n, dtype).reshape(n, 2), values(rng, 2 * m, dtype).reshape(m, 2)
        check("dia_matvecs", m, n, 5, length, offsets, data, 2, x, y)
        order = np.argsort(offsets).astype("i4")
        out = np.zeros(5 * length, dtype), np.zeros(5 * length, "i4"), np.zeros(m + 1, "i4")
        host, found, results = run("dia_tocsr", m, n, 5, length, offsets, data, order, *out)
        assert results[0] == results[1]
        for expected, part in zip(host[-3:-1], found[-3:-1], strict=True):
            np.testing.assert_array_equal(part[: results[0]], expected[: results[0]])
        np.testing.assert_array_equal(found[-1], host[-1])


def test_products_of_diagonals(device):
    """Diagonals on which no two entries meet are left out; those of arrays without entries, too."""
    a, b = np.array([[0.0, 1, 2], [3, 4, 5]]), np.array([[6.0, 7, 8], [0, 0, 9]])
    offsets = np.array([1, -2], "i4"), np.array([-1, 2], "i4")
    _, _, results = run("dia_matmat", 5, 5, 2, 3, offsets[0], a, 5, 2, 3, offsets[1], b)
    for found, expected in zip(results[::-1][0], results[0], strict=True):
        np.testing.assert_array_equal(gpunp.asnumpy(found), expected)
    none = gpunp.empty((0, 3)), gpunp.empty(0, "i4")
    parts = 5, 2, 3, gpunp.asarray(offsets[1]), gpunp.asarray(b)
    assert [len(each) for each in ours.dia_matmat(5, 5, 0, 3, none[1], none[0], *parts)] == [0, 0]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_blocks(device, dtype):
    rng = np.random.default_rng(9)
    (m, n), p, j, _ = structure("canonical", shape=(4, 5))
    R, C = 2, 3
    nnz = len(j)
    x = values(rng, nnz * R * C, dtype)
    check("bsr_matvec", m, n, R, C, p, j, x, values(rng, n * C, dtype), values(rng, m * R, dtype))
    check("bsr_matvecs", m, n, 2, R, C, p, j, x, values(rng, 2 * n * C, dtype), values(rng, 2 * m * R, dtype))
    total = nnz * R * C
    out = np.zeros(m * R + 1, "i4"), np.zeros(total, "i4"), np.zeros(total, dtype)
    check("bsr_tocsr", m, n, R, C, p, j, x.reshape(-1, R, C), *out)
    out = np.zeros(n + 1, "i4"), np.zeros(nnz, "i4"), np.zeros(total, dtype)
    check("bsr_transpose", m, n, R, C, p, j, x, *out)
    for k in (-2, 0, 5):
        length = min(m * R + min(k, 0), n * C - max(k, 0))
        check("bsr_diagonal", k, m, n, R, C, p, j, x, np.zeros(length, dtype))
    (rows, columns), p, j, x = structure("zeros", dtype, shape=(8, 9))
    results = check("csr_count_blocks", rows, columns, 2, 3, p, j)
    assert results[0] == results[1]
    out = np.zeros(5, "i4"), np.zeros(results[0], "i4"), np.zeros(results[0] * 6, dtype)
    host, found, _ = run("csr_tobsr", rows, columns, 2, 3, p, j, x, *out)
    expected = sp.bsr_array((host[-1].reshape(-1, 2, 3), host[-2], host[-3]), shape=(8, 9)).toarray()
    made = sp.bsr_array((found[-1].reshape(-1, 2, 3), found[-2], found[-3]), shape=(8, 9))
    np.testing.assert_array_equal(made.toarray(), expected)


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("mean", [1, 3, 20, 200])
def test_rows_of_many_lengths(device, dtype, index, mean):
    """All numbers of threads for a row, rows of very different lengths, and more columns than a warp has."""
    rng = np.random.default_rng(mean)
    m, n = 300, 500
    lengths = np.minimum(rng.geometric(1 / mean, m), n)
    lengths[7], lengths[::11] = n, 0
    p = np.concatenate(([0], np.cumsum(lengths))).astype(index)
    j = np.concatenate([rng.permutation(n)[:length] for length in lengths]).astype(index)
    x = values(rng, len(j), dtype)
    check("csr_matvec", m, n, p, j, x, values(rng, n, dtype), values(rng, m, dtype))
    for count in (2, 5, 40):
        vectors, out = values(rng, n * count, dtype), values(rng, m * count, dtype)
        check("csr_matvecs", m, n, count, p, j, x, vectors, out)


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("vectors", [1, 2, 5, 33])
def test_rows_that_are_shared_out(device, dtype, index, vectors):
    """Rows that end in a share, go through many of them, and are empty; results added or not."""
    rng = np.random.default_rng(vectors)
    for lengths in (
        rng.geometric(0.1, 500),
        np.where(np.arange(900) == 450, 9000, 0),
        np.where(rng.random(3000) < 0.02, 700, 1),
        np.zeros(5000, int),
        np.array([20000]),
        np.repeat([8, 7], [300, 1]),
    ):
        m, n = len(lengths), 400
        p = np.concatenate(([0], np.cumsum(lengths))).astype(index)
        j = rng.integers(0, n, p[-1]).astype(index)
        x, many, y = (values(rng, count, dtype) for count in (p[-1], n * vectors, m * vectors))
        parts = [gpunp.asarray(each) for each in (p, j, x, many)]
        for shared in (True, False):
            found = gpunp.asarray(y)
            row_kernels.add_product(*parts, found, m, n, vectors, shared=shared)
            expected = y.copy()
            theirs.csr_matvecs(m, n, vectors, p, j, x, many, expected)
            np.testing.assert_array_equal(found.get(), expected)
        made = row_kernels.product(*parts[:3], parts[3].reshape(n, vectors), m, n)
        if p[-1]:
            np.testing.assert_array_equal(made.get().ravel(), expected - y)
        else:
            assert made is None


def test_columns_that_do_not_exist(device):
    """Wrong indices read nothing outside the vector."""
    parts = gpunp.asarray([1.0, 2, 4]), gpunp.asarray([0, 9, -3]), gpunp.asarray([0, 2, 3])
    found = sp.csr_array(parts, shape=(2, 2)) @ gpunp.asarray([3.0, 5])
    np.testing.assert_array_equal(found.get(), [3, 0])


def test_results_in_place_of_views(device):
    data = gpunp.asarray(np.arange(1.0, 7))[::2]
    made = sp.csr_array((data, gpunp.asarray([1, 0, 1]), gpunp.asarray([0, 1, 3])), shape=(2, 2))
    x = gpunp.asarray(np.arange(8.0).reshape(2, 4))[:, ::2]
    np.testing.assert_array_equal((made @ x).get(), made.toarray().get() @ x.get())
    np.testing.assert_array_equal((made @ x[:, 1]).get(), made.toarray().get() @ x[:, 1].get())
