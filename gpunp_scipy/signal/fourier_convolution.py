"""Convolution by Fourier transforms, in one piece or overlap-add: SciPy's code with our transforms."""

import numpy

import gpunp
from gpunp.array import layout
from gpunp.fft.passes import transform
from gpunp_scipy.rebinding import Rebound
from gpunp_scipy.signal import block_kernels, transforms

# Rows of a block of an image: the kernels for columns have these lengths.
_BLOCKS = (512, 1024, 2048)
# Elements of a result from which blocks pay.
_LEAST_ELEMENTS = 1 << 21
# Elements of complex64 whose rows begin at memory sectors.
_SECTOR = 4


def _freq_domain_conv(xp, in1, in2, axes, shape, calc_fast_len=False):
    """The product of spectra, in the memory of the first, transformed back."""
    if not len(axes):
        return in1 * in2
    is_complex = "c" in (in1.dtype.kind, in2.dtype.kind)
    lengths = shape
    if calc_fast_len:
        lengths = [transforms.next_fast_len(shape[axis], real=not is_complex) for axis in axes]
        image, weights = (in1, in2) if in1.shape[0] >= in2.shape[0] else (in2, in1)
        if block := _block(image, weights, sorted(axes), lengths):
            if image.dtype.char == weights.dtype.char == "f" and block in block_kernels.LENGTHS:
                return _by_pairs(image, weights, block, transforms.next_fast_len(shape[1], real=False))
            return _by_blocks(image, weights, block, transforms.next_fast_len(shape[1], real=not is_complex))
    forward, back = (
        (transforms.fftn, transforms.ifftn) if is_complex else (transforms.rfftn, transforms.irfftn)
    )
    spectrum, other = (forward(x, lengths, axes=axes) for x in (in1, in2))
    if spectrum.dtype == numpy.result_type(spectrum, other) and spectrum.shape == numpy.broadcast_shapes(
        spectrum.shape, other.shape
    ):
        spectrum *= other
    else:
        spectrum = spectrum * other
    result = back(spectrum, lengths, axes=axes, overwrite_x=True)
    return result[tuple(map(slice, shape))] if calc_fast_len else result


def _block(image, weights, axes, lengths):
    """The rows of the blocks into which an image is cut, or None if it had better stay whole.

    cuFFT takes several times as long for columns whose length is no power of two as the memory does.
    """
    if image.device.is_cpu or axes != [0, 1] or image.ndim != 2 or image.size < _LEAST_ELEMENTS:
        return None
    if image.dtype.char not in "fF" or weights.dtype.char not in "fF" or weights.shape[0] > _BLOCKS[-1] // 2:
        return None
    rows = image.shape[0] + weights.shape[0] - 1
    if lengths[0] & (lengths[0] - 1) == 0 or rows < _BLOCKS[-1]:
        return None
    usable = [block for block in _BLOCKS if block >= 2 * weights.shape[0]]
    if image.dtype.char == weights.dtype.char == "f" and usable[0] in block_kernels.LENGTHS:
        # Of pairs of rows; see `_by_pairs`.
        rows = -(-rows // 2)
        usable = [block for block in usable if block in block_kernels.LENGTHS]
    return min(usable, key=lambda block: -(-rows // (block - weights.shape[0] + 1)) * block)


def _by_blocks(image, weights, block, width):
    """The convolution of images by transforms of rows, and of columns in overlapping blocks (overlap-save).

    Each block gives the rows of the result that depend on no row outside of it. Rows are padded to ``width``.
    """
    before = weights.shape[0] - 1
    rows, columns = (m + n - 1 for m, n in zip(image.shape, weights.shape, strict=True))
    step = block - before
    count = -(-rows // step)
    is_complex = "F" in (image.dtype.char, weights.dtype.char)
    bins = width if is_complex else width // 2 + 1
    padded = -(-bins // _SECTOR) * _SECTOR
    forward, back = ("complex", "complex") if is_complex else ("real", "hermitian")
    device = image.device
    spectra = gpunp.empty((before + count * step, padded), "F", device=device)
    last = before + image.shape[0]
    spectra[:before] = spectra[last:] = 0
    spectra[before:last, bins:] = 0
    _rows_into(spectra[before:last, :bins], image, width, forward)
    other = gpunp.zeros((weights.shape[0], padded), "F", device=device)
    # The factor of both inverse transforms, which then need none.
    _rows_into(other[:, :bins], weights, width, forward)
    other *= numpy.float32(1 / (block * width))
    other = transforms.fft(other, block, axis=0)
    strides = (step * spectra.strides[0], *spectra.strides)
    blocks = gpunp.lib.stride_tricks.as_strided(spectra, (count, block, padded), strides)
    products = numpy.fft.fft(blocks, axis=1)
    products *= other
    numpy.fft.ifft(products, axis=1, norm="forward", out=products)
    result = gpunp.empty((rows, width), "F" if is_complex else "f", device=device)
    for i in range(count):
        target = result[i * step : (i + 1) * step]
        source = products[i, before : before + target.shape[0], :bins]
        transform(source, [width], [1], back, "forward", target, forward=False, overwrite=True)
    return result[:, :columns]


def _by_pairs(image, weights, block, width):
    """The convolution of real images by complex transforms of half as many rows, as in `_by_blocks`.

    The upper half of the result is the real part, the lower half the imaginary part: as the weights are real,
    they stay apart. So no pass is needed to separate the transforms of two rows, and one kernel takes columns
    to the spectrum, multiplies it and takes them back.
    """
    before = weights.shape[0] - 1
    rows, columns = (m + n - 1 for m, n in zip(image.shape, weights.shape, strict=True))
    half, step = -(-rows // 2), block - before
    count = -(-half // step)
    device = image.device
    pairs = gpunp.empty((before + count * step, width), "F", device=device)
    block_kernels.pack_pairs(layout.converted(image, order="C"), pairs, before, half)
    # Not in place, as cuFFT copies rows of this length then.
    spectra = gpunp.empty_like(pairs)
    transform(pairs, [width], [1], "complex", None, spectra, forward=True)
    other = gpunp.zeros((weights.shape[0], width), "F", device=device)
    numpy.multiply(weights, numpy.float32(1 / (block * width)), out=other[:, : weights.shape[1]])
    other = transforms.fft(transforms.fft(other, axis=1, overwrite_x=True), block, axis=0)
    products, convolved = (a[: count * step] for a in (pairs, spectra))
    block_kernels.convolved_blocks(
        spectra, layout.converted(other, order="C"), products.reshape(count, step, width)
    )
    transform(products, [width], [1], "complex", "forward", convolved, forward=False)
    result = gpunp.empty((rows, columns), "f", device=device)
    block_kernels.unpack_pairs(convolved, result, half)
    return result


def _rows_into(target, image, width, kind):
    """Write the transforms of rows, padded to ``width``."""
    rows = gpunp.zeros((image.shape[0], width), image.dtype, device=image.device)
    rows[:, : image.shape[1]] = image
    transform(rows, [width], [1], kind, None, target, forward=True, overwrite=True)


_CODE = Rebound("scipy.signal._signaltools", {"_freq_domain_conv": _freq_domain_conv})

fftconvolve = _CODE.public("fftconvolve", __name__)
oaconvolve = _CODE.public("oaconvolve", __name__)
