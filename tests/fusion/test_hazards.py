"""Programs that read and write one memory in an order that deferring must keep."""

import numpy as np
import pytest
from hazards import Hazards

hazard = Hazards()

# -- one buffer


@hazard
def write_after_read(a, b, v):
    c = a + 1
    a *= 2
    return a, c


@hazard
def read_after_write(a, b, v):
    a *= 2
    return a + 1, a


@hazard
def read_after_write_through_another_view(a, b, v):
    row = a[1]
    a += b
    return row * 2, a


@hazard
def write_through_another_view(a, b, v):
    c = a + b
    a[1:3, ::2] = 7
    return c, a + 0


@hazard
def write_after_write(a, b, v):
    a[...] = b + 1
    a[...] = b * 2
    return a


@hazard
def write_after_write_of_parts(a, b, v):
    a[:3] = b[:3] + 1
    a[1:] = b[1:] * 2
    return a


@hazard
def shift_forward(a, b, v):
    v[1:] += v[:-1]
    return v


@hazard
def shift_backward(a, b, v):
    v[:-1] += v[1:]
    return v


@hazard
def reversed_onto_itself(a, b, v):
    v[::-1][:] = v
    return v


@hazard
def added_to_its_reverse(a, b, v):
    v += v[::-1]
    return v


@hazard
def transpose_onto_itself(a, b, v):
    s = a[:4, :4]
    s[...] = s.T
    s += s.T
    return a


@hazard
def partial_overlap_after_pending_work(a, b, v):
    v *= 2
    v[2:] = v[:-2] + 1
    v -= 1
    return v


@hazard
def overlap_of_interleaved_parts(a, b, v):
    v[::2] += v[1::2]
    v[1::2] -= v[::2]
    return v


@hazard
def overlap_with_one_element(a, b, v):
    v += v[3]
    v *= v[-1:]
    return v


@hazard
def row_added_to_its_matrix(a, b, v):
    a += a[2]
    a -= a[:, 1:2]
    return a


@hazard
def same_place_of_another_dtype(a, b, v):
    bits = v.view("i8")
    bits[...] = v
    return bits, v.view("i8")


@hazard
def dtype_view_of_pending_values(a, b, v):
    w = v * 2
    bits = w.view("i4")
    w += 1
    return bits, bits >> 3


@hazard
def write_through_dtype_view(a, b, v):
    w = v * 2
    w.view("i8")[::2] = 0
    return w + 1


@hazard
def parts_of_complex_numbers(a, b, v):
    c = v + 1j
    c.real *= 2
    c.imag[1:] += c.real[:-1]
    return c, c.conj() * 2


@hazard
def in_place_through_reshape(a, b, v):
    c = a + b
    c.reshape(-1)[::5] *= 2
    c.reshape(6, 4)[1] = 0
    return c


@hazard
def reshape_that_copies(a, b, v):
    c = a + b
    flat = c.T.reshape(-1)
    c *= 2
    return flat, c


@hazard
def in_place_through_transpose(a, b, v):
    c = a + b
    c.T[1:] += 1
    return c * 2


@hazard
def in_place_through_diagonal(a, b, v):
    c = a + b
    c.reshape(-1)[::7] = -1
    return c.diagonal() + 1, c


@hazard
def ravel_of_pending(a, b, v):
    c = a * 2
    c.ravel()[3] = 99
    c.flatten()[4] = 98
    return c


@hazard
def rows_by_iteration(a, b, v):
    for row in a:
        row += row[0]
    return a


# -- broadcasting


@hazard
def broadcast_read_of_pending_values(a, b, v):
    row = a[0] * 2
    return row + b, b - row[:, None][:4]


@hazard
def broadcast_read_then_write(a, b, v):
    row = a[0] * 2
    c = b + row
    row += 1
    return c, row


@hazard
def broadcast_to_keeps_seeing_its_base(a, b, v):
    row = a[0] * 2
    wide = np.broadcast_to(row, (3, 6))
    row += 1
    return wide, wide + 1


@hazard
def size_changes_between_operations(a, b, v):
    c = a * 2
    d = c[:2] + 1
    e = d[:, None] + c
    return e * 2, d


@hazard
def one_element_with_many(a, b, v):
    s = v[:1] * 2
    t = v + s
    s += t[5:6]
    return s, t * s


# -- out= and where=


@hazard
def out_is_an_input(a, b, v):
    np.add(a, b, out=a)
    np.subtract(b, a, out=a)
    return a


@hazard
def out_is_both_inputs(a, b, v):
    np.multiply(a, a, out=a)
    return a


@hazard
def out_overlaps_an_input(a, b, v):
    np.add(v[1:], v[:-1], out=v[:-1])
    np.add(v[1:], v[:-1], out=v[1:])
    return v


@hazard
def out_is_returned(a, b, v):
    c = np.add(a, b, out=a)
    c *= 2
    return a, c is a


@hazard
def out_of_another_dtype(a, b, v):
    n = np.zeros_like(v, dtype="i4")
    np.add(v, 1, out=n, casting="unsafe")
    v += n
    return n, v


@hazard
def where_with_out_that_aliases(a, b, v):
    np.add(a, b, out=a, where=a > b)
    np.multiply(a, 2, out=a, where=b > 3)
    return a


@hazard
def where_mask_changes_later(a, b, v):
    mask = a > 2
    np.add(a, 10, out=b, where=mask)
    mask[...] = False
    return b, mask


@hazard
def mask_is_the_output(a, b, v):
    mask = a > 2
    np.logical_not(mask, out=mask, where=mask)
    return mask


@hazard
def mask_overlaps_the_output(a, b, v):
    mask = v > 3
    np.logical_xor(mask, v > 5, out=mask[::-1], where=mask)
    np.logical_not(mask[1:], out=mask[:-1], where=mask[1:])
    return mask


@hazard
def mask_is_broadcast(a, b, v):
    mask = a[0] > 3
    np.negative(b, out=b, where=mask)
    return b


@hazard
def where_without_out(a, b, v):
    mask = a > 2
    return np.where(mask, np.add(a, b, out=None, where=mask), 0)


@hazard
def masked_then_overwritten(a, b, v):
    c = a * 2
    np.add(a, b, out=c, where=b > 3)
    c[a > 5] = 0
    return c


@pytest.mark.parametrize("name", hazard)
def test_hazard(name, deferring):
    hazard.check(name)
