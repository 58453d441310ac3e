"""Equalization of a histogram, a threshold by Otsu's method, and text that shows the image."""

import numpy as np

rng = np.random.default_rng(11)
image = np.clip(rng.normal(100, 20, (60, 60)) + 60 * (np.arange(60) > 30), 0, 255).astype(np.uint8)
counts = np.bincount(image.ravel(), minlength=256)
cdf = counts.cumsum()
table = np.round((cdf - cdf.min()) / (image.size - cdf.min()) * 255).astype(np.uint8)
equalized = table[image]
print(image.min(), image.max(), equalized.min(), equalized.max(), equalized.mean().round(4))
p = counts / counts.sum()
omega, mu = np.cumsum(p), np.cumsum(p * np.arange(256))
with np.errstate(divide="ignore", invalid="ignore"):
    variance = (mu[-1] * omega - mu) ** 2 / (omega * (1 - omega))
threshold = np.nanargmax(variance)
print("threshold", threshold, "share", (image > threshold).mean())
for row in (image > threshold)[::15, ::3]:
    print("".join("#" if v else "." for v in row))
