"""usage: a script with arguments, logging, json, csv and configuration."""

import argparse
import csv
import io
import json
import logging
import pathlib
import statistics
import string
import sys
import tempfile
import time
from collections import Counter, defaultdict, deque, namedtuple
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--kind", choices=["normal", "uniform"], default="normal")
options = parser.parse_args(["--size", "80"])
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.INFO)
log = logging.getLogger()


class Kind(Enum):
    NORMAL = "normal"
    UNIFORM = "uniform"


Summary = namedtuple("Summary", "mean std count")
rng = np.random.default_rng(options.seed)
x = rng.normal(size=options.size) if Kind(options.kind) is Kind.NORMAL else rng.random(options.size)
s = Summary(x.mean(), x.std(), x.size)
log.info("mean %.4f std %.4f of %d: %s", *s, s._fields)
print(json.dumps({"mean": round(s.mean, 6), "x": x[:3].round(4).tolist(), "n": s.count}))
out = io.StringIO()
writer = csv.writer(out)
writer.writerows(np.round(x[:6].reshape(2, 3), 3))
writer.writerow([s.mean > 0, x.argmax(), np.float32(1.5)])
print(repr(out.getvalue()))
counts = Counter(np.digitize(x, [-1, 0, 1]).tolist())
print(sorted(counts.items()), Counter((x > 0).tolist())[True])
groups = defaultdict(list)
for value in x:
    groups[int(np.sign(value))].append(value)
print(
    {k: len(v) for k, v in sorted(groups.items())},
    deque(x, 2)[0] == x[-2],
    statistics.fmean(x) - x.mean() < 1e-12,
)
print(
    f"{s.mean:8.3f}|{s.std:<8.3f}|{s.count:>5}|{x.max():.2%}|{x[0]!r:.12}",
    "%5.2f %d %s" % (x[1], x.size, x.shape),
    string.Template("$a").substitute(a=x.size),
)
print(
    Decimal(float(x[0])).quantize(Decimal("0.001")),
    Fraction(float(np.round(x[0], 2))).limit_denominator(100),
    isinstance(x.sum(), float),
    round(x.sum(), 3),
    int(x.sum() * 100),
    x.sum().is_integer(),
)
path = pathlib.Path(tempfile.mkdtemp()) / "x.txt"
path.write_text("\n".join(map(str, x.round(6))))
print(np.loadtxt(path).shape, np.allclose(np.loadtxt(path), x, atol=1e-6), len(path.read_bytes()) > 300)
start = time.perf_counter()
time.sleep(min(abs(x).min(), 0.001))
print(
    time.perf_counter() > start,
    sys.getsizeof(x) > 100,
    type(x).__name__,
    type(s.mean).__name__,
    callable(x.sum),
    hasattr(x, "shape"),
)
match x.shape:
    case (n,):
        print("one axis", n)
match s.mean:
    case float():
        print("float")
try:
    parser.parse_args(["--kind", "other"])
except SystemExit as error:
    print("exit", error.code)
