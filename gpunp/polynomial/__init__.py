"""Polynomials: NumPy's ``poly*`` functions, `poly1d`, and `numpy.polynomial.polynomial`."""

from gpunp.namespace import folder

__getattr__, __dir__ = folder("polynomial")
