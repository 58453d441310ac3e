"""``scipy.interpolate`` on device arrays."""
