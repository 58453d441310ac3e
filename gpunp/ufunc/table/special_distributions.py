"""Long ufuncs of scipy.special: probability distributions, their inverses and parameters."""

ROWS = ()
