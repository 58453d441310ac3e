"""A spectrogram by views of windows, and the signal back from it."""

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view

size, hop = 64, 16
t = np.arange(2048) / 1000
x = np.sin(2 * np.pi * (50 + 40 * t) * t)
window = np.hamming(size)
frames = sliding_window_view(x, size)[::hop] * window
same = as_strided(x, shape=(len(frames), size), strides=(x.strides[0] * hop, x.strides[0])) * window
spectra = np.fft.rfft(frames, axis=1)
out, weight = np.zeros_like(x), np.zeros_like(x)
for i, frame in enumerate(np.fft.irfft(spectra, n=size, axis=1)):
    out[i * hop : i * hop + size] += frame * window
    weight[i * hop : i * hop + size] += window**2
middle = slice(size, -size)
print(np.array_equal(frames, same), np.allclose(out[middle] / weight[middle], x[middle]))
print(np.abs(spectra).argmax(axis=1)[::20])
