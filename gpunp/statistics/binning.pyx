"""Launches of the histogram kernels: extents, edges, counts, bins of elements, weighted sums."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from gpunp.array.ndarray cimport code_of, ndarray, new_array
from gpunp.device cimport Buffer, Device, Kernel, as_device, check_status
from gpunp.dtype_codes cimport F8, I4, I8, U1
from gpunp.statistics.params cimport (
    HISTOGRAM_BLOCK, HISTOGRAM_SHARED_COUNTS, HISTOGRAM_SHARED_SUMS,
    BucketParams, CheckParams, CountParams, EdgesParams, ExtentParams, UniformBins, WeightParams)
from gpunp.status cimport GPUNP_STATUS_HISTOGRAM_BINS, GPUNP_STATUS_HISTOGRAM_EDGES, GPUNP_STATUS_HISTOGRAM_RANGE

from gpunp.device import register_report
from gpunp.dtype_codes import NAMES

register_report(GPUNP_STATUS_HISTOGRAM_RANGE, ValueError,
                "autodetected range is not finite; give a range, or remove NaN and infinities")
register_report(GPUNP_STATUS_HISTOGRAM_BINS, ValueError,
                "Too many bins for data range. Cannot create finite-sized bins; use fewer")
register_report(GPUNP_STATUS_HISTOGRAM_EDGES, ValueError,
                "`bins` must increase monotonically, when an array; sort the edges")

cdef enum:
    # Elements per thread below which another block costs more (its start and flush) than it saves.
    ELEMENTS = 8
    # On the CPU device: the values per bin, and the most bins, for counts in the pass that finds the extents.
    FOUND_PER_BIN = 32
    MOST_FOUND_BINS = 1 << 14
    LEAST_FOUND = 1 << 13       # values


cdef unsigned int _blocks(Device device, int64_t size, int64_t each) noexcept:
    return <unsigned int>max(1, min((size + HISTOGRAM_BLOCK * ELEMENTS - 1) // (HISTOGRAM_BLOCK * ELEMENTS),
                                    device.multiprocessors * each))


cdef ndarray _vector(int code, Py_ssize_t size, Device device):
    return new_array(code, 1, &size, device)


cdef ndarray _zeros(int code, Py_ssize_t size, Device device):
    cdef ndarray out = _vector(code, size, device)
    if size:
        device.fill_bytes(out.data_ptr(), 0, size * out.itemsize_)
    return out


def extent(ndarray values not None):
    """The minimum and maximum of a nonempty contiguous array, in one pass; NaN if an element is NaN."""
    cdef Device device = values.device_
    cdef ExtentParams p
    cdef Buffer workspace
    cdef unsigned int blocks = _blocks(device, values.size_, device.tuning.extent_blocks)
    cdef ndarray out = _vector(values.code, 2, device)
    check_status(device)
    name = NAMES[values.code]
    cdef Kernel kernel = device.kernel("histogram_extent", "extent_" + name)
    workspace = device.allocate(16 + 16 * blocks)
    device.fill_bytes(workspace.ptr, 0, 16)
    p.values = values.data_ptr()
    p.size = values.size_
    p.counter = <uint32_t*>workspace.ptr
    p.partials = <char*>workspace.ptr + 16
    p.out = out.data_ptr()
    device.launch(kernel, blocks, 1, 1, HISTOGRAM_BLOCK, 0, &p, sizeof(p))
    return out


def uniform_edges(extents, double first, double last, double denominator, Py_ssize_t bins, line, edge,
                  division, bint check, device=None):
    """Edges of equal bins, and the record that the counting kernels read.

    Parameters
    ----------
    extents : ndarray or None
        The result of `extent`; None uses the next three arguments instead.
    first, last, denominator : float
        The range, and its width as the divisor that NumPy uses.
    bins : int
    line, edge, division : numpy.dtype
        Floating dtypes of the linspace computation, of the edges, and of the division.
    check : bool
        Whether to report edges that do not increase.
    device : Device, optional
        The device if ``extents`` is None.
    """
    cdef EdgesParams p
    cdef Device place = as_device(device) if extents is None else (<ndarray?>extents).device_
    cdef ndarray edges, uniform
    cdef Kernel kernel = place.kernel("histogram_edges", "histogram_edges")
    check_status(place)
    edges = _vector(code_of(edge), bins + 1, place)
    uniform = _vector(U1, sizeof(UniformBins), place)
    memset(&p, 0, sizeof(p))
    if extents is not None:
        p.extents = (<ndarray>extents).data_ptr()
        p.extents_dtype = (<ndarray>extents).code
    p.first, p.last, p.denominator = first, last, denominator
    p.edges = edges.data_ptr()
    p.uniform = <UniformBins*>uniform.data_ptr()
    p.status = place.report_word("histogram")
    p.bins = bins
    p.line_dtype, p.edge_dtype, p.division = code_of(line), code_of(edge), code_of(division)
    p.check = check
    place.launch(kernel, _blocks(place, bins + 1, place.tuning.count_blocks), 1, 1, HISTOGRAM_BLOCK, 0, &p, sizeof(p))
    return edges, uniform


def check_edges(ndarray edges not None):
    """Report decreasing edges (contiguous, float64, int64 or uint64) through the status word."""
    cdef Device device = edges.device_
    cdef CheckParams p
    check_status(device)
    if edges.size_ < 2:
        return
    p.edges = edges.data_ptr()
    p.size = edges.size_
    p.dtype = edges.code
    p.status = device.report_word("histogram")
    device.launch(device.kernel("histogram_edges", "histogram_check_edges"),
                  _blocks(device, edges.size_, device.tuning.count_blocks), 1, 1, HISTOGRAM_BLOCK, 0, &p, sizeof(p))


cdef int _describe(CountParams* p, ndarray values, int64_t bins) except -1:
    memset(p, 0, sizeof(CountParams))
    p.values = values.data_ptr()
    p.size = values.size_
    p.stride = values.strides_[0] if values.ndim_ else 0
    p.bins = bins
    p.dtype = values.code
    return 0


cdef int _count(Device device, Kernel kernel, CountParams* p, ndarray counts) except -1:
    cdef int64_t each = device.tuning.count_blocks
    p.counts = <uint64_t*>counts.data_ptr()
    p.shared = p.bins <= HISTOGRAM_SHARED_COUNTS
    if p.shared:
        few = p.bins <= device.tuning.count_few_bins
        each = device.tuning.count_shared_blocks if few else device.tuning.count_many_bins_blocks
    device.launch(kernel, _blocks(device, p.size, each), 1, 1, HISTOGRAM_BLOCK, 4 * p.bins if p.shared else 0, p,
                  sizeof(CountParams))
    return 0


def count_values(ndarray values not None, Py_ssize_t bins):
    """Count how often each of 0, 1, ..., bins - 1 occurs among contiguous integers."""
    cdef Device device = values.device_
    cdef CountParams p
    cdef ndarray counts = _zeros(I8, bins, device)
    check_status(device)
    if values.size_ == 0 or bins == 0:
        return counts
    _describe(&p, values, bins)
    kernel = device.kernel("histogram_values", "count_values_" + NAMES[values.code])
    _count(device, <Kernel>kernel, &p, counts)
    return counts


def extent_and_counts(ndarray values not None):
    """The least and the greatest of many integers on the CPU device, and their counts from 0 to the greatest.

    Returns
    -------
    tuple of (ndarray, ndarray or None) or None
        None for few values, and instead of the counts if there are too many bins or a negative value.
    """
    cdef Device device = values.device_
    cdef BucketParams p
    cdef ndarray found, counts
    cdef Py_ssize_t bins
    if not device.is_cpu or values.size_ < LEAST_FOUND:
        return None
    check_status(device)
    found = _vector(I8, 3, device)
    counts = _zeros(I8, min(MOST_FOUND_BINS, values.size_ // FOUND_PER_BIN), device)
    memset(&p, 0, sizeof(p))
    p.extent.values = values.data_ptr()
    p.extent.size = values.size_
    p.found = <int64_t*>found.data_ptr()
    p.counts = <uint64_t*>counts.data_ptr()
    p.bins = counts.size_
    kernel = device.kernel("histogram_values", "extent_counts_" + NAMES[values.code])
    device.launch(<Kernel>kernel, 1, 1, 1, 1, 0, &p, sizeof(p))
    if not p.found[2]:
        return found, None
    bins = p.found[1] + 1
    return found, counts[:bins]


def count_uniform(ndarray values not None, ndarray edges not None, ndarray uniform not None):
    """Count contiguous values in each of the equal bins of `uniform_edges`.

    The edges have the dtype of the values if that is floating, else float64.
    """
    cdef Device device = values.device_
    cdef CountParams p
    cdef ndarray counts = _zeros(I8, edges.size_ - 1, device)
    check_status(device)
    if values.size_ == 0:
        return counts
    _describe(&p, values, edges.size_ - 1)
    p.edges = edges.data_ptr()
    p.uniform = <const UniformBins*>uniform.data_ptr()
    kernel = device.kernel("histogram_uniform", "count_uniform_" + NAMES[values.code])
    _count(device, <Kernel>kernel, &p, counts)
    return counts


def count_edges(ndarray values not None, ndarray edges not None):
    """Count values (one dimension, any stride) in each bin between edges (float64, int64 or uint64)."""
    cdef Device device = values.device_
    cdef CountParams p
    cdef ndarray counts = _zeros(I8, edges.size_ - 1, device)
    check_status(device)
    if values.size_ == 0 or edges.size_ < 2:
        return counts
    _describe(&p, values, edges.size_ - 1)
    p.edges = edges.data_ptr()
    kernel = device.kernel("histogram_edges", "count_edges_" + NAMES[edges.code])
    _count(device, <Kernel>kernel, &p, counts)
    return counts


def locate(ndarray values not None, ndarray edges not None, ndarray uniform, ndarray index=None):
    """The bin of each value as int32, -1 outside; a given ``index`` is combined with it in C order, in place."""
    cdef Device device = values.device_
    cdef CountParams p
    cdef ndarray out = _vector(I4, values.size_, device) if index is None else index
    check_status(device)
    if values.size_ == 0:
        return out
    _describe(&p, values, edges.size_ - 1)
    p.edges = edges.data_ptr()
    p.index = <int32_t*>out.data_ptr()
    p.combine = index is not None
    if uniform is None:
        name = "locate_edges_" + NAMES[edges.code]
    else:
        p.uniform = <const UniformBins*>uniform.data_ptr()
        name = "locate_uniform_" + NAMES[edges.code]
    device.launch(device.kernel("histogram_edges", name), _blocks(device, p.size, device.tuning.count_blocks), 1, 1,
                  HISTOGRAM_BLOCK, 0, &p, sizeof(p))
    return out


cdef int describe_weights(WeightParams* p, ndarray index, ndarray weights, Py_ssize_t bins, void* workspace,
                          ndarray out) except -1:
    cdef Device device = index.device_
    cdef int headroom = 1
    while (<int64_t>1 << headroom) <= index.size_:
        headroom += 1
    device.fill_bytes(workspace, 0, 20 * bins)
    p.high = <uint64_t*>workspace
    p.low = p.high + bins
    p.exponents = <uint32_t*>(p.low + bins)
    p.index = index.data_ptr()
    p.weights = weights.data_ptr()
    p.size = index.size_
    p.weight_stride = weights.strides_[0]
    p.bins = bins
    p.out = <double*>out.data_ptr()
    p.index_dtype, p.weight_dtype = index.code, weights.code
    p.bits = 62 - headroom
    p.shared = False
    return 0


def weighted(ndarray index not None, ndarray weights not None, Py_ssize_t bins):
    """Sums of weights by bin as float64, bitwise identical for any order of the elements.

    Parameters
    ----------
    index : ndarray
        Contiguous integers; those outside ``[0, bins)`` are skipped.
    weights : ndarray
        One dimension, any stride, not complex.
    bins : int
    """
    cdef Device device = index.device_
    cdef WeightParams p
    cdef ndarray out = _zeros(F8, bins, device)
    cdef Buffer workspace
    cdef unsigned int blocks
    check_status(device)
    if index.size_ == 0 or bins == 0:
        return out
    workspace = device.allocate(20 * bins)
    describe_weights(&p, index, weights, bins, workspace.ptr, out)
    p.shared = bins <= HISTOGRAM_SHARED_SUMS
    blocks = _blocks(device, p.size, device.tuning.weigh_blocks)
    device.launch(device.kernel("histogram_weights", "histogram_exponents"), blocks, 1, 1, HISTOGRAM_BLOCK,
                  4 * bins if p.shared else 0, &p, sizeof(p))
    device.launch(device.kernel("histogram_weights", "histogram_limbs"), blocks, 1, 1, HISTOGRAM_BLOCK,
                  16 * bins if p.shared else 0, &p, sizeof(p))
    device.launch(device.kernel("histogram_weights", "histogram_sums"),
                  _blocks(device, bins, device.tuning.count_blocks), 1, 1, HISTOGRAM_BLOCK, 0, &p, sizeof(p))
    return out
