"""`numpy.polynomial.polyutils`: coefficients as series, and linear maps between intervals."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp.dispatch.registry import implements
from gpunp.polynomial.coefficients import first_true
from gpunp.polynomial.polynomial import polytrim, series


@implements(name="polynomial.polyutils.as_series")
def as_series(alist, trim=True):
    """Return each element of a sequence as a new 1-d array; see `numpy.polynomial.polyutils.as_series`."""
    return series(*alist, trim=trim)


@implements(name="polynomial.polyutils.trimcoef")
def trimcoef(c, tol=0):
    """Coefficients without the small ones at the end; see `numpy.polynomial.polyutils.trimcoef`."""
    return polytrim(c, tol)


@implements(name="polynomial.polyutils.trimseq")
def trimseq(seq):
    """A sequence without zeros at its end, but one element; see `numpy.polynomial.polyutils.trimseq`."""
    if len(seq) == 0:
        return seq
    if device_of(seq) is None:
        return numpy.polynomial.polyutils.trimseq(seq)
    last = seq.size - first_true((seq != 0)[::-1])
    return seq[: max(last, 1)]


@implements(name="polynomial.polyutils.getdomain")
def getdomain(x):
    """The interval or rectangle that has some points; see `numpy.polynomial.polyutils.getdomain`."""
    [x] = series(x, trim=False)
    if x.dtype.kind != "c":
        return numpy.stack([numpy.min(x), numpy.max(x)])
    low = numpy.min(x.real) + 1j * numpy.min(x.imag)
    return numpy.stack([low, numpy.max(x.real) + 1j * numpy.max(x.imag)])


@implements(name="polynomial.polyutils.mapparms")
def mapparms(old, new):
    """Offset and scale of the map between intervals; see `numpy.polynomial.polyutils.mapparms`."""
    length, other = old[1] - old[0], new[1] - new[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, other / length


@implements(name="polynomial.polyutils.mapdomain")
def mapdomain(x, old, new):
    """Map points linearly from an interval to another; see `numpy.polynomial.polyutils.mapdomain`."""
    if type(x) not in (int, float, complex) and not isinstance(x, numpy.generic):
        x = asarray(x)
    offset, scale = mapparms(old, new)
    return offset + scale * x
