"""Poisson's equation with periodic boundaries by Fourier transforms."""

import numpy as np
import numpy.fft as fft

n = 48
x = np.arange(n) * 2 * np.pi / n
X, Y = np.meshgrid(x, x, indexing="ij")
f = np.sin(X) * np.cos(2 * Y)
k = fft.fftfreq(n, 1 / n)
kx, ky = np.meshgrid(k, k, indexing="ij")
square = kx**2 + ky**2
square[0, 0] = 1
u = fft.ifft2(-fft.fft2(f) / square).real
print(np.allclose(u, -f / 5), f"{u.max():.6f} {u.min():.6f}")
