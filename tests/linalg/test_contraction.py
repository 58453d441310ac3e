import numpy as np
import pytest
from records import Record, assert_same, record_test

import gpunp

SQUARES = ((4, 4),)
RECORDS = (
    Record("einsum_path", lambda f, a, b: f("ij,jk", a, b), arrays=2, shapes=SQUARES),
    Record(
        "einsum_path",
        lambda f, a, b: f("ij,jk,kl->il", a, b, a, optimize="optimal"),
        arrays=2,
        shapes=SQUARES,
    ),
    Record(
        "einsum_path",
        lambda f, a, b: f("ij,jk,kl", a, b, b, optimize=("greedy", 30)),
        arrays=2,
        shapes=SQUARES,
    ),
    Record("einsum_path", lambda f, a, b: f("ij,jk,kl", a, b, b, optimize=False), arrays=2, shapes=SQUARES),
    Record(
        "einsum_path",
        lambda f, a, b: f("ij,jk,kl", a, b, b, optimize=["einsum_path", (0, 1), (0, 1)]),
        arrays=2,
        shapes=SQUARES,
    ),
    Record("einsum_path", lambda f, a, b: f(a, [0, 1], b, [1, 2], [0, 2]), arrays=2, shapes=SQUARES),
    Record("einsum_path", lambda f, a, b: f("...i,...i", a, b), arrays=2),
    Record("einsum_path", lambda f, a, b: f("ij,jk,kl", a, b, b, optimize="none"), arrays=2, raises=True),
    Record("einsum_path", lambda f, a, b: f("ijk,jk", a, b), arrays=2, shapes=SQUARES, raises=True),
)
test_records = record_test(RECORDS)


def test_operands_come_back():
    a, b = gpunp.zeros((2, 3)), np.ones((3, 4))
    operands, contractions = np.einsum_path("ij,jk", a, b, einsum_call=True)
    assert operands[0] is a
    assert_same(gpunp.asarray(operands[1]), b)
    assert len(contractions) == 1


def test_mismatch():
    with pytest.raises(ValueError, match="does not match"):
        np.einsum_path("ij,jk", gpunp.zeros((2, 3)), gpunp.zeros((2, 3)))
