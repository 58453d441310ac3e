"""Loops by nditer, ndindex, ndenumerate, flat, broadcast and apply functions."""

import numpy as np

a = np.arange(48.0).reshape(6, 8)
with np.nditer(a, flags=["multi_index"], op_flags=["readwrite"]) as it:
    for value in it:
        if sum(it.multi_index) % 2:
            value[...] = -value
print(a[:2])
print(sum(i * j * v for (i, j), v in np.ndenumerate(a)), sum(1 for _ in np.ndindex(a.shape)))
total = 0.0
for x, y in np.nditer([a, a.T.reshape(6, 8)]):
    total += float(x * y)
print(total)
it = np.nditer([a, None], op_dtypes=["f8", "f8"])
with it:
    for x, y in it:
        y[...] = np.sqrt(abs(x))
    print(it.operands[1].sum())
for chunk in np.nditer(a, flags=["external_loop", "buffered"], buffersize=20):
    print(chunk.size, chunk.sum(), end=" ")
print()
print([float(v) for v in a.flat][:4], a.flat[5], a.flat[3:6], len(a.flat))
b = np.broadcast(a, np.arange(8))
print(b.shape, sum(float(x) * int(y) for x, y in b))
print(np.apply_along_axis(lambda r: np.sort(r)[::2], 1, a).shape, np.apply_over_axes(np.sum, a, [0, 1]))
print(np.vectorize(lambda v, w: v if v > w else w)(a, 3).sum(), np.frompyfunc(max, 2, 1)(a, 0).sum())
print(
    np.fromiter((v for v in a.ravel() if v > 0), float).sum(),
    np.piecewise(a, [a < 0, a >= 0], [lambda v: -v, 2]).sum(),
)
print(
    [r.sum() for r in a],
    [c[0] for c in a.T][:3],
    max(a.ravel()),
    min(a[0]),
    sum(a[1]),
    next(zip(*a[:2])),
    any(a[0] > 5),
)
for i, row in enumerate(a):
    row[i] = 0
print(
    np.diag(a),
    list(map(np.sum, a))[:2],
    sorted(a[0], reverse=True)[:2],
    [*reversed(a[0])][:2],
    dict(enumerate(a[0]))[3],
)
while a.max() > 10:
    a /= 2
print(
    a.max(),
    divmod(a[5, 2], 2),
    round(a[4, 3], 2),
    abs(a[1, 0]),
    float(a[0, 1]).hex(),
    complex(a[3, 3]),
    a[2, 1] // 1,
)
k = 0
for p in np.nditer(np.arange(40), order="F"):
    k += int(p) if p % 2 == 0 else 0
print(k, [int(v) for v in np.arange(40)[np.arange(40) % 13 == 0]], np.select([a > 5, a > 1], [1, 2], 3).sum())
