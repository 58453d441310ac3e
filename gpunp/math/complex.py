"""Parts of complex numbers."""

import numpy

from gpunp.array.convert import asarray
from gpunp.array.scalars import as_array
from gpunp.array.views import imaginary_part, real_part
from gpunp.dispatch.registry import implements


@implements(numpy.real)
def real(val):
    """Real parts; see `numpy.real`."""
    return real_part(asarray(val))


@implements(numpy.imag)
def imag(val):
    """Imaginary parts; see `numpy.imag`."""
    return imaginary_part(asarray(val))


@implements(numpy.angle)
def angle(z, deg=False):
    """Angles in the complex plane; see `numpy.angle`."""
    z = asarray(z)
    is_complex = z.dtype.kind == "c"
    result = numpy.arctan2(z.imag, z.real) if is_complex else numpy.arctan2(0, z)
    if deg:
        result *= 180 / numpy.pi
    return result


@implements(numpy.real_if_close)
def real_if_close(a, tol=100):
    """The real parts if all imaginary parts are close to zero; see `numpy.real_if_close`.

    Waits for the device.
    """
    a = as_array(asarray(a))
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = numpy.finfo(a.dtype).eps * tol
    return a.real if bool(numpy.all(numpy.absolute(a.imag) < tol)) else a
