"""``scipy.signal`` on device arrays: so far the windows, through SciPy's own functions with ``xp=gpunp``."""
