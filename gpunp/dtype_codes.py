"""The order of the element types, which gives them the codes that kernels know them by.

Imports nothing: the code generators read it before gpunp is built.
"""

# NumPy's characters, in the order of the DType enum in kernels/include/gpunp/dtype_codes.h.
CHARS = "?bBhHiIqQefdFD"
# What symbols of kernels call the types.
NAMES = ("bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
NAME_OF = dict(zip(CHARS, NAMES, strict=True))
