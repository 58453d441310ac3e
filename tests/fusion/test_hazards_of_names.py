"""Programs whose arrays are renamed, dropped and kept in containers, or meet calls that are not deferred."""

import itertools

import numpy as np
import pytest
from hazards import Hazards

hazard = Hazards()

# -- names and containers


@hazard
def del_before_use_of_a_view(a, b, v):
    c = a + b
    row = c[1]
    del c
    return row + 1


@hazard
def del_of_inputs(a, b, v):
    c = a * 2
    d = c + b
    del c
    e = d * 2
    del d
    return e - 1


@hazard
def temporaries_of_functions(a, b, v):
    def f(x, y):
        t = x * 2
        t += y
        u = t - x
        t[...] = 0
        return u

    return f(a, b), f(f(a, b), a)


@hazard
def in_containers(a, b, v):
    kept = [a + 1, {"b": b * 2}]
    kept[0] += 1
    kept[1]["b"] -= kept[0]
    kept.append(kept[0])
    kept[2] *= 2
    return kept[0], kept[1]["b"], kept[2]


@hazard
def rebinding(a, b, v):
    c = a + b
    first = c
    c = c + 1
    first -= 1
    a, b = b, a
    a += 1
    return first, c, a, b


@hazard
def loop_with_feedback(a, b, v):
    x, y = v, v[::-1].copy()
    for k in range(6):
        x = (x + y) / 2
        y[1:-1] = x[2:] - x[:-2]
        if k % 2:
            x, y = y, x
    return x, y


@hazard
def generators(a, b, v):
    def rows(x):
        for k in range(3):
            x = x + k
            yield x * 2

    made = rows(a)
    first = next(made)
    a += 1
    first += 1
    return first, *made


@hazard
def many_operations(a, b, v):
    for k in range(300):
        v = v + k
        if k % 7 == 0:
            v[k % 5 :] -= 1
    return v


@hazard
def many_arrays(a, b, v):
    made = [v + k for k in range(100)]
    for first, second in itertools.pairwise(made):
        first += second
    return tuple(made)


# -- other kinds of calls in between


@hazard
def reduction_of_pending(a, b, v):
    c = a + b
    total = c.sum(axis=0, keepdims=True)
    c -= total
    return c, total, (c * 2).max()


@hazard
def mask_of_pending(a, b, v):
    c = v + 1
    few = c[c > 5]
    c[c > 10] = 0
    c[[0, 2, 2]] += 1
    return few * 2, c


@hazard
def sort_of_pending(a, b, v):
    c = v[::-1] * 2
    c.sort()
    c += 1
    return c, np.cumsum(c * 2), np.argsort(-c, kind="stable")


@hazard
def matmul_of_pending(a, b, v):
    c = a + 1
    d = c @ (b * 2).T
    c *= 0
    return d, c


@hazard
def joined(a, b, v):
    c = a + 1
    d = np.concatenate([c, c * 2])
    c += 1
    return d + 1, np.stack([c, a])


@hazard
def assignment_between_dtypes(a, b, v):
    n = v.astype("i4") * 2
    n[1:] = v[:-1] / 2
    v[...] = n
    v[:3] = [7, 8, 9]
    return n, v


@hazard
def copies(a, b, v):
    c = a + b
    d = c.copy()
    c += 1
    e = np.copy(d)
    d *= 2
    return c, d, e, c.astype("f4"), c.astype("f8", copy=False) is c


@hazard
def swap_of_parts(a, b, v):
    t = v[:12] * 1
    v[:12] = v[12:]
    v[12:] = t
    return v


@hazard
def fill_after_read(a, b, v):
    c = v + 1
    v.fill(0)
    return c, v


# -- shapes


@hazard
def empty_arrays(a, b, v):
    e = v[:0] + 1
    e += e
    e[...] = e[::-1]
    return e, (e * 2).sum(), v + 1


@hazard
def arrays_of_no_axis(a, b, v):
    s = v.sum()
    t = s + 1
    s += 1
    r = (v[2, ...] * 2)[...]
    return s, t, r + t, r.item()


@hazard
def shape_assignment(a, b, v):
    c = a + b
    d = c.reshape(2, 12)
    c += d.reshape(4, 6)
    return c, d, c.T.shape, d.strides, c.flags.c_contiguous, d.base is not None


@hazard
def resize(a, b, v):
    c = v + 1
    c.resize((2, 3), refcheck=False)
    d = c * 2
    d.resize((3, 3), refcheck=False)
    return c, d


@hazard
def fortran_order(a, b, v):
    c = (a + b).copy(order="F")
    d = c * 2
    c.T[...] += d.T
    return c, d, d.strides


@pytest.mark.parametrize("name", hazard)
def test_hazard(name, deferring):
    hazard.check(name)
