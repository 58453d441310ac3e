"""Plots of every kind: the pictures are compared by their pixels."""

# needs: matplotlib
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 2 * np.pi, 400)
rng = np.random.default_rng(0)
figure, axes = plt.subplots(2, 3, figsize=(6, 4), dpi=50)
axes[0, 0].plot(x, np.sin(x), "r-", x, np.cos(x))
axes[0, 0].set_xlim(x.min(), x.max())
axes[0, 0].set_title(f"{x.mean():.2f}")
axes[0, 1].hist(rng.normal(size=800), bins=20)
axes[0, 2].imshow(np.outer(np.sin(x[::8]), np.cos(x[::8])))
axes[1, 0].scatter(rng.random(200), rng.random(200), c=rng.random(200), s=9)
axes[1, 1].fill_between(x, np.sin(x) - 0.2, np.sin(x) + 0.2)
axes[1, 1].errorbar(x[::50], np.sin(x[::50]), yerr=0.1)
axes[1, 2].contourf(np.add.outer(x[::10], x[::10] ** 2))
(line,) = axes[0, 0].plot([], [])
line.set_data(x, x / 7)
memory = io.BytesIO()
figure.savefig(memory, format="png")
figure.canvas.draw()
pixels = np.asarray(figure.canvas.buffer_rgba())
print(pixels.shape, int(pixels.astype(int).sum()))
plt.imsave("matrix.png", np.add.outer(x[:40], x[:40]))
print(plt.imread("matrix.png").shape)
