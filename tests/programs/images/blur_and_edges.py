"""A blur, edges by Sobel's filter, and a histogram, with NumPy only."""

import numpy as np


def convolve(image, kernel):
    k = kernel.shape[0] // 2
    padded = np.pad(image, k, mode="edge")
    out = np.zeros_like(image, dtype=float)
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            out += kernel[i, j] * padded[i : i + image.shape[0], j : j + image.shape[1]]
    return out


y, x = np.mgrid[:70, :90]
image = ((x // 10 + y // 10) % 2 * 200 + 20).astype(np.uint8)
gauss = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
blurred = convolve(image.astype(float), gauss)
sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
edges = np.hypot(convolve(blurred, sobel), convolve(blurred, sobel.T))
print(blurred.mean(), edges.max(), (edges > 100).sum())
histogram, bins = np.histogram(blurred, bins=8, range=(0, 256))
print(histogram, bins)
