"""Backends of matrix products: cuBLAS on CUDA, NumPy's BLAS on the CPU, our kernel for integers."""

import numpy

from gpunp.array import layout
from gpunp.array.convert import host_view
from gpunp.array.views import broadcast
from gpunp.linalg import integers


def multiply_into(a, b, c):
    """Compute c = a @ b for arrays of one device and dtype, broadcast over all but the last two axes."""
    if c.size == 0:
        return c
    batch = c.shape[:-2]
    if a.shape[-1] == 0:
        c[...] = 0
        return c
    if c.dtype.kind in "biu":
        integers.multiply(broadcast(a, batch + a.shape[-2:]), broadcast(b, batch + b.shape[-2:]), c)
        return c
    if c.device.is_cpu:
        numpy.matmul(host_view(a), host_view(b), out=host_view(c))
        return c
    from gpunp.linalg import cublas

    a, b = (x if cublas.takes(x) else layout.converted(x, order="C") for x in (a, b))
    target = c if cublas.takes(c, output=True) else layout.empty(c.shape, c.dtype, "C", c.device)
    cublas.multiply(broadcast(a, batch + a.shape[-2:]), broadcast(b, batch + b.shape[-2:]), target)
    if target is not c:
        layout.copy_into(c, target)
    return c
