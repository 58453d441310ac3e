"""Singular values of a matrix that is larger than the memory of the GPUs: dask, with a worker for each GPU.

The matrix is tall. dask cuts it into blocks of rows, factors each on the GPU of a worker, and joins the small
factors. Where a limit is reached, blocks move from the GPUs to the host, and from there to disk. Here the
limits are small, so that this happens with little data.

    python large_svd.py --size 4000000
"""

import dask
import dask.array as da
import distributed
import numpy as np
from side_by_side import check, measure, options, report

import gpunp
from gpunp.distributed import local_cluster

COLUMNS, RANK, BLOCKS = 64, 6, 16


def smooth(place):
    """Rows of a matrix of rank 6, by their places between 0 and 1: plain NumPy."""
    powers = np.arange(RANK, dtype=place.dtype, like=place)
    left = np.cos(np.pi * powers * place[:, None]) * 2.0**-powers
    columns = np.arange(COLUMNS, dtype=place.dtype, like=place) / COLUMNS
    return left @ np.sin(np.pi * (powers[:, None] + 1) * columns)


def matrix(rows):
    """The matrix as blocks of rows, which workers make on their devices."""
    place = da.arange(rows, chunks=-(-rows // BLOCKS), dtype=float) / rows
    return place.map_blocks(
        smooth, dtype=float, new_axis=1, chunks=(place.chunks[0], (COLUMNS,)), meta=place._meta[:, None]
    )


def on_all(rows):
    """The singular values, and how far the factors are from the matrix."""
    a = matrix(rows).persist()
    u, s, v = da.linalg.svd(a)
    residual = abs(u @ (s[:, None] * v) - a).max()
    values, residual = dask.compute(s, residual)
    return values, float(residual)


def main():
    """Compute the singular values on workers, and by NumPy where the matrix fits the host."""
    arguments = options(__doc__, 40_000, "rows")
    rows = arguments.size
    nbytes = 8 * rows * COLUMNS
    host = smooth(np.arange(rows) / rows)
    expected, numpy_time = measure(lambda: np.linalg.svd(host, full_matrices=False)[1], repeats=1)
    devices = ["cpu"] if gpunp.get_device().is_cpu else None
    with (
        # A third of the matrix may stay on each GPU.
        local_cluster(devices, device_memory_limit=max(nbytes // 3, 1 << 20)) as cluster,
        distributed.Client(cluster),
        dask.config.set({"array.backend": "gpunp"}),
    ):
        (values, residual), seconds = measure(on_all, rows, repeats=arguments.repeats)
        workers = len(cluster.workers)
    report(
        f"Singular values of a matrix of {rows} x {COLUMNS}, {nbytes / 1e6:.0f} MB, {workers} workers",
        {"NumPy": numpy_time, "dask with gpunp": seconds},
        difference_from_NumPy=check(values, expected, 1e-10),
        largest_residual=f"{residual:.3g}",
        singular_values=" ".join(f"{value:.4g}" for value in values[:RANK].tolist()),
    )


if __name__ == "__main__":
    main()
