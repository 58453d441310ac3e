"""Arrays of numbers of the host."""
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact

from gpunp.array.ndarray cimport ndarray
from gpunp.device cimport Device

# The array of a number, of nested lists and tuples of numbers, or of a usual array of NumPy; None for anything else,
# and for a dtype in which the numbers might lose digits.
cdef ndarray array_of_numbers(object value, object dtype, Device device)


cdef inline bint is_word(object value, long long* word) except -1:
    """Whether a value is an integer of Python that a word of 8 bytes can hold."""
    cdef int overflow = 0
    if not PyLong_CheckExact(value):
        return False
    word[0] = PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0
