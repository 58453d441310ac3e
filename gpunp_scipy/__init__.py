"""gpunp_scipy: SciPy on the GPU, beside gpunp.

``scipy.special`` functions of device arrays need nothing but gpunp: they are ufuncs and reach it through
NumPy's protocol. Their device versions are also attributes of `gpunp_scipy.special`.
"""

from gpunp_scipy import special

__all__ = ["special"]
