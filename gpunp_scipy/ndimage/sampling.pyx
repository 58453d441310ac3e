"""Launches of interpolation in images: spline coefficients along an axis, and samples at coordinates."""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memset

from gpunp.array.ndarray cimport ndarray, new_array
from gpunp.device cimport Device, check_status
from gpunp.dtype_codes cimport C8, F4, F8, U1

from gpunp.dtype_codes import NAMES

cdef extern from "gpunp/ndimage/boundary_params.h" namespace "gpunp":
    enum:
        BOUNDARY_NEAREST, BOUNDARY_WRAP, BOUNDARY_REFLECT, BOUNDARY_MIRROR, BOUNDARY_CONSTANT, BOUNDARY_GRID_WRAP
        BOUNDARY_GRID_CONSTANT

cdef extern from "gpunp/ndimage/spline_filter_params.h" namespace "gpunp":
    enum:
        SPLINE_CHUNK, SPLINE_BLOCK, SPLINE_THREADS, SPLINE_SHORTEST
    struct SplineFilterParams:
        const void* source
        void* out
        int64_t length
        int64_t inner
        int64_t lines
        int64_t segment
        int64_t segments
        double poles[2]
        double gain
        int boundary

cdef extern from "gpunp/ndimage/sampling_params.h" namespace "gpunp":
    enum:
        SAMPLING_BLOCK, SAMPLING_RANK, SAMPLING_TABLES, SAMPLING_AFFINE, SAMPLING_COORDINATES
    struct PlacesParams:
        void* places
        int64_t count
        int64_t[8] extents
        int64_t[8] first
        double[8] zooms
        double[8] shifts
        double pad
        int rank
        int order
        int boundary
        int shifted
        int zoomed
        int grid
    struct SamplingParams:
        const void* image
        char* out
        const char* coordinates
        const void* places[8]
        int64_t[8] extents
        int64_t[8] strides
        int64_t outer
        int64_t height
        int64_t width
        int64_t size
        int64_t[8] outer_extents
        int64_t plane
        double[8][8] matrix
        double[8] offset
        double pad
        double cval
        int32_t rank
        int32_t order
        int32_t outer_rank
        int32_t kind
        int32_t boundary
        int32_t tail
        int32_t coordinates_dtype
        int32_t out_dtype
        int32_t out_step
        int32_t tile_width
        int32_t warp_width
        int32_t rows
        uint32_t tiles_x
        uint32_t tiles_y

# The poles of the filters that give spline coefficients, by the order of the spline.
POLES = {
    2: (-0.171572875253809902396622551580603843,),
    3: (-0.267949192431122706472553658494127633,),
    4: (-0.361341225900220177092212841325675255, -0.013725429297339121360331226939128204),
    5: (-0.430575347099973791851434783493520110, -0.043096288203264653822712376822550182),
}

# How lines continue beyond their ends for the filter; modes without an own filter have that of the mirror.
FILTER_BOUNDARY = {
    BOUNDARY_NEAREST: BOUNDARY_REFLECT,
    BOUNDARY_REFLECT: BOUNDARY_REFLECT,
    BOUNDARY_GRID_WRAP: BOUNDARY_GRID_WRAP,
}

# The ranks and orders with kernels of their own, as in kernels/codegen/ndimage_interpolation.py; in single
# precision without orders 4 and 5.
cdef dict OWN = {1: (1, 3), 2: (0, 1, 2, 3, 4, 5), 3: (0, 1, 3)}

cdef enum:
    # Longer axes need 64-bit indices.
    LONGEST_AXIS = 1 << 30


