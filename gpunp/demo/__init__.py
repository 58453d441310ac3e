"""``python -m gpunp demo``: plain NumPy programs, run with NumPy arrays and with gpunp arrays."""

import argparse
import sys
from pathlib import Path

MISSING = """The demo needs a package that is not installed: {name}.
Install the demo's packages with:  pip install "gpunp[demo]"  (in a checkout: pip install ".[demo]")"""


def main(argv=None):
    """Run the demo; the exit code is 0 if the results of NumPy and gpunp agree."""
    parser = argparse.ArgumentParser(
        prog="python -m gpunp demo",
        description="Process a photo and price options with plain NumPy functions, once with NumPy arrays "
        "and once with gpunp arrays; compare the results and the times.",
    )
    parser.add_argument(
        "--size",
        type=int,
        help="factor by which the photo is enlarged; the work grows with its square (default: 8, on a CPU 2)",
    )
    parser.add_argument(
        "--photo", choices=("china.jpg", "flower.jpg"), default="china.jpg", help="which photo"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("gpunp-demo"),
        help="folder for the pictures (default: ./gpunp-demo)",
    )
    parser.add_argument("--device", help="where gpunp computes: cuda, cuda:1, cpu (default: gpunp's default)")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs of each step (default: 3)")
    options = parser.parse_args(argv)
    if options.repeat < 1 or (options.size is not None and options.size < 1):
        parser.error("--size and --repeat must be at least 1")
    for name in ("scipy.special", "sklearn.datasets", "PIL.Image"):
        try:
            __import__(name)
        except ImportError:
            print(MISSING.format(name=name.partition(".")[0]), file=sys.stderr)
            return 2
    from gpunp.demo.run import run

    return run(options)
