"""Gaussian filters, and derivatives of Gaussians."""

import numbers

import numpy
from numpy.lib.array_utils import normalize_axis_index

from gpunp_scipy.ndimage.arguments import axes_of, image, mode_code, output_for, sequence
from gpunp_scipy.ndimage.correlation import by_components, correlate1d, filtered
from gpunp_scipy.ndimage.derivatives import generic_gradient_magnitude, generic_laplace
from gpunp_scipy.ndimage.separable import Pass


def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    """Gaussian filter along an axis; see `scipy.ndimage.gaussian_filter1d`."""
    return correlate1d(input, _weights(sigma, order, truncate, radius), axis, output, mode, cval, 0)


def _weights(sigma, order, truncate, radius):
    """The weights of a correlation: those of the convolution, reversed."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not isinstance(reach, numbers.Integral) or reach < 0:
        raise ValueError(f"Radius must be a nonnegative integer, not {reach!r}.")
    if order < 0:
        raise ValueError(f"order must be non-negative, not {order}")
    variance = sigma * sigma
    x = numpy.arange(-reach, reach + 1)
    weights = numpy.exp(-0.5 / variance * x**2)
    weights = weights / weights.sum()
    if order:
        # A derivative is the Gaussian times a polynomial q; the next one has q' - q x / variance.
        powers = numpy.arange(order + 1)
        q = numpy.zeros(order + 1)
        q[0] = 1
        step = numpy.diag(powers[1:], 1) + numpy.diag(numpy.ones(order) / -variance, -1)
        for _ in range(order):
            q = step.dot(q)
        weights = (x[:, None] ** powers).dot(q) * weights
    return weights[::-1]


def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
):
    """Multidimensional Gaussian filter; see `scipy.ndimage.gaussian_filter`.

    The last two axes are filtered in one pass over the image.
    """
    input = image(input)
    # As in SciPy, the results of complex images have their dtype, even in double precision.
    output = output_for(output, input)
    axes = axes_of(axes, input.ndim)
    per_axis = (sequence(value, len(axes)) for value in (sigma, order, mode, radius))
    passes = []
    for axis, one_sigma, one_order, one_mode, one_radius in zip(axes, *per_axis, strict=True):
        if one_sigma > 1e-15:
            weights = _weights(one_sigma, one_order, truncate, one_radius)
            axis = normalize_axis_index(axis, input.ndim)
            code = mode_code(one_mode, is_filter=True)
            passes.append(Pass(axis, len(weights), len(weights) // 2, code, weights))
    if not passes:
        output[...] = input
        return output
    if input.dtype.kind != "c":
        return filtered(input, output, passes, cval, "sum")
    if output.dtype.kind != "c":
        raise RuntimeError(f"output must have complex dtype, not {output.dtype}")

    def components(part, _, output, cval):
        return filtered(part, output, passes, cval, "sum")

    return by_components(components, input, passes[0].weights, output, cval)


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """Laplace filter by second derivatives of Gaussians; see `scipy.ndimage.gaussian_laplace`."""
    input = image(input)
    axes = axes_of(axes, input.ndim)
    sigmas = sequence(sigma, len(axes))
    if len(axes) < input.ndim:
        spread = [0] * input.ndim
        for one, axis in zip(sigmas, axes, strict=True):
            spread[axis] = one
        sigmas = spread
    derivative = _derivative(2)
    return generic_laplace(input, derivative, output, mode, cval, (sigmas,), kwargs, axes=axes)


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """Magnitude of the gradient; see `scipy.ndimage.gaussian_gradient_magnitude`."""
    derivative = _derivative(1)
    return generic_gradient_magnitude(input, derivative, output, mode, cval, (sigma,), kwargs, axes=axes)


def _derivative(order):
    def derivative(input, axis, output, mode, cval, sigma, **kwargs):
        orders = [0] * input.ndim
        orders[axis] = order
        return gaussian_filter(input, sigma, orders, output, mode, cval, **kwargs)

    return derivative
