"""Cosine and sine transforms of types 1 to 4, by Fourier transforms of rearranged arrays.

Types 2 and 3 use a real transform of the same length (J. Makhoul, "A fast cosine transform in one and two
dimensions", 1980), type 4 a complex one of half the length, or of twice the length if that is odd, and type 1
a transform of the even or odd extension. The other sine transforms are cosine transforms of reversed or
sign-alternated arrays.
"""

import math

import numpy

import gpunp
from gpunp.fft.passes import swap, transform
from gpunp_scipy.fft.arguments import axis_of, check, context, lengths_and_axes, operand


def _twiddle(start, step, count, n, like):
    """exp(-i pi (start + step k) / n) for k below ``count``, with angles in double precision."""
    angles = gpunp.arange(count, dtype=float, device=like.device) * (-math.pi * step / n)
    angles += -math.pi * start / n
    out = gpunp.empty(count, complex, device=like.device)
    numpy.cos(angles, out=out.real)
    numpy.sin(angles, out=out.imag)
    return out.astype("F" if like.dtype.char == "f" else "D")


def _rfft(x):
    return transform(x, [x.shape[-1]], [x.ndim - 1], "real", forward=True)


def _dct1(x):
    n = x.shape[-1]
    if n < 2:
        raise RuntimeError(f"DCT type 1 needs at least two points, not {n}")
    return _rfft(numpy.concatenate([x, x[..., -2:0:-1]], -1)).real


def _dst1(x):
    zero = numpy.zeros_like(x[..., :1])
    extended = numpy.concatenate([zero, x, zero, numpy.negative(x[..., ::-1])], -1)
    return numpy.negative(_rfft(extended).imag[..., 1 : x.shape[-1] + 1])


