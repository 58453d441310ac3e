"""Units of Fourier transforms: kernels along columns and rows, and the roots of unity of their steps."""

import math
import pathlib
import re

PARAMS = (pathlib.Path(__file__).parents[1] / "include/gpunp/fft/params.h").read_text()


def log_lengths(family):
    """Return log2 of the lengths with kernels of a family."""
    least, most = (
        int(re.search(rf"\b{name} = (\d+)", PARAMS)[1]) for name in (f"FFT_LEAST_{family}", "FFT_MOST")
    )
    return range(least, most + 1)


LOG_COLUMNS, LOG_HALVES, LOG_ROWS, LOG_REAL = map(log_lengths, ("COLUMNS", "HALF", "ROW", "REAL"))
# Columns that one kernel transforms, multiplies and transforms back: longer ones need too many registers.
LOG_PRODUCTS = (9, 10)
_ROWS = re.findall(r"\{(\d), (\d), (\d)\}", PARAMS)
# log2 of the radices of the steps, by log2 of the length.
LOG_RADICES = {n: [int(r) for r in row if r != "0"] for n, row in zip(LOG_ROWS, _ROWS, strict=True)}


def root(m, order):
    """Return exp(-2 pi i m / order), evaluated for an angle in the first eighth of the circle."""
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
    """Return the roots by which all steps but the last multiply, in the order in which they are read."""
    entries = []
    left = log_n
    for radix in LOG_RADICES[log_n][:-1]:
        length = 1 << left
        left -= radix
        for j in range(1, 1 << radix):
            entries += (root(r * j, length) for r in range(1 << left))
    digits, suffix = (9, "f") if dtype == "f4" else (17, "")
    text = ",\n".join(f"{{{c:.{digits}e}{suffix}, {s:.{digits}e}{suffix}}}" for c, s in entries)
    return f"GPUNP_FFT_TABLE gpunp::complex<gpunp::{dtype}> {name}[] = {{\n{text}}};\n"


def units():
    """Map unit names to sources: kernels along columns, along rows, and for the halves of long transforms."""
    text = '#include "gpunp/fft/products.h"\n\n'
    for log_n in sorted({*LOG_COLUMNS, *LOG_ROWS}):
        text += table(f"roots_{log_n}", "f4", log_n)
    for log_n in LOG_COLUMNS:
        text += _kernel("columns", log_n, "COLUMNS")
    for log_n in LOG_PRODUCTS:
        text += f"GPUNP_FFT_PRODUCTS(products_{log_n}, {log_n}, roots_{log_n})\n"
    text += "GPUNP_FFT_PAIRS(pack_pairs, PackPairs)\nGPUNP_FFT_PAIRS(unpack_pairs, UnpackPairs)\n"
    for log_n in LOG_HALVES:
        text += _kernel("first", log_n, "FIRST")
        for other in (log_n - 1, log_n):
            if other in LOG_HALVES:
                text += _kernel(f"second_{other}", log_n, "SECOND", other)
    for log_n in LOG_ROWS:
        text += _kernel("rows", log_n, "ROWS")
    for log_n in LOG_REAL:
        text += _kernel("real_rows", log_n, "REAL_ROWS")
    return {"fft_c8": text}


def _kernel(family, log_n, kind, other=LOG_HALVES[-1]):
    shape = kind.lower() if kind.endswith("ROWS") else "columns"
    return (
        f"GPUNP_FFT({family}_{log_n}, gpunp::f4, {log_n}, gpunp::fft_{shape}_shape({log_n}), {kind}, "
        f"gpunp::fft_columns_shape({other}), roots_{log_n})\n"
    )
