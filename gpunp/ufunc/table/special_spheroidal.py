"""Long ufuncs of scipy.special: spheroidal, Mathieu and parabolic cylinder functions."""

ROWS = ()