def _dct2(x):
    n = x.shape[-1]
    spectrum = _rfft(numpy.concatenate([x[..., ::2], x[..., 1::2][..., ::-1]], -1))
    spectrum *= _twiddle(0, 1, n // 2 + 1, 2 * n, x)
    out = gpunp.empty(x.shape, x.dtype, device=x.device)
    numpy.multiply(spectrum.real, 2, out=out[..., : n // 2 + 1])
    upper = out[..., n // 2 + 1 :]
    numpy.multiply(spectrum.imag[..., 1 : upper.shape[-1] + 1][..., ::-1], -2, out=upper)
    return out


def _dct3(x):
    n = x.shape[-1]
    half = n // 2 + 1
    spectrum = gpunp.empty((*x.shape[:-1], half), "F" if x.dtype.char == "f" else "D", device=x.device)
    spectrum.real[...] = x[..., :half]
    spectrum.imag[..., :1] = 0
    numpy.negative(x[..., : n - half : -1], out=spectrum.imag[..., 1:])
    spectrum *= numpy.conjugate(_twiddle(0, 1, half, 2 * n, x))
    v = transform(spectrum, [n], [x.ndim - 1], "hermitian", "forward", forward=False, overwrite=True)
    out = gpunp.empty(x.shape, x.dtype, device=x.device)
    out[..., ::2] = v[..., : (n + 1) // 2]
    out[..., 1::2] = v[..., (n + 1) // 2 :][..., ::-1]
    return out


def _dct4(x):
    n = x.shape[-1]
    axes = [x.ndim - 1]
    if n % 2:
        turned = transform(
            x * _twiddle(0, 1, n, 2 * n, x), [2 * n], axes, "complex", forward=True, overwrite=True
        )
        turned = turned[..., :n] * _twiddle(0.5, 1, n, 2 * n, x)
        return turned.real * 2
    pairs = gpunp.empty((*x.shape[:-1], n // 2), "F" if x.dtype.char == "f" else "D", device=x.device)
    pairs.real[...] = x[..., ::2]
    pairs.imag[...] = x[..., ::-2]
    twiddle = _twiddle(0.125, 1, n // 2, n, x)
    pairs *= twiddle
    pairs = transform(pairs, [n // 2], axes, "complex", forward=True, overwrite=True)
    pairs *= twiddle
    out = gpunp.empty(x.shape, x.dtype, device=x.device)
    numpy.multiply(pairs.real, 2, out=out[..., ::2])
    numpy.multiply(pairs.imag, -2, out=out[..., ::-2])
    return out


def _alternate(x, out):
    """Copy ``x`` to ``out``, negating every second element."""
    out[..., ::2] = x[..., ::2]
    numpy.negative(x[..., 1::2], out=out[..., 1::2])
    return out


def _dst2(x):
    return _dct2(_alternate(x, numpy.empty_like(x)))[..., ::-1]


def _dst3(x):
    result = _dct3(x[..., ::-1])
    return _alternate(result, result)


def _dst4(x):
    result = _dct4(x[..., ::-1])
    return _alternate(result, result)


_COSINE = {1: _dct1, 2: _dct2, 3: _dct3, 4: _dct4}
_SINE = {1: _dst1, 2: _dst2, 3: _dst3, 4: _dst4}
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _scaled(x, places, factor):
    """A copy of ``x`` with the given positions along the last axis scaled."""
    x = x.copy()
    for place in places:
        x[..., place] *= factor
    return x


def _along(x, cosine, kind, orthogonalize):
    """The transform along the last axis, without scaling."""
    # The positions that an orthogonal transform scales by sqrt(2) before or sqrt(1/2) after.
    special = (0, -1) if cosine and kind == 1 else (0,) if cosine else (-1,)
    before = orthogonalize and ((cosine and kind == 1) or kind == 3)
    after = orthogonalize and ((cosine and kind == 1) or kind == 2)
    if before:
        x = _scaled(x, special, math.sqrt(2))
    result = (_COSINE if cosine else _SINE)[kind](x)
    if after:
        for place in special:
            result[..., place] *= math.sqrt(0.5)
    return result


def _factor(norm, forward, cosine, kind, lengths):
    norm = norm if forward else swap(norm)
    if norm is None or norm == "backward":
        return 1.0
    swap(norm)
    extra = (-1 if cosine else 1) if kind == 1 else 0
    total = math.prod(2 * (n + extra) for n in lengths)
    return 1 / total if norm == "forward" else 1 / math.sqrt(total)


def _resized(x, lengths, axes):
    """Crop ``x``, or pad it with zeros, along axes."""
    shape = list(x.shape)
    for axis, n in zip(axes, lengths, strict=True):
        shape[axis] = n
    if tuple(shape) == x.shape:
        return x
    x = x[tuple(slice(0, min(n, extent)) for n, extent in zip(shape, x.shape, strict=True))]
    if x.shape == tuple(shape):
        return x
    out = gpunp.zeros(shape, x.dtype, device=x.device)
    out[tuple(slice(0, extent) for extent in x.shape)] = x
    return out


def _transform(x, lengths, axes, cosine, kind, forward, norm, orthogonalize):
    if kind not in _INVERSE:
        raise ValueError(f"{'DCT' if cosine else 'DST'}: type {kind!r} does not exist; use 1, 2, 3 or 4")
    orthogonalize = norm == "ortho" if orthogonalize is None else orthogonalize
    if x.dtype.kind == "c":
        # As in SciPy, the two parts are transformed separately, and only norm="ortho" makes them orthogonal.
        out = gpunp.empty(_resized(x, lengths, axes).shape, x.dtype, device=x.device)
        out.real[...] = _transform(x.real, lengths, axes, cosine, kind, forward, norm, norm == "ortho")
        out.imag[...] = _transform(x.imag, lengths, axes, cosine, kind, forward, norm, norm == "ortho")
        return out
    kind = kind if forward else _INVERSE[kind]
    factor = _factor(norm, forward, cosine, kind, lengths)
    x = _resized(x, lengths, axes)
    for axis in axes:
        x = numpy.moveaxis(_along(numpy.moveaxis(x, axis, -1), cosine, kind, orthogonalize), -1, axis)
    return x * factor if factor != 1 else x


def _one(x, kind, n, axis, norm, workers, orthogonalize, *, cosine, forward):
    x = operand(x)
    axis = axis_of(x, axis)
    n = check(x.shape[axis] if n is None else n)
    with context(workers, None):
        return _transform(x, [n], [axis], cosine, kind, forward, norm, orthogonalize)


def _several(x, kind, s, axes, norm, workers, orthogonalize, *, cosine, forward):
    original, x = x, operand(x)
    s, axes = lengths_and_axes(x, s, axes)
    if not axes:
        return original
    with context(workers, None):
        return _transform(x, s, axes, cosine, kind, forward, norm, orthogonalize)


def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The discrete cosine transform; see `scipy.fft.dct`."""
    return _one(x, type, n, axis, norm, workers, orthogonalize, cosine=True, forward=True)


def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The inverse of `dct`; see `scipy.fft.idct`."""
    return _one(x, type, n, axis, norm, workers, orthogonalize, cosine=True, forward=False)


def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The discrete sine transform; see `scipy.fft.dst`."""
    return _one(x, type, n, axis, norm, workers, orthogonalize, cosine=False, forward=True)


def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The inverse of `dst`; see `scipy.fft.idst`."""
    return _one(x, type, n, axis, norm, workers, orthogonalize, cosine=False, forward=False)


def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The discrete cosine transform along several axes; see `scipy.fft.dctn`."""
    return _several(x, type, s, axes, norm, workers, orthogonalize, cosine=True, forward=True)


def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The inverse of `dctn`; see `scipy.fft.idctn`."""
    return _several(x, type, s, axes, norm, workers, orthogonalize, cosine=True, forward=False)


def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The discrete sine transform along several axes; see `scipy.fft.dstn`."""
    return _several(x, type, s, axes, norm, workers, orthogonalize, cosine=False, forward=True)


def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    """The inverse of `dstn`; see `scipy.fft.idstn`."""
    return _several(x, type, s, axes, norm, workers, orthogonalize, cosine=False, forward=False)
