"""Labels and measurements of blobs with scipy.ndimage."""

# needs: scipy
import numpy as np
from scipy import ndimage as ndi

rng = np.random.default_rng(0)
image = np.zeros((80, 80))
for cy, cx in rng.integers(8, 72, size=(12, 2)):
    image[cy, cx] = 1.0
smooth = ndi.gaussian_filter(image, 2.5)
mask = smooth > smooth.mean() * 2
labels, count = ndi.label(mask)
sizes = ndi.sum(mask, labels, range(1, count + 1))
centres = ndi.center_of_mass(smooth, labels, range(1, count + 1))
print(count, sorted(int(s) for s in sizes))
for cy, cx in sorted(centres)[:3]:
    print(f"{cy:.4f} {cx:.4f}")
print(ndi.median_filter(smooth, 3).sum().round(6), ndi.distance_transform_edt(mask).max().round(6))
