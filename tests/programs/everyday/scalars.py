"""Numbers that come from arrays, in all the places where programs use them."""

import json
import math
from fractions import Fraction

import numpy as np

x = np.arange(1000.0)
s, k = x.sum(), x.argmax()
print(f"{s} {s:.2f} {k:5d}", s, k, "%d %.1f" % (k, s))
print(isinstance(s, float), isinstance(s, np.float64), isinstance(k, np.integer), np.isscalar(s))
print(json.dumps([s, float(s)]), math.sqrt(s), round(s / 7, 3), int(k), hash(s) == hash(float(s)))
print([s, k], {s: "sum"}[499500.0], s.item(), s.dtype, k.dtype, s.is_integer(), Fraction(int(s), 3))
print(
    list(range(k - 997)),
    "ab" * int(k - 997),
    [0] * (k - 996),
    divmod(int(k), 7),
    s == 499500,
    s > 1 and k < 1000,
)
print(max(x), min(x), sorted([x[3], x[1]]), sum(x[:10]), x[5] in {5.0}, abs(-s), -k, s**0.5, k // 3, k % 7)
print(np.float32(s).dtype, np.array([s, k]), np.array([[s], [k]]).shape, complex(s), bool(s), str(s), repr(s))
