"""Arguments as NumPy's compiled functions take them: bools that are no integers, numbers that are masks."""

import pytest
from calls import call_test, check_call

AXES = """
    xp.sum(a, axis={0})
    xp.max(a, axis={0})
    xp.mean(a, axis={0})
    xp.var(a, axis={0}, keepdims=True)
    xp.all(a, axis={0})
    xp.count_nonzero(a, axis={0})
    xp.nansum(a, axis={0})
    xp.argmax(a, axis={0})
    xp.add.reduce(a, axis={0})
    xp.add.accumulate(a, axis={0})
    xp.cumsum(a, axis={0})
    xp.nancumprod(a, axis={0})
    xp.cumulative_sum(a, axis={0})
    xp.concatenate([a, a], axis={0})
    xp.stack([a, a], axis={0})
    xp.repeat(a, 2, axis={0})
    xp.take(a, [0], axis={0})
    xp.take_along_axis(a, A([[0, 1, 2]]), axis={0})
    xp.compress([True], a, axis={0})
    xp.squeeze(a[:, :1], axis={0})
    xp.transpose(a, axes={0})
    xp.diagonal(a, offset={0})
    xp.trace(a, offset={0})
    xp.trapezoid(a, axis={0})
    xp.unwrap(a, axis={0})
    xp.sort(a, axis={0})
    xp.argsort(a, axis={0})
    xp.argpartition(a, 0, axis={0}).shape
    xp.round(a, decimals={0})
    xp.flip(a, axis={0})
    xp.moveaxis(a, {0}, 0)
    xp.expand_dims(a, {0})
"""


@pytest.mark.parametrize("axis", ["True", "np.True_", "1.0", "'x'", "(1,)", "[1]", "np.int8(1)", "None", "5"])
def test_axes(axis):
    for line in AXES.strip().splitlines():
        text = line.strip().format(axis).replace("a,", "A([[1.5, -2, 0], [3, 1, 2], [0, 0, 7]]),", 2)
        check_call(text.replace("a[", "A([[1.5, -2, 0], [3, 1, 2], [0, 0, 7]])["), exact=False)


@pytest.mark.parametrize(
    "where", ["1", "0", "2.5", "None", "[1, 0, 2]", "(0, 0, 1)", "[True, A(False), True]", "np.int64(1)",
              "np.array([1, 0, 1])", "A([1, 0, 1])", "A(1)"]
)  # fmt: skip
def test_masks_by_numbers(where):
    for line in (
        "xp.sum(A([[1.5, 2, 4]]), where={})",
        "xp.add.reduce(A([1, 2, 4]), where={})",
        "xp.max(A([1, 2, 4]), where={}, initial=-1)",
        "xp.any(A([1, 0, 4]), where={})",
    ):
        check_call(line.format(where))
    check_call(f"xp.add(A([1, 2, 3]), 1, out=A([7, 7, 7]), where={where})", own=True)


