"""Photo processing in plain NumPy; the code does not depend on the device of its arrays.

Pictures are float32 arrays of shape (height, width) or (height, width, 3) with values from 0 to 1.
"""

import numpy as np

# The weights of red, green and blue in brightness (ITU-R BT.709).
BRIGHTNESS = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)


def enlarge(picture, factor):
    """Enlarge a picture ``factor`` times in both directions, by linear interpolation."""
    taller = _enlarge_rows(picture, factor)
    return _enlarge_rows(taller.swapaxes(0, 1), factor).swapaxes(0, 1)


def _enlarge_rows(picture, factor):
    following = np.empty_like(picture)
    following[:-1] = picture[1:]
    following[-1] = picture[-1]
    result = np.empty_like(picture, shape=(factor * picture.shape[0], *picture.shape[1:]))
    for i in range(factor):
        weight = i / factor
        result[i::factor] = (1 - weight) * picture + weight * following
    return result


def to_linear_light(picture, gamma):
    """Undo the gamma curve of cameras, so that values are proportional to light."""
    return np.power(picture, gamma)


def to_display(picture, gamma):
    """Apply the gamma curve that screens expect, and clip to the range from 0 to 1."""
    return np.power(np.clip(picture, 0.0, 1.0), 1 / gamma)


def to_grey(picture):
    """The brightness of a color picture."""
    return np.matmul(picture, BRIGHTNESS)


def gaussian_weights(sigma):
    """Weights of a Gaussian filter, as a list of floats that add up to 1."""
    radius = int(3 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return (weights / weights.sum()).tolist()


def gaussian_blur(picture, sigma):
    """Blur with a Gaussian, first along columns and then along rows; edges are repeated."""
    weights = gaussian_weights(sigma)
    blurred = _weighted_rows(picture, weights)
    return _weighted_rows(blurred.swapaxes(0, 1), weights).swapaxes(0, 1)


def _weighted_rows(picture, weights):
    height = picture.shape[0]
    padded = _repeat_edges(picture, len(weights) // 2)
    total = weights[0] * padded[:height]
    for i, weight in enumerate(weights[1:], start=1):
        total += weight * padded[i : i + height]
    return total


def _repeat_edges(picture, margin):
    """Add ``margin`` copies of the first and last row."""
    height = picture.shape[0]
    padded = np.empty_like(picture, shape=(height + 2 * margin, *picture.shape[1:]))
    padded[margin : margin + height] = picture
    padded[:margin] = picture[0]
    padded[margin + height :] = picture[-1]
    return padded


def sobel_edges(grey):
    """The strength of edges, from 0 to 1: the length of the Sobel gradient."""
    # Each direction is a smoothing (1, 2, 1) across and a difference (-1, 0, 1) along.
    smooth_rows = grey[:-2] + 2 * grey[1:-1] + grey[2:]
    smooth_columns = grey[:, :-2] + 2 * grey[:, 1:-1] + grey[:, 2:]
    horizontal = smooth_rows[:, 2:] - smooth_rows[:, :-2]
    vertical = smooth_columns[2:] - smooth_columns[:-2]
    edges = np.zeros_like(grey)
    edges[1:-1, 1:-1] = np.hypot(horizontal, vertical)
    return edges / edges.max()


def unsharp_mask(picture, blurred, amount):
    """Sharpen: add the difference from a blurred picture."""
    return np.clip(picture + amount * (picture - blurred), 0.0, 1.0)


def local_contrast(picture, grey, sigma, strength):
    """Shift the brightness of each neighborhood toward a common mean and spread.

    ``strength`` ranges from 0 (the picture unchanged) to 1 (the same mean and spread everywhere).
    """
    mean = gaussian_blur(grey, sigma)
    spread = np.sqrt(gaussian_blur(np.square(grey - mean), sigma))
    overall = grey.mean(dtype=np.float64).astype(np.float32)
    wanted = overall + (grey - mean) * (0.15 / (spread + 0.05))
    gain = (1 - strength) + strength * wanted / (grey + 0.05)
    return picture * gain[:, :, np.newaxis]


def vignette(picture, strength):
    """Darken toward the corners."""
    height, width = picture.shape[:2]
    rows = np.arange(height, dtype=np.float32, like=picture) * (2 / height) - 1
    columns = np.arange(width, dtype=np.float32, like=picture) * (2 / width) - 1
    distance = rows[:, np.newaxis] ** 2 + columns**2
    return picture * np.exp(-strength * distance)[:, :, np.newaxis]


def colour_statistics(picture):
    """Mean, standard deviation, minimum and maximum of red, green and blue: a (4, 3) array."""
    pixels = picture.reshape(-1, 3)
    result = np.empty_like(pixels, shape=(4, 3))
    result[0] = pixels.mean(axis=0, dtype=np.float64)
    result[1] = pixels.std(axis=0, dtype=np.float64)
    result[2] = pixels.min(axis=0)
    result[3] = pixels.max(axis=0)
    return result


def colour_covariance(picture):
    """The 3 by 3 covariance of red, green and blue over all pixels."""
    pixels = picture.reshape(-1, 3)
    centred = pixels - pixels.mean(axis=0, dtype=np.float64).astype(np.float32)
    return np.matmul(centred.T, centred) / pixels.shape[0]


def to_bytes(picture, step):
    """Every ``step``-th pixel as 8-bit values, ready for an image file."""
    small = np.clip(picture[::step, ::step], 0.0, 1.0)
    return np.rint(255 * small).astype(np.uint8)
