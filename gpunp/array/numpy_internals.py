"""Private names of NumPy that gpunp uses: the one module to review for a new release of NumPy."""

import numpy
from numpy._core._exceptions import _UFuncOutputCastingError
from numpy.linalg import _linalg

# Every ufunc by name. `clip` is public only behind a function, and `_ones_like` not at all. The module is
# numpy._core.umath since NumPy 2.0; it was numpy.core.umath.
umath = numpy._core.umath

# The TypeError for a result that may not be cast to ``out=``; NumPy writes the message. Since NumPy 1.17, in
# numpy._core since 2.0.
UFuncOutputCastingError = _UFuncOutputCastingError

# The named tuples that numpy.linalg returns. Since NumPy 1.25, in numpy.linalg._linalg since 2.0.
EighResult = _linalg.EighResult
EigResult = _linalg.EigResult
QRResult = _linalg.QRResult
SVDResult = _linalg.SVDResult
SlogdetResult = _linalg.SlogdetResult

# Modules whose functions make arrays over the memory of their arguments: masked arrays, matrices, records,
# ctypes and views with other strides.
MODULES_OVER_MEMORY = frozenset(
    [
        "numpy.ma.core",
        "numpy.ma.extras",
        "numpy.matrixlib.defmatrix",
        "numpy._core.records",
        "numpy.ctypeslib._ctypeslib",
        "numpy.lib._stride_tricks_impl",
    ]
)
