"""Products of two arrays of compressed rows.

Rows with few products of entries are sorted and added up in the shared memory of a block, first to count the
entries of the result, then to write them. Longer rows go through the radix sort, some at a time. Where
cuSPARSE is installed, it multiplies large arrays of floating-point numbers.
"""

import numpy

import gpunp
from gpunp_scipy.sparse import compressed_parts, sharing
from gpunp_scipy.sparse.product_kernels import Products, most_products, sizes
from gpunp_scipy.sparse.segments import expanded, pointers, starting, starts_of_runs

# Products of entries that are sorted at a time: 32 bytes or more each.
MOST_AT_A_TIME = 1 << 26
# Entries of both arrays from which on cuSPARSE multiplies them, if it is installed.
FEWEST_OF_LIBRARY = 1 << 21


def _chunks(counts, most):
    """Where the parts of some rows start and end that have at most so many products, or one row each."""
    ends = numpy.cumsum(counts)
    first, before = 0, 0
    while first < len(ends):
        last = max(int(numpy.searchsorted(ends, before + most, side="right")), first + 1)
        yield first, last
        first, before = last, int(ends[last - 1])


def _sorted_rows(a, b, lengths, columns, rows, total):
    """The entries of some rows of the product: where rows start, columns and values.

    Parameters
    ----------
    a, b : tuple of ndarray
    lengths : ndarray
        The number of products of each entry of the first array.
    columns : int
        Of the result.
    rows : ndarray
    total : int
        The number of products of all these rows.
    """
    indptr, indices, data = a
    run, entry, _ = expanded(indptr[rows], indptr[rows + 1] - indptr[rows])
    of_entry, other, _ = expanded(b[0][indices[entry]], lengths[entry], total)
    keys = run[of_entry] * columns + b[1][other]
    order = numpy.argsort(keys, kind="stable")
    keys = keys[order]
    starts = numpy.flatnonzero(starts_of_runs(keys))
    values = (data[entry[of_entry]] * b[2][other])[order]
    keys = keys[starts]
    values = numpy.add.reduceat(values, starts, dtype=data.dtype)
    return pointers(keys // columns, len(rows)), keys % columns, values


def multiply(a, b, columns, *, most_at_a_time=MOST_AT_A_TIME):
    """Multiply two arrays of compressed rows.

    Waits for the device three times, and once more if there are long rows.

    Parameters
    ----------
    a, b : tuple of ndarray
        The indptr, the indices and the data; of one index dtype and one dtype.
    columns : int
        Of the second array.
    most_at_a_time : int, optional
        Products of entries of long rows that are sorted at a time.

    Returns
    -------
    indptr, indices, data : ndarray
        With sorted rows without duplicates and zeros; None if there are no products.
    """
    a, b = (tuple(map(gpunp.ascontiguousarray, parts)) for parts in (a, b))
    indptr, indices, data = a
    rows = len(indptr) - 1
    lengths = (b[0][indices + 1] - b[0][indices]).astype("i8")
    before = starting(lengths)
    counts = before[indptr[1:]] - before[indptr[:-1]]
    slots = sizes(most_products(data))
    kind = numpy.searchsorted(gpunp.asarray([0, *slots]), counts)
    order = numpy.argsort(kind.astype("u1"), kind="stable")
    ends = numpy.cumsum(numpy.bincount(kind, minlength=len(slots) + 2)).tolist()
    groups = [(order[ends[k] : ends[k + 1]], size) for k, size in enumerate(slots) if ends[k] < ends[k + 1]]
    long = order[ends[len(slots)] : ends[len(slots) + 1]]
    if not (groups or len(long)):
        return None
    of_rows = gpunp.zeros(rows, "i8")
    product = Products(a, b, before) if slots else None
    for of_group, size in groups:
        product.run(of_group, size, lengths=of_rows)
    sorted_rows = []
    if len(long):
        of_long = counts[long].get()
        for first, last in _chunks(of_long, most_at_a_time):
            chunk = long[first:last]
            found = _sorted_rows(a, b, lengths, columns, chunk, int(of_long[first:last].sum()))
            of_rows[chunk] = numpy.diff(found[0])
            sorted_rows.append((chunk, found))
    return _written(product, groups, sorted_rows, of_rows, columns, a)


def _written(product, groups, sorted_rows, of_rows, columns, a):
    """Write the rows of the result one after another, and leave out zeros."""
    ends = starting(of_rows)
    total = int(ends[-1])
    index = a[0].dtype if max(total, columns) < 1 << 31 else numpy.dtype("i8")
    indices, data = gpunp.empty(total, a[0].dtype), gpunp.empty(total, a[2].dtype)
    zeros = gpunp.zeros(1, "i4")
    for of_group, size in groups:
        product.run(of_group, size, indptr=ends, indices=indices, data=data, zeros=zeros)
    for chunk, (starts, of_columns, values) in sorted_rows:
        _, place, _ = expanded(ends[chunk], numpy.diff(starts), len(values))
        indices[place], data[place] = of_columns, values
        zeros[0] += (values == 0).any()
    indptr, indices = ends.astype(index, copy=False), indices.astype(index, copy=False)
    if int(zeros[0]):
        compressed_parts.csr_eliminate_zeros(len(of_rows), columns, indptr, indices, data)
        total = int(indptr[-1])
        indices, data = indices[:total].copy(), data[:total].copy()
    return indptr, indices, data


def _by_library(a, b, columns):
    """The product by cuSPARSE, as `multiply` returns it; None if it cannot compute it, or is not installed.

    Sums are rounded as its order of products has it.
    """
    shape = len(a[0]) - 1, len(b[0]) - 1, columns
    if len(a[1]) + len(b[1]) < FEWEST_OF_LIBRARY or a[1].dtype != "i4" or a[2].dtype.char not in "fdFD":
        return None
    if max(shape) >= 1 << 31:
        return None
    from gpunp.cuda import cusparse

    if not cusparse.is_available():
        return None
    a, b = (tuple(map(gpunp.ascontiguousarray, parts)) for parts in (a, b))
    indptr, made = gpunp.empty(len(a[0]), "i4"), []

    def place(count):
        made[:] = gpunp.empty(count, "i4"), gpunp.empty(count, a[2].dtype)
        return made[0].data_address, made[1].data_address

    described = [(len(parts[1]), *(part.data_address for part in parts)) for parts in (a, b)]
    for in_parts in (False, True):
        try:
            cusparse.multiply(
                a[2].device,
                shape,
                *described,
                indptr.data_address,
                place,
                dtype=a[2].dtype.char,
                in_parts=in_parts,
            )
            break
        except MemoryError:
            # The kernels do not need memory for all products.
            if in_parts:
                return None
    return _without_zeros(indptr, *made)


def _without_zeros(indptr, indices, data):
    """A product in sorted rows without zeros; waits for the device."""
    rows = len(indptr) - 1
    if not compressed_parts.csr_has_sorted_indices(rows, indptr, indices):
        compressed_parts.csr_sort_indices(rows, indptr, indices, data)
    if bool((data == 0).any()):
        compressed_parts.csr_eliminate_zeros(rows, 0, indptr, indices, data)
        total = int(indptr[-1])
        indices, data = indices[:total].copy(), data[:total].copy()
    return indptr, indices, data


def multiplied(a, b):
    """The product of two compressed arrays, of the class of the first; None on the CPU device."""
    if sharing.uses_scipy(a.device) or a.ndim != 2 or b.ndim != 2 or b.device is not a.device:
        return None
    sputils = a._sputils()
    shape = a.shape[0], b.shape[1]
    dtype = numpy.dtype(sputils.upcast(a.dtype, b.dtype))
    if not (a.nnz and b.nnz):
        return type(a)(shape, dtype=dtype)
    b = b if b.format == a.format else type(a)(b)
    first, second = (a, b) if a.format == "csr" else (b, a)
    index = a._get_index_dtype((a.indptr, a.indices, b.indptr, b.indices))
    dtypes = index, index, dtype
    parts = [
        tuple(
            part.astype(to, copy=False)
            for part, to in zip((each.indptr, each.indices, each.data), dtypes, strict=True)
        )
        for each in (first, second)
    ]
    columns = shape[1] if a.format == "csr" else shape[0]
    made = _by_library(*parts, columns) or multiply(*parts, columns)
    if made is None:
        # With the index dtype of a new array, as in SciPy.
        return type(a)(shape, dtype=dtype)
    indptr, indices, data = made
    return a._like(
        indptr=indptr,
        indices=indices,
        data=data,
        _shape=shape,
        _known_nnz=(indptr, indices, 0, len(indices)),
        _has_sorted_indices=True,
        _has_canonical_format=True,
    )
