"""Arguments as NumPy's compiled functions parse them: bools are not integers, numbers are valid masks."""

import numpy as np
import pytest
from calls import call_test, check_call

import gpunp

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

# A reduction returns a device array where NumPy returns a scalar: sequences may contain either.
test_device_values_in_sequences = call_test(
    """
    xp.histogram(A([1.0, 2, 4]), bins=[0, A(2), 5])
    xp.histogram(A([1.0, 2, 4]), bins=(0, A(2.5), 5), weights=[A(1), 2, 3])
    xp.histogram_bin_edges(A([1.0, 2, 4]), [A(0), 3])
    xp.histogram(A([1.0, 2, 4]), bins=[5, A(2), 0])
    xp.histogram2d(A([1.0, 2, 4]), A([1.0, 2, 4]), bins=[[0, A(2), 5], 2])
    xp.histogram2d(A([1.0, 2, 4]), A([1.0, 2, 4]), bins=[0, A(2), 5])
    xp.histogramdd((A([1.0, 2, 4]),), bins=[(0, A(2), 5)])
    xp.digitize(A([1.0, 2, 4]), [0, A(2), 5])
    xp.percentile(A([1.0, 2, 4]), [A(20), 50])
    xp.quantile(A([1.0, 2, 4]), (0.1, A(0.5)))
    xp.quantile(A([1.0, 2, 4]), [0.1, A(1.5)])
    xp.quantile(A([1.0, 2, 4]), 0.5, weights=[A(1.0), 2, 3], method="inverted_cdf")
    xp.average(A([1.0, 2, 4]), weights=[A(2), 1, 1])
    xp.cov(A([1.0, 2, 4]), fweights=[A(2), 1, 1], aweights=[A(2), 1, 1])
    xp.insert(A([1, 2, 4]), [A(1), 2], [A(7), 8])
    xp.delete(A([1, 2, 4]), [A(1), 2])
    xp.delete(A([1, 2, 4]), [A(1.0), 2])
    xp.unravel_index([A(3), 1], (2, 2))
    xp.unravel_index([A(5), 1], (2, 2))
    xp.ravel_multi_index(([A(1), 0], A([1, 1])), (2, 2))
    xp.choose([A(1), 0], [A([1, 2]), A([3, 4])])
    xp.ix_([A(1), 0], A([True, False]))
    xp.gradient(A([1.0, 2, 4]), [0, A(1), 3])
    xp.repeat(A([1, 2, 4]), [A(1), 0, 2])
    xp.repeat(A([1, 2, 4]), [A(1.5), 0, 2])
    xp.full_like(A([1, 2, 4]), [A(1), 0, 2])
    xp.linspace([A(0.0), 1], 5, 3)
    xp.linspace(0, (A(4), 1), 3)
    xp.geomspace([A(2.0), 1], 5, 3)
    xp.logspace(0, [A(2.0), 1], 3, base=[A(2.0), 3])
    xp.roll(A([[1, 2], [3, 4]]), (A(1), 1), axis=(0, 1))
    xp.pad(A([1, 2]), (1, A(2)))
    xp.pad(A([1, 2]), [(A(1), 2)], mode="mean", stat_length=(A(1), 2))
    xp.array_split(A([1, 2, 4]), [A(1), 2])
    xp.split(A([1, 2, 4]), (A(1),))
    xp.partition(A([4, 2, 1]), [A(1), 0, 2])
    xp.add.reduceat(A([1, 2, 4]), [A(0), 2])
    S(A([1, 2, 4]), [A(0), 2], [A(7), 8])
    xp.sum(A([1, 2, 4]), where=[A(True), False, True])
    xp.sum(A([1, 2, 4]), where=[A(2), 0, 1])
    xp.apply_over_axes(np.sum, A([[1, 2], [3, 4]]), [A(0), 1])
    xp.tensordot(A([[1, 2], [3, 4]]), A([[1, 2], [3, 5]]), axes=([A([1]).max()], [A([0]).max()]))
    xp.tensordot(A([[1, 2], [3, 4]]), A([[1, 2], [3, 5]]), axes=(A([1]).max(), A([0]).max()))
    xp.linalg.cond(A([[1.0, 2], [3, 4]]), A([1]).max())
    """,
    exact=False,
    own=True,
)


def test_device_values_in_sequences_to_write():
    for xp in (np, gpunp):
        a = xp.asarray([1, 2, 4])
        np.copyto(a, [xp.asarray(5), 6, 7])
        np.copyto(a, 0, where=[xp.asarray(2), 0, 0])
        np.add.at(a, [xp.asarray(1), 1], 10)
        assert a.tolist() == [0, 26, 7]
        assert xp.full((2, 2), [xp.asarray(5), 6]).tolist() == [[5, 6], [5, 6]]