def filter_axis(ndarray source not None, int axis, int order, int boundary):
    """Return spline coefficients of the lines of a C-contiguous float32 or float64 array along an axis.

    Parameters
    ----------
    source : ndarray
    axis : int
        Not negative.
    order : int
        Of the spline, 2 to 5.
    boundary : int
        The code of a boundary mode.
    """
    cdef Device device = source.device_
    cdef ndarray out
    cdef SplineFilterParams params
    cdef double z
    cdef int64_t i, blocks, wanted
    check_status(device)
    out = new_array(source.code, source.ndim_, source.shape_, device)
    if out.size_ == 0:
        return out
    poles = POLES[order]
    params.gain = 1
    for i, z in enumerate(poles):
        params.poles[i] = z
        params.gain *= (1 - z) * (1 - 1 / z)
    params.boundary = FILTER_BOUNDARY.get(boundary, BOUNDARY_MIRROR)
    params.length = source.shape_[axis]
    params.inner = 1
    for i in range(axis + 1, source.ndim_):
        params.inner *= source.shape_[i]
    params.lines = source.size_ // params.length
    wanted = params.length
    if not device.is_cpu:
        wanted = max(<int64_t>SPLINE_SHORTEST, source.size_ // (device.multiprocessors * SPLINE_THREADS))
    params.segment = (min(wanted, params.length) + SPLINE_CHUNK - 1) // SPLINE_CHUNK * SPLINE_CHUNK
    params.segments = (params.length + params.segment - 1) // params.segment
    blocks = (params.lines * params.segments + SPLINE_BLOCK - 1) // SPLINE_BLOCK
    direction = "rows" if params.inner == 1 else "columns"
    kernel = device.kernel("ndimage_spline_filter", f"spline_{direction}_{NAMES[source.code]}_{len(poles)}")
    params.source = source.read_ptr()
    params.out = out.data_ptr()
    device.launch(kernel, <unsigned int>blocks, 1, 1, SPLINE_BLOCK, 0, &params, sizeof(params))
    return out


cdef ndarray make_places(SamplingParams* params, ndarray out, int code, zooms, shifts, bint grid):
    """Tables of the windows of all indices along each axis of the result; returns the array that holds them."""
    cdef PlacesParams table
    cdef int axis
    cdef int64_t count = 0
    cdef Py_ssize_t item, nbytes
    cdef ndarray places
    cdef Device device = out.device_
    for axis in range(params.rank):
        table.first[axis] = count
        table.extents[axis] = params.extents[axis]
        table.zooms[axis] = 1 if zooms is None else zooms[axis]
        table.shifts[axis] = 0 if shifts is None else shifts[axis]
        count += out.shape_[axis]
    # An index and six weights.
    item = 8 + 6 * (4 if code == F4 else 8)
    nbytes = count * item
    places = new_array(U1, 1, &nbytes, device)
    table.places = places.data_ptr()
    table.count = count
    table.pad = params.pad
    table.rank = params.rank
    table.order = params.order
    table.boundary = params.boundary
    table.zoomed = zooms is not None
    table.shifted = shifts is not None
    table.grid = grid
    device.launch(device.kernel("ndimage_sampling_" + NAMES[code], "places_" + NAMES[code]),
                  <unsigned int>((count + SAMPLING_BLOCK - 1) // SAMPLING_BLOCK), 1, 1, SAMPLING_BLOCK, 0,
                  &table, sizeof(table))
    for axis in range(params.rank):
        params.places[axis] = <char*>table.places + table.first[axis] * item
    return places


cdef int set_tiles(SamplingParams* params, bint aligned, bint linear, Device device) except -1:
    """The tiles of blocks, and of warps: rows where windows of adjacent results are in a row of the image.

    ``linear`` is for the kernels of linear interpolation in a plane.
    """
    cdef int64_t height
    if params.height == 1:
        params.tile_width = SAMPLING_BLOCK
        params.warp_width = 32
    else:
        params.tile_width = 128 if linear and not aligned else 32
        while params.tile_width // 2 >= params.width:
            params.tile_width //= 2
        params.warp_width = min(params.tile_width, 32 if aligned else 16 if linear else 8)
    height = SAMPLING_BLOCK // params.tile_width
    # Threads with several results share what they read and compute per thread, if there are enough threads.
    params.rows = 16 if linear and aligned and params.size >= device.multiprocessors * 262144 else (
        8 if params.size >= device.multiprocessors * 32768 else (
            4 if params.size >= device.multiprocessors * 8192 else 1))
    params.tiles_x = <uint32_t>((params.width + params.tile_width - 1) // params.tile_width)
    params.tiles_y = <uint32_t>((params.height + height * params.rows - 1) // (height * params.rows))
    return 0


cdef object in_plane(SamplingParams* params, Device device, int order):
    """The kernel for an image and a result with two axes on a GPU, or None if there is none."""
    cdef int axis
    if device.is_cpu or params.rank != 2 or params.outer_rank or order not in (1, 3):
        return None
    # Tiles of tables are 32 wide.
    if params.kind == SAMPLING_TABLES and (params.width <= 16 or params.height == 1):
        return None
    for axis in range(2):
        if params.extents[axis] <= order:
            return None
    kind = {SAMPLING_TABLES: "tables", SAMPLING_AFFINE: "affine"}.get(params.kind, "coordinates")
    return device.kernel("ndimage_plane_sampling", f"sample_{kind}_{order}")


def sample(ndarray image not None, ndarray out not None, int order, int boundary, int tail, double cval, int pad,
           component=None, bint planes=False, ndarray coordinates=None, matrix=None, offset=None,
           zooms=None, shifts=None, bint grid=False):
    """Write the values of an image's spline at coordinates to ``out``.

    Parameters
    ----------
    image : ndarray
        The coefficients, C-contiguous, float32 or float64.
    out : ndarray
        The results, C-contiguous; float32 if the image is.
    order : int
        Of the spline.
    boundary, tail : int
        The code of the boundary mode for coordinates, and of that for the samples in a window.
    cval : float
        The value outside.
    pad : int
        Added to all coordinates.
    component : int, optional
        0 to write the real parts of complex results, 1 for the imaginary parts.
    planes : bool, optional
        Whether the first axis of image and results counts images.
    coordinates : ndarray, optional
        The coordinates along each axis of the image, one after another: C-contiguous, float32 or float64.
    matrix, offset : sequence of float, optional
        Of an affine transform from indices of the result to coordinates, by axes of the image.
    zooms, shifts : sequence of float, optional
        If there are neither coordinates nor a matrix: the factors and offsets by axes.
    grid : bool, optional
        Whether zooms keep the edges of an image instead of the centres of its outermost samples.
    """
    cdef Device device = image.device_
    cdef SamplingParams params
    cdef int axis, k, first = 1 if planes else 0, rank = image.ndim_ - first, out_rank = out.ndim_ - first
    cdef int64_t stride = 1
    cdef ndarray places = None
    cdef char* target
    check_status(device)
    if out.size_ == 0:
        return
    if max(rank, out_rank) > SAMPLING_RANK:
        raise ValueError(f"images and results of at most {SAMPLING_RANK} dimensions can be interpolated, "
                         f"not {max(rank, out_rank)}")
    memset(&params, 0, sizeof(params))
    params.rank, params.order, params.boundary, params.tail = rank, order, boundary, tail
    params.pad, params.cval = pad, cval
    wide = False
    for axis in range(rank - 1, -1, -1):
        params.extents[axis] = image.shape_[first + axis]
        params.strides[axis] = stride
        stride *= params.extents[axis]
        wide = wide or params.extents[axis] >= LONGEST_AXIS
    params.size = out.size_
    params.width = out.shape_[out.ndim_ - 1]
    params.height = out.shape_[out.ndim_ - 2] if out_rank > 1 else 1
    params.outer = out.size_ // (params.width * params.height)
    if planes:
        params.plane = stride
    else:
        params.outer_rank = max(0, out_rank - 2)
        for axis in range(params.outer_rank):
            params.outer_extents[axis] = out.shape_[axis]
    # Outputs are written through the step of complex elements.
    params.out_step = out.itemsize_
    params.out_dtype = out.code
    if component is not None:
        params.out_dtype = F4 if out.code == C8 else F8
    if coordinates is not None:
        params.kind = SAMPLING_COORDINATES
        params.coordinates_dtype = coordinates.code
        params.coordinates = coordinates.read_ptr()
        if params.width < 32:
            params.width, params.height, params.outer = params.size, 1, 1
            params.outer_rank = 0
    elif matrix is not None:
        params.kind = SAMPLING_AFFINE
        for axis in range(rank):
            params.offset[axis] = offset[axis]
            for k in range(out_rank):
                # The last two axes of the result have the last two columns.
                params.matrix[axis][SAMPLING_RANK - out_rank + k if k >= out_rank - 2 else k] = matrix[axis][k]
    else:
        params.kind = SAMPLING_TABLES
        places = make_places(&params, out, image.code, zooms, shifts, grid)
    own = order in OWN.get(rank, ()) and not wide
    kernel = in_plane(&params, device, order) if own and image.code == F4 else None
    set_tiles(&params, places is not None, kernel is not None and order == 1, device)
    name = NAMES[image.code]
    if kernel is None:
        kernel = device.kernel("ndimage_sampling_" + name,
                               f"sample_{name}_{rank}_{order}" if own else f"sample_{name}_any")
    params.image = image.read_ptr()
    target = out.data_ptr()
    params.out = target + (out.itemsize_ // 2 if component == 1 else 0)
    device.launch(kernel, <unsigned int>(params.tiles_x * params.tiles_y * params.outer), 1, 1, SAMPLING_BLOCK, 0,
                  &params, sizeof(params))
