"""Haar wavelets: a signal without its small coefficients."""

import numpy as np


def haar(x):
    levels = []
    while x.size > 1:
        levels.append((x[::2] - x[1::2]) / np.sqrt(2))
        x = (x[::2] + x[1::2]) / np.sqrt(2)
    return x, levels


def inverse(x, levels):
    for detail in levels[::-1]:
        out = np.empty(2 * x.size)
        out[::2], out[1::2] = (x + detail) / np.sqrt(2), (x - detail) / np.sqrt(2)
        x = out
    return x


t = np.linspace(0, 1, 1024)
signal = np.sign(np.sin(6 * t * np.pi)) + 0.05 * np.random.default_rng(0).standard_normal(1024)
top, levels = haar(signal)
print(np.allclose(inverse(top, levels), signal))
kept = [np.where(np.abs(d) > 0.3, d, 0) for d in levels]
print(sum(int(np.count_nonzero(d)) for d in kept), np.std(inverse(top, kept) - signal).round(6))
