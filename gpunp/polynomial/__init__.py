"""Polynomials: NumPy's ``poly*`` functions, `poly1d`, and `numpy.polynomial.polynomial`."""
