"""Units of Fourier transforms: kernels down columns with the roots of unity of their steps."""

import math

# Lengths with kernels, as powers of two.
LOG_LENGTHS = (10, 11, 12)


def log_radices(log_n):
    """The powers of two of the steps' radices; `fft_log_radix` of fft_params.h."""
    first = 3 if log_n == 9 else 4
    second = 3 if log_n in (9, 10) else log_n - 4 if log_n <= 8 else 4
    return [r for r in (first, second, log_n - first - second) if r > 0]


def root(m, order):
    """exp(-2 pi i m / order), with the angle in the first eighth of the circle."""
    m = 8 * (m % order)
    eighth, rest = divmod(m, order)
    turned = eighth % 2
    angle = 2 * math.pi * ((order - rest) if turned else rest) / (8 * order)
    c, s = math.cos(angle), math.sin(angle)
    if turned:
        c, s = s, c
    for _ in range(eighth // 2):
        c, s = -s, c
    return c, -s


def table(name, dtype, log_n):
    """The roots that the steps but the last multiply by, in the order in which they read them."""
    entries = []
    left = log_n
    for radix in log_radices(log_n)[:-1]:
        length = 1 << left
        left -= radix
        for j in range(1, 1 << radix):
            entries += (root(r * j, length) for r in range(1 << left))
    digits, suffix = (9, "f") if dtype == "f4" else (17, "")
    text = ",\n".join(f"{{{c:.{digits}e}{suffix}, {s:.{digits}e}{suffix}}}" for c, s in entries)
    return f"GPUNP_FFT_TABLE gpunp::complex<gpunp::{dtype}> {name}[] = {{\n{text}}};\n"


def units():
    """Unit name to source."""
    text = '#include "gpunp/fft_columns.h"\n\n'
    for log_n in LOG_LENGTHS:
        roots = f"roots_{log_n}"
        text += table(roots, "f4", log_n)
        for family, turned in (("columns", "false"), ("lines", "true")):
            text += f"GPUNP_FFT_COLUMNS({family}_{log_n}, gpunp::f4, {log_n}, {turned}, {roots})\n"
    return {"fft_c8": text}
