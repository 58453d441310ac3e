"""Units of Fourier transforms: kernels along columns and rows, and the roots of unity of their steps."""

import math

# log2 of the lengths with kernels: columns, halves of long transforms, complex rows, real rows.
LOG_COLUMNS = (9, 10, 11, 12)
LOG_HALVES = (10, 11, 12)
LOG_ROWS = (8, 9, 10, 11, 12)
LOG_REAL = (10, 11, 12)


def log_radices(log_n):
    """Return log2 of the radices of the steps."""
    first = 3 if log_n == 9 else 4
    second = 3 if log_n in (9, 10) else log_n - 4 if log_n <= 8 else 4
    return [r for r in (first, second, log_n - first - second) if r > 0]


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
    for radix in log_radices(log_n)[:-1]:
        length = 1 << left
        left -= radix
        for j in range(1, 1 << radix):
            entries += (root(r * j, length) for r in range(1 << left))
    digits, suffix = (9, "f") if dtype == "f4" else (17, "")
    text = ",\n".join(f"{{{c:.{digits}e}{suffix}, {s:.{digits}e}{suffix}}}" for c, s in entries)
    return f"GPUNP_FFT_TABLE gpunp::complex<gpunp::{dtype}> {name}[] = {{\n{text}}};\n"


def checks():
    """Return assertions that the header, which the host includes, has the same lengths and radices."""
    facts = [f"FFT_MOST == {LOG_COLUMNS[-1]}"]
    for name, logs in (("COLUMNS", LOG_COLUMNS), ("HALF", LOG_HALVES), ("ROW", LOG_ROWS), ("REAL", LOG_REAL)):
        facts += [f"FFT_LEAST_{name} == {logs[0]}"]
    for log_n in sorted({*LOG_COLUMNS, *LOG_ROWS}):
        facts += [f"fft_log_radix({log_n}, {step}) == {r}" for step, r in enumerate(log_radices(log_n))]
    return "".join(f'static_assert(gpunp::{fact}, "must match codegen/fft.py");\n' for fact in facts)


def units():
    """Map unit names to sources: kernels along columns, along rows, and for the halves of long transforms."""
    text = '#include "gpunp/fft/columns.h"\n\n' + checks()
    for log_n in sorted({*LOG_COLUMNS, *LOG_ROWS}):
        text += table(f"roots_{log_n}", "f4", log_n)
    for log_n in LOG_COLUMNS:
        text += _kernel("columns", log_n, "COLUMNS")
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
