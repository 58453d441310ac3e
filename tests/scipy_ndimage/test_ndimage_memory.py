"""Filters and transforms need at most two images beyond their input and output."""

import ctypes
import gc

import numpy as np
import pytest

import gpunp

ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")

SIDE = 2048
# Tables, padding of rows, and blocks of memory, which are up to an eighth larger than what they are for.
SLACK = 0.6


class Peak:
    """The most bytes that a device has at a time during a ``with`` block, beyond those at its start."""

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        gc.collect()
        self.device.synchronize()
        if self.device.kind == "cuda":
            self.pool = gpunp.get_default_memory_pool(self.device)
            self.pool.reset_peak()
            self.start = self.pool.used_bytes()
        else:
            # What was freed is not to be used again unseen.
            gpunp.get_default_memory_pool("cpu").free_all_blocks()
            ctypes.CDLL(None).malloc_trim(0)
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
            self.start = self.resident("VmRSS")
        return self

    @staticmethod
    def resident(name):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name)) * 1024

    def __exit__(self, *error):
        self.device.synchronize()
        peak = self.pool.peak_bytes() if self.device.kind == "cuda" else self.resident("VmHWM")
        self.bytes = peak - self.start


def points(device):
    rows, columns = np.meshgrid(np.arange(SIDE) * 0.9, np.arange(SIDE) * 0.8, indexing="ij")
    return gpunp.asarray(np.stack([rows, columns]).astype(np.float32), device=device)


CALLS = {
    "gaussian_filter": lambda im: ndimage.gaussian_filter(im, 3),
    "gaussian_laplace": lambda im: ndimage.gaussian_laplace(im, 2),
    "sobel": ndimage.sobel,
    "laplace": ndimage.laplace,
    "uniform_filter": lambda im: ndimage.uniform_filter(im, 15),
    "median_filter": lambda im: ndimage.median_filter(im, 5),
    "rank_filter": lambda im: ndimage.rank_filter(im, 3, size=(3, 7)),
    "maximum_filter": lambda im: ndimage.maximum_filter(im, 7),
    "grey_opening": lambda im: ndimage.grey_opening(im, 7),
    "white_tophat": lambda im: ndimage.white_tophat(im, 7),
    "correlate": lambda im: ndimage.correlate(im, np.ones((5, 5))),
    "spline_filter": lambda im: ndimage.spline_filter(im, output=np.float32),
    "zoom": lambda im: ndimage.zoom(im, 0.5, order=3),
    "shift": lambda im: ndimage.shift(im, 0.5, order=3),
    "rotate": lambda im: ndimage.rotate(im, 30, order=1, reshape=False),
    "affine_transform": lambda im: ndimage.affine_transform(im, np.eye(2) * 0.9, order=3),
    "distance_transform_edt": lambda im: ndimage.distance_transform_edt(im > 0.3),
    "label": lambda im: ndimage.label(im > 0.6),
    "binary_erosion": lambda im: ndimage.binary_erosion(im > 0.3, iterations=5),
    "lfilter": lambda im: signal.lfilter(*signal.butter(4, 0.2), im),
    "sosfiltfilt": lambda im: signal.sosfiltfilt(signal.butter(4, 0.2, output="sos"), im),
    "medfilt2d": lambda im: signal.medfilt2d(im, 5),
    "convolve2d": lambda im: signal.convolve2d(im, np.ones((7, 7), np.float32), "same"),
    "resample_poly": lambda im: signal.resample_poly(im, 3, 2, axis=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_at_most_two_images(name, device, rng):
    if device.kind == "cpu" and not hasattr(ctypes.CDLL(None), "malloc_trim"):
        pytest.skip("the memory of a process is asked for as with glibc on Linux")
    image = gpunp.asarray(rng.random((SIDE, SIDE)).astype(np.float32))
    CALLS[name](image[:64, :64].copy())
    found = []
    # Other threads of the process may use memory meanwhile.
    while len(found) < 3 and (not found or found[-1] > 2 + SLACK):
        with Peak(device) as peak:
            result = CALLS[name](image)
        results = result if isinstance(result, tuple) else (result,)
        outputs = [each.nbytes for each in results if isinstance(each, gpunp.ndarray)]
        # Recursive filters have results in double precision.
        found.append((peak.bytes - sum(outputs)) / max(image.nbytes, *outputs))
        del result, results
    assert found[-1] <= 2 + SLACK, f"{found} images"


def test_coordinates(device, rng):
    image, where = gpunp.asarray(rng.random((SIDE, SIDE)).astype(np.float32)), points(device)
    with Peak(device) as peak:
        found = ndimage.map_coordinates(image, where, order=3)
    assert peak.bytes - found.nbytes <= (2 + SLACK) * image.nbytes
