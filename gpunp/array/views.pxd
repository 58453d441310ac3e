"""Views with another shape, axis order or dtype."""
from gpunp.array.ndarray cimport ndarray

cpdef ndarray reshaped(ndarray source, shape, order=*, copy=*)
