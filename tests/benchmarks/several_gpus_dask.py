"""dask arrays over several GPUs against one: the rows of dask of `several_gpus.py`, which also run alone.

    cd tests; python benchmarks/several_gpus_dask.py --gpus 2 --json dask.json

Every row is timed with a cluster of one worker, then with a worker for each GPU: the least of some runs. Each
ends in one number for the client, so that all GPUs have done their work. Means and spectra are of random
numbers that are drawn in the run: more data than memory makes the work long beside dask itself. The
other rows are of arrays that the workers hold. With ``--quick`` or GPUNP_DEVICE=cpu the arrays are tiny.
"""

import argparse
import json
import os
import sys
import time
import traceback

ON_CPU = os.environ.get("GPUNP_DEVICE") == "cpu"
REPEATS = 3


def _uniform(shape, chunks, dtype="f4"):
    import dask.array as da

    return da.random.default_rng(1).random(shape, dtype=dtype, chunks=chunks)


def elementwise(n):
    """A chain of functions of 16 GiB, whose results are added up."""
    import numpy as np

    # Sent to the workers by value, as they cannot import this file.
    def chain(block):
        for _ in range(64):
            block = np.sqrt(np.exp(-block * block) + 1) - block / 3
        return block

    x = _uniform(16 * n, n, "f8").persist()
    return lambda: x.map_blocks(chain, dtype=x.dtype, meta=x._meta).sum()


def means(n):
    """Means of 1 TiB over either axis and over all elements, in chunks of 16 GiB."""
    x = _uniform((64 * n, 1 << 18), (n, 1 << 18))
    return lambda: x.mean(axis=0).sum() + x.mean(axis=1).sum() + x.mean()


def products(n):
    """A matrix of 4 n rows times its transpose, in 16 blocks."""
    x = _uniform((4 * n, 4 * n), (n, 4 * n)).persist()
    return lambda: (x @ x.T).sum()


def tall_svd(n):
    """Singular values of a tall matrix of 256 columns, 16 GiB in 16 blocks of rows."""
    import dask.array as da

    x = _uniform((16 * n, 256), (n, 256), "f8").persist()
    return lambda: da.linalg.svd(x)[1].sum()


def local_fft(n):
    """Spectra of 512 GiB along the axis that is not cut, in chunks of 8 GiB."""
    import dask.array as da

    x = _uniform((128 * n, 1 << 16), (2 * n, 1 << 16))
    return lambda: abs(da.fft.rfft(x, axis=1)).sum()


# Row, what it makes of a size, the size, the tiny size, and the goal: how many times faster two GPUs are.
ROWS = {
    "dask elementwise chain": (elementwise, 1 << 27, 1000, 1.9),
    "dask means over axes": (means, 1 << 14, 1, 1.9),
    "dask x @ x.T 32768^2": (products, 8192, 16, 1.85),
    "dask SVD of a tall matrix": (tall_svd, 1 << 19, 512, 1.7),
    "dask FFT along the local axis": (local_fft, 1 << 14, 1, 1.9),
}


def _seconds(make, size):
    """The least time of one run, and its result."""
    call = make(size)
    result, best = float(call().compute()), float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = float(call().compute())
        best = min(best, time.perf_counter() - start)
    return best, result


def _timed(devices, quick):
    """Seconds and results of all rows on a cluster, by name; an error is a text."""
    import dask
    import distributed

    from gpunp.distributed import local_cluster

    found = {}
    with (
        local_cluster(devices) as cluster,
        distributed.Client(cluster) as client,
        dask.config.set({"array.backend": "gpunp"}),
    ):
        for name, (make, size, tiny, _) in ROWS.items():
            try:
                found[name] = _seconds(make, tiny if quick else size)
            except Exception as error:
                found[name] = "".join(traceback.format_exception_only(error)).strip()[:500]
                client.restart()
    return found


def rows(gpus, quick=None):
    """Pairs of a name and a dict of numbers: seconds with one worker and with all, and their ratio.

    Parameters
    ----------
    gpus : int
        The number of GPUs.
    quick : bool, optional
        Whether the arrays are tiny; by default with ``--quick`` and on the CPU device.
    """
    quick = (ON_CPU or "--quick" in sys.argv) if quick is None else quick
    places = ["cpu"] * gpus if ON_CPU else list(range(gpus))
    one, several = _timed(places[:1], quick), _timed(places, quick)
    for name, (*_, goal) in ROWS.items():
        errors = [each[name] for each in (one, several) if isinstance(each[name], str)]
        if errors:
            yield name, {"error": errors[0]}
            continue
        (first, expected), (second, result) = one[name], several[name]
        if abs(result - expected) > 1e-4 * abs(expected):
            yield name, {"error": f"the results differ: {expected} and {result}"}
            continue
        yield name, {"one": first, "all": second, "times": first / second, "goal": goal, "gpus": gpus}


def main():
    """Print the rows, and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gpus", type=int, default=2, help="the number of GPUs (default: 2)")
    parser.add_argument("--json", metavar="FILE", help="write the rows to a file")
    parser.add_argument("--quick", action="store_true", help="tiny arrays, to try the program")
    arguments = parser.parse_args()
    start, table = time.perf_counter(), []
    for name, values in rows(arguments.gpus):
        table.append({"name": name, **values})
        text = values.get("error") or (
            f"{1e3 * values['one']:9.1f} ms {1e3 * values['all']:9.1f} ms {values['times']:6.2f}x "
            f"(goal {values['goal']}x)"
        )
        print(f"{name:<32} {text}", flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
