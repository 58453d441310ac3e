"""`return released(array)` for the array in a local variable, which is lost: no references are counted up and down."""
from gpunp.array.ndarray cimport ndarray
from gpunp.recycling cimport recycle

cdef extern from *:
    ndarray released "gpunp_released" (ndarray variable)
