"""Filters, segmentation and measurements of scikit-image."""

# needs: skimage
import numpy as np
from skimage import (
    color,
    draw,
    exposure,
    feature,
    filters,
    measure,
    morphology,
    restoration,
    segmentation,
    transform,
    util,
)

rng = np.random.default_rng(6)
image = np.zeros((80, 100))
for row, column, radius in [(20, 25, 9), (50, 30, 12), (40, 75, 15), (65, 85, 6)]:
    image[draw.disk((row, column), radius, shape=image.shape)] = 1.0
noisy = np.clip(image + 0.15 * rng.standard_normal(image.shape), 0, 1)

smooth = filters.gaussian(noisy, sigma=1.5)
threshold = filters.threshold_otsu(smooth)
mask = smooth > threshold
print(f"{float(threshold):.5f}", int(mask.sum()), f"{filters.sobel(smooth).max():.5f}")
print(f"{filters.median(noisy).mean():.6f}", f"{filters.unsharp_mask(smooth, radius=2).std():.6f}")

labels = measure.label(mask)
for region in measure.regionprops(labels, intensity_image=noisy):
    if region.area > 20:
        print(
            int(region.area), np.round(region.centroid, 3), f"{float(region.mean_intensity):.5f}", region.bbox
        )
print(len(measure.find_contours(smooth, 0.5)), measure.euler_number(mask), f"{measure.perimeter(mask):.4f}")

opened = morphology.opening(mask, morphology.disk(2))
skeleton = morphology.skeletonize(opened)
print(int(opened.sum()), int(skeleton.sum()), int(morphology.convex_hull_image(opened).sum()))
print(int(feature.canny(smooth, sigma=1.0).sum()), feature.peak_local_max(smooth, min_distance=8).shape)

markers = measure.label(smooth > 0.9)
basins = segmentation.watershed(-smooth, markers, mask=mask)
print(np.bincount(basins.ravel())[:6], int(segmentation.find_boundaries(basins).sum()))

turned = transform.rotate(smooth, 30)
small = transform.resize(turned, (40, 50), anti_aliasing=True)
print(turned.shape, f"{turned.sum():.4f} {small.mean():.6f}", transform.rescale(smooth, 0.5).shape)
sinogram = transform.radon(smooth[:, 10:90], theta=np.linspace(0, 180, 12, endpoint=False), circle=False)
print(sinogram.shape, f"{sinogram.max():.4f}")

print(f"{exposure.equalize_hist(smooth).mean():.6f}", f"{exposure.rescale_intensity(smooth).max():.3f}")
print(f"{restoration.denoise_tv_chambolle(noisy, weight=0.1).std():.6f}")
rgb = np.dstack([noisy, smooth, mask.astype(float)])
print(f"{color.rgb2gray(rgb).mean():.6f}", np.round(color.rgb2hsv(rgb)[40, 75], 5))
print(
    util.img_as_ubyte(smooth).dtype,
    int(util.img_as_ubyte(smooth).sum()),
    util.random_noise(smooth, rng=3).shape,
)
canvas = np.zeros((60, 60))
draw.set_color(canvas, draw.line(2, 3, 50, 40), 2.0)
segmentation.flood_fill(canvas, (0, 59), 1.0, in_place=True)
cleared = np.zeros(mask.shape, dtype=bool)
returned = morphology.dilation(mask, out=cleared)
print(canvas.sum(), int(cleared.sum()), returned is cleared)
