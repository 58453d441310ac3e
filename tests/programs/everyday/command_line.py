"""argparse, a log, a generator, a context manager, and an exit code."""

# runs: alone
import argparse
import contextlib
import logging
import sys

import numpy as np

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.INFO)
parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=800)
options = parser.parse_args(sys.argv[1:])


@contextlib.contextmanager
def section(name):
    logging.info("begin %s", name)
    yield
    logging.info("end %s", name)


def blocks(x, n):
    for start in range(0, len(x), n):
        yield x[start : start + n]


with section("sums"):
    x = np.arange(options.size) ** 2
    for number, block in enumerate(blocks(x, 300)):
        logging.info("%d: %s of %s", number, block.sum(), block.shape)
print(__name__, len(sys.argv))
