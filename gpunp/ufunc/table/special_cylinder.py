"""Long ufuncs of scipy.special: Bessel, Airy, Kelvin and Struve functions, and integrals of them."""

ROWS = ()
