"""Fourier transforms: large ones, compared with other users of cuFFT, and the host cost of a small one."""

import numpy as np
from rows import Above, row

CHAPTER = "Fourier transforms, complex64 and float32"


def complex_values(lib, size, *shape):
    """Complex numbers around 1 + 1i."""
    values = lib.values(int(np.prod(shape)))
    return (values + 1j * values).reshape(shape)


def lengths(size):
    """2^24 elements, and the side of a square of as many: a sixteenth of the largest arrays."""
    return size.elements >> 4, size.side >> 2


def register(name, title, seconds, make, call):
    @row(name, title, CHAPTER, Above(seconds), "device")
    def build(lib, size):
        flat, side = lengths(size)
        a = make(lib, size, flat, side)
        fft = lib.xp.fft
        return lambda: call(fft, a, "dim" if lib.dialect == "torch" else "axis")


def line(lib, size, flat, side):
    return complex_values(lib, size, flat)


def square(lib, size, flat, side):
    return complex_values(lib, size, side, side)


def real_square(lib, size, flat, side):
    return lib.values(side, side)


def real_squares(lib, size, flat, side):
    return lib.values(max(1, flat >> 18), 512, 512)


def half_square(lib, size, flat, side):
    return complex_values(lib, size, side, side // 2 + 1)


register("fft_line", "`np.fft.fft(z)`, 2^24", 0.28e-3, line, lambda fft, a, axis: fft.fft(a))
register(
    "fft_line_ortho",
    '`np.fft.fft(z, norm="ortho")`, 2^24',
    0.28e-3,
    line,
    lambda fft, a, axis: fft.fft(a, norm="ortho"),
)
register("fft_square", "`np.fft.fft2(Z)`, 4096^2", 0.24e-3, square, lambda fft, a, axis: fft.fft2(a))
register("rfft_square", "`np.fft.rfft2(A)`, 4096^2", 0.15e-3, real_square, lambda fft, a, axis: fft.rfft2(a))
register(
    "rfft_squares",
    "`np.fft.rfft2(K)`, 64 x 512 x 512",
    0.16e-3,
    real_squares,
    lambda fft, a, axis: fft.rfft2(a),
)
register(
    "irfft_square",
    "`np.fft.irfft2(Z)`, 4096 x 2049",
    0.18e-3,
    half_square,
    lambda fft, a, axis: fft.irfft2(a),
)
register(
    "fft_axis0",
    "`np.fft.fft(Z, axis=0)`, 4096^2",
    0.26e-3 / 1.25,
    square,
    lambda fft, a, axis: fft.fft(a, **{axis: 0}),
)


@row("call_fft", "`np.fft.fft(z)`, 1024", CHAPTER, Above(4e-6, "launch"), "host")
def call_fft(lib, size):
    return "xp.fft.fft(a)", {"a": complex_values(lib, size, 1024)}
