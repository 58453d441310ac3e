"""gpunp_scipy: SciPy on the GPU, beside gpunp.

``scipy.special`` functions of device arrays need nothing but gpunp: they are ufuncs and reach it through
NumPy's protocol. Their device versions are also attributes of `gpunp_scipy.special`. ``scipy.fft`` takes
device arrays once this package is imported: `gpunp_scipy.fft` is a backend of it.
"""

from gpunp_scipy import fft, special
from gpunp_scipy.fft.backend import register as _register

__all__ = ["fft", "special"]

_register()
