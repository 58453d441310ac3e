"""SciPy's distributions: the objects are SciPy's, and their methods run on the device of their arguments."""


def __getattr__(name):
    import scipy.stats

    return getattr(scipy.stats, name)
