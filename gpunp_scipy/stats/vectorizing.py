"""What SciPy computes number by number with ``numpy.vectorize``."""

import numpy

from gpunp.array.operands import device_of


class NeedsHost(Exception):
    """Raised where SciPy computes number by number; the argument is the reason."""


class Vectorize:
    """`numpy.vectorize`, for host arrays only."""

    def __init__(self, pyfunc, *args, **kwargs):
        self.call = numpy.vectorize(pyfunc, *args, **kwargs)

    def __call__(self, *args, **kwargs):
        if device_of(*args, *kwargs.values()) is not None:
            raise NeedsHost("its values are computed one by one on the host, by integrals or equations")
        return self.call(*args, **kwargs)
