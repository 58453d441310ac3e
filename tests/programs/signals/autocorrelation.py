"""The period of a signal by its autocorrelation, directly and by Fourier transforms."""

import numpy as np

n, period = 1200, 37
t = np.arange(n)
x = (t % period < period // 2).astype(float)
x -= x.mean()
direct = np.correlate(x, x, mode="full")[n - 1 :]
size = 2 ** int(np.ceil(np.log2(2 * n)))
spectrum = np.fft.fft(x, size)
fast = np.fft.ifft(spectrum * spectrum.conj()).real[:n]
print(np.allclose(direct, fast), 10 + np.argmax(direct[10:100]))
print((direct[:60:15] / direct[0]).round(6))
