"""Reductions along rows whose results are used over the same rows, and what may come between."""

import numpy as np
from registry import command

from chains.kinds import kind

NAMES = ["sum", "max", "min", "mean", "var", "std", "prod", "any", "all", "argmax", "count_nonzero", "ptp"]
SHAPES = [(7, 5), (40, 12), (3, 16), (5, 4, 3), (9, 33), (100, 2), (2, 2)]
# Over two arrays x and y of one shape and dtype.
LINES = [
    "m = np.{name}(x, axis=-1, keepdims=True); x = x - m",
    "x -= np.{name}(x, axis=-1, keepdims=True)",
    "y = x / (np.{name}(np.absolute(x), axis=-1, keepdims=True) + 1)",
    "m = np.{name}(x * y, axis=-1)[..., np.newaxis]; y = np.tanh(y - m)",
    "m = np.{name}(y, axis=-1, keepdims=True) * 0.5; m += {k}; y *= m",
    "m = np.{name}(x, axis=-1, keepdims=True); p = np.sqrt(np.absolute(m) + {k}); x = (x - m) / (p + 1)",
    "np.{name}(y, axis=-1, keepdims=True); y += 1",
    "m = np.{name}(x, axis=-1, keepdims=True); x[{k}:] += 1; y = x * m",
    "y = np.where(x > np.{name}(x, axis=-1, keepdims=True), x, y)",
    "np.multiply(x, np.{name}(y, axis=-1, keepdims=True), out=y, casting='unsafe')",
    "np.subtract(x, np.{name}(x, axis=-1, keepdims=True), out=x, where=y > {k}, casting='unsafe')",
    "y[1:] -= np.{name}(y[:-1], axis=-1, keepdims=True)",
    "y[..., 1:] -= np.{name}(y[..., 1:], axis=-1, keepdims=True)",
    "y[::-1] += np.{name}(y, axis=-1, keepdims=True)",
    "x = x + np.{name}(x, axis=0)",
    "x = x - np.{name}(y.reshape(y.shape[0], -1), axis=1).reshape((-1,) + (1,) * (y.ndim - 1))",
    "x = x - np.{name}(x, axis=tuple(range(1, x.ndim)), keepdims=True)",
    "y = (y - y.mean(-1, keepdims=True)) / (y.std(-1, keepdims=True) + 1)",
    "e = np.exp(x - x.max(-1, keepdims=True)); x = e / e.sum(-1, keepdims=True); del e",
    "e = np.exp(x - x.max(-1, keepdims=True)); p = e.sum(-1, keepdims=True); x = e / p; log(p)",
    "m = np.full(x.shape[:-1] + (1,), {k}, x.dtype, like=x); np.max(x, -1, keepdims=True, out=m); y = y * m",
    "m = np.{name}(x, axis=-1, keepdims=True, where=y > {k}, initial=0); x = x + m",
    "m = np.{name}(x, axis=-1, keepdims=True); n = m + m; m[:1] = {k}; x = x * n - m",
    "m = x.sum(-1, keepdims=True); x = x * m + m.T if x.ndim == 2 and x.shape[0] == x.shape[1] else x + m",
    "x = x.astype('f4').astype(y.dtype)",
    "x[x > {k}] = 0",
    "y = np.clip(y, -{k}, {k})",
    "t = x + y; x = t * t; del t",
    "x, y = y, x",
    "log(x)",
]
_WITH_INITIAL = ["sum", "max", "min", "prod"]


@kind(6)
def rows(g):
    x = g.array(lambda v: isinstance(v, np.ndarray) and v.ndim > 1 and min(v.shape) > 1, kinds="f", view=0.1)
    if x.ndim < 2 or min(x.shape) < 2:
        x = g.literal(g.choice(SHAPES), g.choice(["f2", "f4", "f4", "f8"]))
    y = g.with_shape(x.shape, dtype=x.value.dtype)
    lines = []
    for line in g.rng.choices(LINES, k=1 + g.below(6)):
        names = _WITH_INITIAL if "initial" in line else NAMES
        lines.append(line.format(name=g.choice(names), k=g.below(4)))
    copied = g.chance(0.7)
    return command("\n".join([f"x, y = ({x}).copy(), {y}" if copied else f"x, y = {x}, {y}", *lines]))
