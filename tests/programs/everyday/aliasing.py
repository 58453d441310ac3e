"""Views that share memory: overlaps, strides, swaps and slices of slices."""

import numpy as np

x = np.arange(60.0)
x[1:] = x[:-1]
print(x[:5], x[-1])
x = np.arange(60.0)
x[10:50] += x[:40]
print(x[8:14], x.sum())
x[::2], x[1::2] = x[1::2].copy(), x[::2].copy()
print(x[:6])
a, b = x[:30], x[30:]
a[:], b[:] = b.copy(), a.copy()
print(x[0], x[30], a.base is x, np.shares_memory(a, x), np.may_share_memory(a, b), a.base is b.base)
m = np.arange(64.0).reshape(8, 8)
d = m.ravel()[::9]
d *= -1
print(np.diag(m)[:4], np.trace(m))
m.T[0] = 7
print(m[0], m[:, 0].sum())
corner = m[::-1, ::-1][:3, :3]
corner += 100
print(m[5:, 5:], corner.strides)
m += m.T
print(m[0, :3], np.allclose(m, m.T))
m[m > 150] = 0
m[[0, 0, 1]] += 1
np.add.at(m, ([0, 0, 1], [2, 2, 2]), 5)
print(m[0, :4], m[1, :4])
v = m.view()
v = v.reshape(4, 16)
v[0] = 3
print(m[:2, :3], m.reshape(-1)[:3])
z = np.zeros(40, complex)
z.real = np.arange(40)
z.imag[::2] = 1
print(z[:3], z.conj()[2], z.view(float)[:6])
i = np.arange(48, dtype=np.int32)
i.view(np.uint8).reshape(48, 4)[:, 0] = 5
print(i[:4], i.view(np.int16)[:4], i.byteswap()[:2])
w = np.broadcast_to(np.arange(8.0), (8, 8))
try:
    w[0, 0] = 1
except ValueError:
    print("ValueError", w.strides, w.flags.writeable)
r = np.lib.stride_tricks.as_strided(x, (58, 3), (8, 8))
print(r.mean(axis=1)[:3], r.shape, np.lib.stride_tricks.sliding_window_view(x, 5).max(axis=-1)[:3])
swap = np.arange(40)
swap[[3, 5]] = swap[[5, 3]]
print(swap[:7], np.roll(swap, 3)[:4], np.flip(swap)[:2])
q = x
q += 1
print(q is x, x[0])
y = x[:]
y -= 1
print(x[0], y is x, (x[5:10].copy().base is None))
e = x[20:20]
print(e.size, e.sum(), x[-3:].tolist(), x[None, :, None].shape, x[..., 0])
