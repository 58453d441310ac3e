"""A pool of processes with functions and arrays of the program."""

# runs: alone
import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def norm(block):
    return float(np.linalg.norm(block)), np.sqrt(block)[:2], type(block).__name__


if __name__ == "__main__":
    blocks = np.split(np.arange(4000.0), 4)
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            for value, first, name in pool.map(norm, blocks):
                print(method, round(value, 6), first.round(6), name)
    with ThreadPoolExecutor(2) as threads:
        print([round(value, 6) for value, _, _ in threads.map(norm, blocks)])
