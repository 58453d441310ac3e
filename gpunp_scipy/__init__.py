"""gpunp_scipy: SciPy on the GPU, on top of gpunp.

``scipy.special`` functions of device arrays need only gpunp: they are ufuncs and reach it through NumPy's
protocol. Their device versions are also attributes of `gpunp_scipy.special`. ``scipy.fft`` accepts device
arrays once this package is imported: `gpunp_scipy.fft` is a backend for it.
"""

from gpunp_scipy import fft, special
from gpunp_scipy.fft.backend import register as _register

__all__ = ["fft", "special"]

_register()