test_calls = call_test(
    """
    xp.round(A([1.25, 2.5]), 1.0)
    xp.round(A([1, 2]), out=A([1, 2, 3]))
    xp.round(A([1.5 + 1j]), out=A([1.0, 2.0]))
    xp.ravel(A([[1, 2], [3, 4]]).T, None)
    xp.reshape(A([[1, 2], [3, 4]]), None)
    A([[1, 2], [3, 4]]).reshape(None)
    A([[1, 2], [3, 4]]).reshape(-1, order=None)
    A([[1, 2], [3, 4]]).T.copy(None).flags.c_contiguous
    A([[1, 2], [3, 4]]).T.flatten(None)
    xp.bincount(A([], "i8"), weights=[1, 2, 3])
    xp.cov(A([[1, 2], [3, 4]]), dtype=int)
    xp.corrcoef(A([[1, 2], [3, 4]]), dtype="i8")
    xp.interp(A([0.5 + 1j, 2.25]), [0, 1, 2], [1, 2, 4], period=3.5)
    xp.interp(A([0.5 + 1j]), [0, 1], [1, 2])
    xp.take(A([], "f8").reshape(0, 3), [3], axis=1)
    xp.take(A([], "f8").reshape(0, 3), [0], axis=0)
    xp.take(A([], "f8").reshape(3, 0), [5], axis=0)
    xp.take(A([], "f8").reshape(0, 0), [-1, 0, 1], axis=0)
    xp.take(A([], "f8").reshape(0, 3), [0], axis=0, mode="clip")
    xp.take(A([], "f8").reshape(0, 3), [0], axis=1, mode="x")
    A([], "i8") ** -1
    A([2, 3]) ** -1
    xp.power(A([], "i4"), -2)
    xp.quantile(A([1.0, 2, 3]), __import__("fractions").Fraction(1, 3))
    xp.add(A([1, 2]), A([1, 2]), signature=("i4",))
    xp.add(A([1, 2]), A([1, 2]), signature="i")
    xp.add(A([1, 2]), A([1, 2]), signature="i8")
    xp.add(A([1, 2]), A([1, 2]), signature="ff->f")
    xp.add(A([1, 2]), A([1, 2]), signature="ll->l")
    xp.add(A([1, 2]), A([1, 2]), signature="ll")
    xp.add(A([1, 2]), A([1, 2]), signature="zz->z")
    xp.add(A([1, 2]), A([1, 2]), signature=("l", "l", "l"))
    xp.add(A([1, 2]), A([1, 2]), signature=(None, None, "f8"))
    xp.add(A([1, 2]), A([1, 2]), signature=(None, None, None))
    xp.add(A([1, 2]), A([1, 2]), signature=["l", "l", "l"])
    xp.add(A([1, 2]), A([1, 2]), signature=None)
    xp.add(A([1, 2]), A([1, 2]), sig=("l", "l", "l"))
    xp.add(A([1, 2]), A([1, 2]), sig="ll->l", signature="ll->l")
    xp.add(A([1, 2]), A([1, 2]), dtype="f4", signature="ll->l")
    xp.divmod(A([1, 2]), A([1, 2]), dtype="f4")
    xp.frexp(A([1.0, 2]), dtype="f4")
    xp.sqrt(A([1, 2]), signature=("f", None))
    isinstance(xp.add, xp.ufunc)
    xp.average(A([[], [], []]), axis=0)
    xp.average(A([[], [], []]), axis=1)
    xp.choose([0.5, 1.0], [A([1, 2]), A([3, 4])])
    xp.choose([0, 1], [A([1, 2]), A([3, 4])], mode=1)
    xp.round(A([11, 25]), -1, out=A([0, 0]))
    xp.round(A([11, 25]), -1, out=A([0.0, 0]))
    xp.round(A([11, 25]), -1)
    xp.full_like(A([[1, 2]]), 3, order="X", shape=(2, 2))
    xp.zeros_like(A([[1, 2]]), order="f", shape=(2, 2)).flags.f_contiguous
    xp.ones_like(A([[1, 2]]), order=1, shape=(2, 2))
    xp.take(A([1, 2, 3]), [5], mode=0)
    xp.take(A([1, 2, 3]), [5], mode=1)
    xp.take(A([1, 2, 3]), [5], mode=2)
    xp.take(A([1, 2, 3]), [1], mode=3)
    xp.union1d(0, A([1, 2], "H"))
    xp.union1d(A([[1, 2]], "H"), [3])
    xp.concatenate((0, A([1, 2], "H")), axis=None)
    xp.concatenate((0.5, A([1, 2], "H")), axis=None)
    xp.ravel_multi_index((A([0, 1]), [1, 0]), (2, 3), order=None)
    xp.ravel_multi_index((A([0, 1]), [1, 0]), (2, 3), order="f")
    xp.unravel_index(A([3]), (2, 3), order="K")
    xp.cov(A([[], [], []], "f8").T, dtype="u2")
    xp.may_share_memory(A([1]), A([1]), max_work=None)
    A([1, 2, 3]).fill([1])
    A([1.5, 2]).fill(A([1.0]))
    A([1.5, 2]).fill("2.5")
    A([1, 2, 3]).item(True)
    A([1, 2, 3]).item("x")
    A([[1, 2], [3, 4]]).item(1, 0)
    A([1.0, 2, 3]).view(np.ndarray)
    S(A([1.0, 2, 3]), A([True, False, True]), 1j)
    S(A([1, 2, 3]), [0, 1], 1j)
    xp.put(A([1, 2, 3]), [0, 1], 1j)
    xp.digitize(A([1j]), [0, 2, 1])
    xp.pad(A(4), -1)
    xp.add(A([1, 2]), 1, order="x")
    xp.add(A([1, 2]), 1, order=1)
    xp.add(A([[1, 2]]), 1, order="f").flags.f_contiguous
    xp.add(A([1, 2]), 1, order=None)
    xp.add(A([1, 2]), 1, casting="x")
    xp.add(A([1, 2]), 1, casting=None)
    xp.add(A([1.5, 2]), 1, out=A([1, 2, 3]))
    xp.transpose(A([[1, 2]]), "x")
""",
    exact=False,
)
