"""``scipy.signal`` on device arrays: the windows, through SciPy's own functions with ``xp=gpunp``."""
