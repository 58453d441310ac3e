"""Views, outputs and writes in place: nothing may be lost."""

import numpy as np

x = np.arange(1200.0).reshape(30, 40)
view = x[5:10, ::2]
view *= -1
x.T[3] = 7
print(x.sum(), view.base is not None, np.shares_memory(x, view), x[5, :6])
y = np.empty_like(x)
np.multiply(x, 2, out=y)
np.sqrt(np.abs(y), out=y)
y[y > 50] = 0
print(y.sum().round(6), (y == 0).sum())
small = np.zeros(5)
small += x[0, :5]
small[1:3] = x[1, 1:3]
np.add(small, 1, out=small)
print(small)
x.sort(axis=1)
x[::-1].flat[3] = 99
x.fill(3) if x.size == 0 else None
rows = [row.sum() for row in x]
print(len(rows), rows[29], x[29, 3], x.tolist()[0][:3])
a = np.zeros(500)
b = a
b += 1
b[0] = 5
print(a[:2], a is b, a.flags.writeable)
z = np.zeros((20, 30))
for i in range(20):
    z[i] = np.arange(30) * i
    z[i, i] = -1
print(z.sum(), np.trace(z))
