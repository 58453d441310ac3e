"""Polynomials: NumPy's ``poly*`` functions, `poly1d`, and `numpy.polynomial.polynomial`."""

from gpunp.dispatch.names import folder

__getattr__, __dir__ = folder("polynomial")
