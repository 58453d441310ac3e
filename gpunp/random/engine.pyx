"""Draws: launches of the kernels that turn random bits into values."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy

from gpunp.array.layout import is_integer
from gpunp.array.ndarray cimport dtype_of, ndarray, require_writeable
from gpunp.device cimport Buffer, Device, as_device, check_status, current_device
from gpunp.dtype_codes cimport F4, F8, I8, itemsize_of
from gpunp.random.params cimport (
    RandomIntegersParams, RandomParameter, RandomPlacesParams, RandomRowsParams, RandomSampleParams, RandomTiesParams)
from gpunp.random.streams cimport BitStream, fill, launch, new_output
from gpunp.status cimport GPUNP_STATUS_RANDOM_PARAMETER

from gpunp.device import register_report

register_report(GPUNP_STATUS_RANDOM_PARAMETER, ValueError,
                "a parameter in a device array was outside the domain of its distribution")

cdef object _float64 = numpy.float64, _float32 = numpy.float32


cpdef int float_code(object dtype, str name) except -1:
    """The code of float64 or float32; TypeError for any other dtype."""
    if dtype is _float64 or dtype is float:
        return F8
    if dtype is _float32:
        return F4
    wanted = numpy.dtype(dtype)
    if wanted.isnative and wanted.kind == "f":
        if wanted.itemsize == 8:
            return F8
        if wanted.itemsize == 4:
            return F4
    raise TypeError(f"Unsupported dtype {wanted!r} for {name}; use float64 or float32")


cdef int _set_parameter(RandomParameter* p, value) except -1:
    """Set a parameter from (value, check); a value is a number or (contiguous float64 array, inner, length)."""
    cdef ndarray values
    p.values = NULL
    number, p.check = value
    if isinstance(number, tuple):
        values, p.inner, p.length = number
        p.values = <const double*>values.data_ptr()
    else:
        p.value = number
    return 0


cdef class Sampler:
    """A bit generator and a device, with one method for each kind of kernel."""

    cdef readonly BitStream bit_generator
    # None: the calling thread's current device, at each draw.
    cdef readonly Device fixed_device

    def __init__(self, BitStream bit_generator not None, device=None):
        self.bit_generator = bit_generator
        self.fixed_device = None if device is None else as_device(device)

    @property
    def device(self):
        """The device on which arrays are made."""
        return self.fixed_device if self.fixed_device is not None else current_device()

    cdef ndarray output(self, int code, object size, object out):
        cdef ndarray given
        if out is None:
            return new_output(code, size,
                              self.fixed_device if self.fixed_device is not None else current_device())
        if not isinstance(out, ndarray):
            raise TypeError(f"out must be a gpunp.ndarray, not {type(out).__name__}")
        given = out
        if given.code != code:
            raise TypeError(f"Supplied output array has the wrong type. Expected {dtype_of(code)}, got "
                            f"{given.dtype}")
        if not given.writeable or not (given.c_contiguous or given.f_contiguous):
            raise ValueError("Supplied output array must be contiguous, writable, aligned, and in machine "
                             "byte-order.")
        if size is not None and tuple([size] if is_integer(size) else size) != given.shape:
            raise ValueError("size must match out.shape when used together")
        require_writeable(given)
        return given

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Uniform floats in [0, 1): multiples of 2**-53, or of 2**-24 for float32.

        Parameters
        ----------
        size : int or tuple of ints, optional
            The shape; None gives a scalar.
        dtype : {float64, float32}, optional
        out : ndarray, optional
            A contiguous array to fill.

        Returns
        -------
        ndarray
        """
        return self.uniform_floats(0, 1, size, dtype, out, "random")

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        """Normal variates of mean 0 and standard deviation 1, by the Box-Muller method.

        Parameters
        ----------
        size : int or tuple of ints, optional
            The shape; None gives a scalar.
        dtype : {float64, float32}, optional
        out : ndarray, optional
            A contiguous array to fill.

        Returns
        -------
        ndarray
        """
        return self.normal_floats(0, 1, size, dtype, out, "standard_normal")

    def _fill_uniform(self, double low, double scale, size, dtype, out, str name):
        """Uniform floats with scalar bounds."""
        return self.uniform_floats(low, scale, size, dtype, out, name)

    def _fill_normal(self, double mean, double deviation, size, dtype, out, str name):
        """Normal floats with scalar parameters."""
        return self.normal_floats(mean, deviation, size, dtype, out, name)

    cdef ndarray uniform_floats(self, double low, double scale, size, dtype, out, str name):
        cdef int code = float_code(dtype, name)
        cdef ndarray target = self.output(code, size, out)
        if code == F4:
            fill(self.bit_generator, target, "random_uniform", "uniform_f4", 4, low, scale, 0, 0, 0)
        else:
            fill(self.bit_generator, target, "random_uniform", "uniform_f8", 2, low, scale, 0, 0, 0)
        return target

    cdef ndarray normal_floats(self, double mean, double deviation, size, dtype, out, str name):
        cdef int code = float_code(dtype, name)
        cdef ndarray target = self.output(code, size, out)
        if code == F4:
            kernel = "normal_standard_f4" if mean == 0 and deviation == 1 else "normal_f4"
            fill(self.bit_generator, target, "random_normal", kernel, 4, mean, deviation, 0, 0, 0)
        else:
            fill(self.bit_generator, target, "random_normal", "normal_f8", 2, mean, deviation, 0, 0, 0)
        return target

    def fill_integers(self, low, high, size, int code):
        """Integers from ``low`` to ``high`` inclusive; both are Python integers within the dtype."""
        cdef ndarray target = self.output(code, size, None)
        cdef int itemsize = itemsize_of(code)
        bits = 64 if itemsize == 8 else 32
        span = high - low + 1
        fill(self.bit_generator, target, "random_integers", "integers_u" + str(itemsize),
             2 if itemsize == 8 else 4, 0, 0, span & ((1 << bits) - 1), (1 << bits) % span, low & (2**64 - 1))
        return target

    def sample(self, str call not None, str unit, str name, parameters, int relation, int code, size, out=None):
        """Values of a distribution, as float64, float32 or int64.

        Parameters
        ----------
        call : str
            The function that error messages name.
        unit, name : str
            The kernel's unit and its name.
        parameters : sequence
            Pairs of a value and its RandomCheck; a value is a number, or a tuple of a contiguous float64
            array, the repeat count of each of its elements, and its length.
        relation : int
            The RandomRelation between the parameters that the kernel checks.
        code : int
            The dtype code of the values.
        size, out
            As in the public methods.
        """
        cdef RandomSampleParams p
        cdef ndarray target = self.output(code, size, out)
        cdef Device device = target.device_
        cdef Buffer _words
        cdef int i = 0
        check_status(device)
        if target.size_ == 0:
            return target
        memset(&p, 0, sizeof(p))
        for value in parameters:
            _set_parameter(&p.parameters[i], value)
            i += 1
        _words = self.bit_generator.take(&p.stream, target.size_, device)
        p.out = target.data_ptr()
        p.size = target.size_
        p.status = device.report_word(call)
        p.relation = relation
        p.single = code == F4
        launch(device, unit, name, target.size_, &p, sizeof(p))
        return target

    def sample_between(self, low, high, bint exclusive, limits, int code, size):
        """Integers between two arrays of bounds, each given as (contiguous 64-bit integers, inner, length)."""
        cdef RandomIntegersParams p
        cdef ndarray target = self.output(code, size, None), lows, highs
        cdef Device device = target.device_
        cdef Buffer _words
        check_status(device)
        if target.size_ == 0:
            return target
        memset(&p, 0, sizeof(p))
        lows, p.low_inner, p.low_length = low
        highs, p.high_inner, p.high_length = high
        p.low = <const uint64_t*>lows.data_ptr()
        p.high = <const uint64_t*>highs.data_ptr()
        p.itemsize = target.itemsize_
        p.is_signed = limits[0] < 0
        p.exclusive = exclusive
        p.least = limits[0]
        p.greatest = limits[1]
        _words = self.bit_generator.take(&p.stream, target.size_, device)
        p.out = target.data_ptr()
        p.size = target.size_
        p.status = device.report_word("integers")
        launch(device, "random_discrete", "random_integers", target.size_, &p, sizeof(p))
        return target

    def sample_rows(self, str name, total, weights, int code, size):
        """Rows of counts or proportions.

        Parameters
        ----------
        name : str
            A kernel of the unit random_rows.
        total : object
            A parameter as in `sample`, one value per row, or None.
        weights : tuple
            A contiguous float64 array, the repeat count of each of its rows, and its number of rows.
        code : int
            The dtype code of the values.
        size : tuple of ints
            The shape of the result; its last axis is the row.
        """
        cdef RandomRowsParams p
        cdef ndarray target = self.output(code, size, None), rows
        cdef Device device = target.device_
        cdef Buffer _words
        check_status(device)
        if target.size_ == 0:
            return target
        memset(&p, 0, sizeof(p))
        if total is not None:
            _set_parameter(&p.total, total)
        rows, p.weights_inner, p.weights_length = weights
        p.weights = <const double*>rows.data_ptr()
        p.length = target.shape_[target.ndim_ - 1]
        p.rows = target.size_ // p.length
        _words = self.bit_generator.take(&p.stream, target.size_, device)
        p.out = target.data_ptr()
        p.status = device.report_word(name.removeprefix("random_"))
        launch(device, "random_rows", name, p.rows, &p, sizeof(p))
        return target

    def shuffle_ties(self, ndarray keys not None, ndarray order not None):
        """Put runs of equal keys (uint32, sorted rows) in ``order`` (int64) into random order, in place."""
        cdef RandomTiesParams p
        cdef Device device = keys.device_
        cdef Buffer _words
        if keys.size_ == 0:
            return
        _words = self.bit_generator.take(&p.stream, keys.size_, device)
        p.keys = <const uint32_t*>keys.data_ptr()
        p.order = <int64_t*>order.data_ptr()
        p.length = keys.shape_[keys.ndim_ - 1]
        p.rows = keys.size_ // p.length
        launch(device, "random_rows", "random_ties", keys.size_, &p, sizeof(p))

    def distinct_places(self, uint64_t population, int64_t count):
        """Draw ``count`` distinct indices below ``population`` without memory proportional to it."""
        cdef RandomPlacesParams p
        cdef ndarray target = self.output(I8, count, None)
        cdef Buffer _words
        check_status(target.device_)
        if count:
            _words = self.bit_generator.take(&p.stream, 1, target.device_)
            p.out = <int64_t*>target.data_ptr()
            p.size = count
            p.population = population
            launch(target.device_, "random_rows", "random_places", count, &p, sizeof(p))
        return target


def require_writeable_array(ndarray array not None):
    """Raise ValueError for a read-only array."""
    require_writeable(array)
