"""A rotation with bilinear interpolation, by index arrays."""

import numpy as np


def rotate(image, degrees):
    h, w = image.shape
    a = np.deg2rad(degrees)
    y, x = np.indices(image.shape, dtype=float)
    cy, cx = (h - 1) / 2, (w - 1) / 2
    sx = np.cos(a) * (x - cx) + np.sin(a) * (y - cy) + cx
    sy = -np.sin(a) * (x - cx) + np.cos(a) * (y - cy) + cy
    x0, y0 = np.floor(sx).astype(int), np.floor(sy).astype(int)
    fx, fy = sx - x0, sy - y0
    inside = (x0 >= 0) & (x0 < w - 1) & (y0 >= 0) & (y0 < h - 1)
    x0, y0 = np.where(inside, x0, 0), np.where(inside, y0, 0)
    value = (
        image[y0, x0] * (1 - fx) * (1 - fy)
        + image[y0, x0 + 1] * fx * (1 - fy)
        + image[y0 + 1, x0] * (1 - fx) * fy
        + image[y0 + 1, x0 + 1] * fx * fy
    )
    return np.where(inside, value, 0.0)


image = np.add.outer(np.arange(50.0), np.arange(60.0))
turned = rotate(image, 30)
print(turned.sum().round(6), turned[25, 30].round(6), np.count_nonzero(turned))
