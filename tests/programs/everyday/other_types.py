"""Byte orders, texts, objects, dates and long doubles that meet arrays, and elements that are visited."""

# runs: alone
import io

import numpy as np

x = np.arange(300.0)
file = io.BytesIO()
file.write(x.astype(">f4").tobytes())
raw = np.frombuffer(file.getvalue(), ">f4")
print(raw.dtype, raw.sum(), file.getvalue()[:8], raw.copy().tobytes()[-4:])
print(np.zeros(300, ">i2").dtype, np.asarray(x, ">f8").dtype, np.array([1] * 300, dtype=">i2").tobytes()[:4])
print(x.view(">f8")[:2], np.full((30, 40), 2, ">i4").tobytes()[:4], np.ones_like(x, dtype=">f4").dtype)
print(np.linspace(0, 1, 300, dtype=">f8").dtype, x.astype(np.dtype("f8").newbyteorder(">")).dtype)

objects = np.array([1, 2.5, 3] * 100, dtype=object)
print((x * objects).dtype, (x @ objects), (objects - x)[:3])
total = x.sum()
total += np.longdouble(1)
print((x < np.longdouble(2)).sum(), (x + np.longdouble(2)).dtype, total)
print((x * np.timedelta64(1, "D").astype(int))[:2], (np.datetime64("2000-01-01") + np.arange(300))[-1])
y = np.zeros(300)
y[...] = np.array(["3"] * 300)
y[2:4] = ["5", "6"]
y[x > 290] = np.array([1] * 9, dtype=object)
print(y.sum())
y += np.array([2] * 300, dtype=object).astype(int)
print(y.sum(), (np.char.add(np.array(["a"] * 300), "b"))[0])

with np.nditer(x, op_flags=["readwrite"]) as elements:
    for v in elements:
        v[...] = 2 * v
print(x.sum())
for v in np.nditer(x, op_flags=[["readwrite"]]):
    v -= 1
print(x.sum(), sum(float(v) for v in np.nditer(x)))
pair = np.nditer([x, None], flags=["external_loop"])
for a, b in pair:
    b[...] = a * a
print(pair.operands[1].sum())
