"""The warning about discarded imaginary parts, wherever NumPy issues it."""

import numpy as np
import pytest
from records import assert_same, settled

import gpunp

LINES = """
    xp.concatenate([A([1j]), A([1.0])], dtype="f8", casting="unsafe")
    xp.concatenate([A([1j]), A([1.0])], out=A([1.0, 2.0]), casting="unsafe")
    xp.stack([A([1j]), A([1j])], dtype="i8", casting="unsafe")
    xp.stack([A([1j]), A([1j])], out=A([[1.0], [2.0]]), casting="unsafe")
    xp.vstack([A([1j]), A([1j])], dtype="f8", casting="unsafe")
    xp.hstack([A([1j]), A([1j])], dtype="f8", casting="unsafe")
    xp.add(A([1j]), A([1j]), out=A([1.0]), casting="unsafe")
    xp.add(A([1j]), 1j, dtype="f8", casting="unsafe")
    xp.add(A([1.0]), 1j, dtype="f8", casting="unsafe")
    xp.sin(A([1j]), dtype="f4", casting="unsafe")
    xp.add.at(A([1.0]), [0], A([1j]))
    xp.add.reduce(A([1j, 2]), dtype="f8")
    xp.add.accumulate(A([1j, 2]), dtype="f8")
    xp.add.reduceat(A([1j, 2]), [0], dtype="f8")
    xp.sum(A([1j, 2]), dtype="f8")
    xp.sum(A([1j, 2]), out=A(1.0))
    A([1j, 2]).sum(dtype=int)
    xp.prod(A([1j, 2]), dtype="f8")
    xp.mean(A([1j, 2]), dtype="f8")
    xp.mean(A([1j, 2]), out=A(1.0))
    xp.var(A([1j, 2]), dtype="f8")
    xp.cumsum(A([1j, 2]), dtype="f8")
    xp.cumsum(A([1j, 2]), out=A([1.0, 1]))
    xp.nansum(A([1j, 2]), dtype="f8")
    xp.trace(A([[1j]]), out=A(1.0))
    xp.max(A([1j, 2]), out=A(1.0))
    xp.clip(A([1j]), 0, 1, out=A([1.0]), casting="unsafe")
    xp.matmul(A([[1j]]), A([[1j]]), out=A([[1.0]]), casting="unsafe")
    xp.matmul(A([[1j]]), A([[1j]]), dtype="f8", casting="unsafe")
    xp.einsum("i,i", A([1j]), A([1j]), dtype="f8", casting="unsafe")
    xp.einsum("i,i", A([1j]), A([1j]), out=A(1.0), casting="unsafe")
    xp.choose(A([0]), [A([1j])], out=A([1.0]))
    xp.full(2, 1j, dtype="f8")
    xp.full(2, A(1j), dtype="f8")
    xp.full_like(A([1.0]), A([1j]))
    xp.asarray(A([1j]), dtype="f8")
    xp.array([A([1j])], dtype="f8")
    A([1j]).astype("f8")
    S(A([1.0]), slice(None), A([1j]))
    S(A([1.0, 2]), [0, 1], A([1j, 2]))
    S(A([1.0, 2]), A([True, False]), A([1j]))
    A([1.0, 2]).fill(A(1j))
    xp.copyto(A([1.0]), A([1j]), casting="unsafe")
    xp.put(A([1.0, 2]), [0], A([1j]))
    xp.insert(A([1.0]), 0, A([1j]))
"""


def assigned(array, key, value):
    array[key] = value
    return array


@pytest.mark.parametrize("line", [line.strip() for line in LINES.strip().splitlines()])
def test_warnings(line):
    names = {"S": assigned}
    with pytest.warns(np.exceptions.ComplexWarning):
        expected = eval(line, {**names, "xp": np, "A": np.array})
    with pytest.warns(np.exceptions.ComplexWarning) as caught:
        actual = settled(eval(line, {**names, "xp": gpunp, "A": gpunp.asarray}))
    # The warning names the user's line: in the evaluated string or in this file.
    if "full(2, 1j" not in line:
        assert caught[0].filename in ("<string>", __file__)
    assert_same(actual, expected)


def test_no_warning_where_nothing_is_dropped():
    values = gpunp.asarray([1j, 2])
    assert values.astype(bool).tolist() == [True, True]
    assert np.any(values, out=gpunp.asarray(False)).item() is True
    assert np.sum(values, dtype="F").dtype == np.complex64
    assert np.add(values, 1, out=gpunp.zeros(2, "F"), casting="unsafe").tolist() == [1 + 1j, 3]


def test_take_into_another_kind():
    out = gpunp.zeros(2, int)
    with pytest.warns(DeprecationWarning, match="different kind"):
        np.take(gpunp.asarray([1.5, 2.5]), [0, 1], out=out)
    assert out.tolist() == [1, 2]
    single = gpunp.zeros(2, "f")
    assert np.take(gpunp.asarray([1.5, 2.5]), [0, 1], out=single).tolist() == [1.5, 2.5]
    with pytest.warns(DeprecationWarning, match="different kind"):
        np.compress([True], gpunp.asarray([1.5]), out=out[:1])
