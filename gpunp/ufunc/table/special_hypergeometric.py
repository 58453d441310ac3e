"""Long ufuncs of scipy.special: hypergeometric functions and their relatives."""

ROWS = ()
