"""The element types in the order of the kernels' dtype codes.

Imports nothing, as the code generators read it before gpunp is built.
"""

# NumPy's characters, in the order of the DType enum in kernels/include/gpunp/dtype_codes.h.
CHARS = "?bBhHiIqQefdFD"
# Names of the types in kernel symbols.
NAMES = ("bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
NAME_OF = dict(zip(CHARS, NAMES, strict=True))
