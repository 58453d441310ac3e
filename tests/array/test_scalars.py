"""Results that NumPy returns as scalars: marked, immutable, and usable wherever a number is required."""

import collections.abc
import copy
import math
import operator
import pickle
import warnings

import numpy as np
import pytest
from records import ALL, assert_same, outcome

import gpunp

OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")


def values(char="d"):
    return np.array([1, 2, 3]).astype(char)


def scalar_of(number, char="d"):
    """Return a value as a host scalar and as a device scalar."""
    host = np.array([number]).astype(char)
    return host[0], gpunp.asarray(host)[0]


# Expressions of a 1-D array x and a 0-D array z whose results are scalars or arrays in NumPy.
RESULTS = (
    lambda xp, x, z: x[1],
    lambda xp, x, z: x[-1:][0],
    lambda xp, x, z: x[1, ...],
    lambda xp, x, z: x[np.int8(1)],
    lambda xp, x, z: list(x),
    lambda xp, x, z: list(x.reshape(1, 3)),
    lambda xp, x, z: x.flat[1],
    lambda xp, x, z: list(x.flat),
    lambda xp, x, z: z[()],
    lambda xp, x, z: z[...],
    lambda xp, x, z: z + z,
    lambda xp, x, z: z * 2,
    lambda xp, x, z: -z,
    lambda xp, x, z: z == z,
    lambda xp, x, z: np.add(z, z, out=xp.zeros(())),
    lambda xp, x, z: divmod(z, 2),
    lambda xp, x, z: np.modf(z),
    lambda xp, x, z: x.sum(),
    lambda xp, x, z: x.max(),
    lambda xp, x, z: x.argmax(),
    lambda xp, x, z: x.mean(),
    lambda xp, x, z: x.std(),
    lambda xp, x, z: x.all(),
    lambda xp, x, z: np.sum(x, keepdims=True),
    lambda xp, x, z: np.sum(z, keepdims=True),
    lambda xp, x, z: np.sum(x, out=xp.zeros(())),
    lambda xp, x, z: np.add.reduce(x),
    lambda xp, x, z: np.median(x),
    lambda xp, x, z: np.quantile(x, 0.5),
    lambda xp, x, z: np.ptp(x),
    lambda xp, x, z: x.dot(x),
    lambda xp, x, z: x @ x,
    lambda xp, x, z: np.vdot(x, x),
    lambda xp, x, z: np.inner(x, x),
    lambda xp, x, z: np.tensordot(x, x, 1),
    lambda xp, x, z: np.einsum("i,i", x, x),
    lambda xp, x, z: np.einsum("i->", x),
    lambda xp, x, z: np.trace(x[:, None]),
    lambda xp, x, z: np.linalg.norm(x),
    lambda xp, x, z: np.linalg.det(np.outer(x, x) + np.eye(3, like=x)),
    lambda xp, x, z: np.cov(x),
    lambda xp, x, z: np.corrcoef(x),
    lambda xp, x, z: np.where(z > 0, z, z),
    lambda xp, x, z: np.squeeze(x[:1]),
    lambda xp, x, z: x[:1].reshape(()),
    lambda xp, x, z: np.copy(z),
    lambda xp, x, z: z.copy(),
    lambda xp, x, z: z.astype("f4"),
    lambda xp, x, z: np.real(z),
    lambda xp, x, z: np.round(z),
    lambda xp, x, z: np.clip(z, 0, 1),
    lambda xp, x, z: np.take(x, 1),
    lambda xp, x, z: np.interp(z, x, x),
    lambda xp, x, z: np.searchsorted(x, 2),
    lambda xp, x, z: np.trapezoid(x),
    lambda xp, x, z: np.polyval(x, z),
    lambda xp, x, z: np.zeros_like(z),
    lambda xp, x, z: xp.zeros(()),
    lambda xp, x, z: xp.asarray(3.0),
)


@pytest.mark.parametrize("number", range(len(RESULTS)))
def test_results_are_marked_as_in_numpy(number):
    call = RESULTS[number]
    x, z = values(), np.array(2.5)
    expected = call(np, x, z)
    assert_same(call(gpunp, gpunp.asarray(x), gpunp.asarray(z)), expected, exact=False)


# Methods and functions of a scalar.
OF_SCALARS = (
    lambda xp, s: s.reshape(()),
    lambda xp, s: s.reshape(1),
    lambda xp, s: s.T,
    lambda xp, s: s.squeeze(),
    lambda xp, s: s.ravel(),
    lambda xp, s: s.flatten(),
    lambda xp, s: s.copy(),
    lambda xp, s: s.astype("f4"),
    lambda xp, s: s.real,
    lambda xp, s: s.imag,
    lambda xp, s: s.view(),
    lambda xp, s: s.view("i8"),
    lambda xp, s: s[()],
    lambda xp, s: s[...],
    lambda xp, s: s[None],
    lambda xp, s: s.conj(),
    lambda xp, s: s.max(),
    lambda xp, s: s.cumsum(),
    lambda xp, s: s.take(0),
    lambda xp, s: s.repeat(2),
    lambda xp, s: np.transpose(s),
    lambda xp, s: np.squeeze(s),
    lambda xp, s: np.reshape(s, ()),
    lambda xp, s: np.ravel(s),
    lambda xp, s: np.real(s),
    lambda xp, s: np.copy(s),
    lambda xp, s: xp.asarray(s),
    lambda xp, s: xp.array(s),
    lambda xp, s: np.atleast_1d(s),
    lambda xp, s: np.broadcast_to(s, ()),
    lambda xp, s: np.broadcast_to(s, (2,)),
    lambda xp, s: np.zeros_like(s),
    lambda xp, s: np.full_like(s, 3),
    lambda xp, s: np.sum(s),
    lambda xp, s: np.cumsum(s),
    lambda xp, s: np.where(s > 0, s, s),
    lambda xp, s: s + [1, 2],  # noqa: RUF005
    lambda xp, s: s == "a",
    lambda xp, s: pickle.loads(pickle.dumps(s)),
    lambda xp, s: copy.copy(s),
    lambda xp, s: copy.deepcopy(s),
)


@pytest.mark.parametrize("number", range(len(OF_SCALARS)))
def test_what_scalars_give(number):
    call = OF_SCALARS[number]
    host, ours = scalar_of(2.5)
    result = call(gpunp, ours)
    assert_same(result, call(np, host))
    if not result._is_scalar and result.flags.writeable:
        result[...] = 7
    assert ours.item() == 2.5


def test_values_kept_in_a_loop():
    x = gpunp.asarray(values())
    total, kept = x.sum(), []
    for v in x:
        total += v
        kept.append(total)
    assert [float(v) for v in kept] == [7, 9, 12]


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize("name", OPERATORS)
def test_in_place_operators_make_new_values(name, char):
    run = getattr(operator, f"i{name}")

    for other in (2, 2.5, values("i"), np.float32(2)):
        host, ours = scalar_of(3, char)
        expected, error = outcome(lambda: run(host, other))  # noqa: B023
        actual, raised = outcome(lambda: run(ours, other))  # noqa: B023
        assert ours.item() == host.item()
        if error is not None:
            assert isinstance(raised, type(error))
        elif raised is not None:
            raise raised
        else:
            assert_same(actual, expected, exact=False)


def test_writing_is_refused():
    s = gpunp.asarray(values()).sum()
    for write in (
        lambda: np.add(1, gpunp.asarray(2), out=s),
        lambda: np.sum(gpunp.asarray(values()), out=s),
        lambda: np.copyto(s, gpunp.asarray(1.0)),
        lambda: np.take(gpunp.asarray(values()), 1, out=s),
        lambda: np.take(s, 0, out=s),
        lambda: np.choose(gpunp.asarray(0), [gpunp.asarray(1.0)], out=s),
        lambda: np.mean(gpunp.asarray(values()), out=s),
    ):
        with pytest.raises(TypeError, match=r"immutable|ArrayType"):
            write()
    for name, value in (("shape", (1,)), ("real", 1), ("imag", 1)):
        with pytest.raises(AttributeError):
            setattr(s, name, value)
    with pytest.raises(ValueError, match="WRITEABLE"):
        s.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        s.fill(3)
    with pytest.raises(IndexError):
        s[0]
    for ask in (len, iter, lambda s: 6 in s):
        with pytest.raises(TypeError):
            ask(s)
    assert s.item() == 6


@pytest.mark.parametrize("key", [(), ..., None, True, "mask"])
def test_item_assignment_is_for_the_object_alone(key):
    # Code written for the array API standard assigns to results without dimensions.
    s = gpunp.asarray(values()).sum()
    shared, kept = s.T, s.copy()
    assert float(s) == float(shared) == 6
    s[gpunp.asarray(True) if key == "mask" else key] = 2
    assert s._is_scalar
    assert [float(v) for v in (s, shared, kept)] == [2, 6, 6]


def waits(device):
    return device.transfer_counts[2]


# Expressions that require a number: float scalar s = 3.0, integer scalar i = 3, host array h.
NUMBERS = (
    lambda s, i, h: np.array([s, 1.5]),
    lambda s, i, h: np.array([s], dtype="f4"),
    lambda s, i, h: np.array([[s, 1], [2, 3]]),
    lambda s, i, h: h.__setitem__(1, s) or h,
    lambda s, i, h: h.__setitem__(slice(1, None), s) or h,
    lambda s, i, h: h.__setitem__([0, 2], s) or h,
    lambda s, i, h: h.__setitem__(i, 5) or h,
    lambda s, i, h: np.full(3, s),
    lambda s, i, h: np.full(3, s, dtype="f4"),
    lambda s, i, h: np.full((i, 2), 1),
    lambda s, i, h: np.zeros(i),
    lambda s, i, h: np.float32(s),
    lambda s, i, h: np.asarray(s),
    lambda s, i, h: np.asarray(s, dtype="f4"),
    lambda s, i, h: [0] * i,
    lambda s, i, h: i * [0, 1],
    lambda s, i, h: (1, 2) * i,
    lambda s, i, h: i * "ab",
    lambda s, i, h: b"ab" * i,
    lambda s, i, h: bytearray(b"ab") * i,
    lambda s, i, h: h[i],
    lambda s, i, h: h[:i],
    lambda s, i, h: list(range(i)),
    lambda s, i, h: np.eye(i),
    lambda s, i, h: np.linspace(0, 1, i),
    lambda s, i, h: np.array_equal([s], [3.0]),
    lambda s, i, h: np.mean([s, 5]),
    lambda s, i, h: np.testing.assert_allclose(s, 3.0),
    lambda s, i, h: math.sqrt(s),
    lambda s, i, h: math.floor(s),
    lambda s, i, h: "%g and %d" % (s, i),  # noqa: UP031
    lambda s, i, h: f"{s} {s:.3f} {i:5d}",
    lambda s, i, h: str(s),
    lambda s, i, h: round(s),
    lambda s, i, h: sorted([5.0, s], key=float)[0].item(),
    lambda s, i, h: s.is_integer(),
    lambda s, i, h: s.as_integer_ratio(),
    lambda s, i, h: s.hex(),
    lambda s, i, h: i.bit_count(),
    lambda s, i, h: i.denominator,
    lambda s, i, h: complex(s),
    lambda s, i, h: bytes(i),
    lambda s, i, h: bytes(s),
    lambda s, i, h: {s: 1, 4: 2}[3],
    lambda s, i, h: {1, 2, 3} - {3.0} == {1, 2, s} - {s},
    lambda s, i, h: h.__iadd__(s),
    lambda s, i, h: h.__ipow__(i),
    lambda s, i, h: np.add(h, s, out=h),
    lambda s, i, h: np.multiply(s, i, out=np.zeros(())),
    lambda s, i, h: np.add.at(h, [0, 0], s) or h,
    lambda s, i, h: np.copyto(h, s) or h,
    lambda s, i, h: np.put(h, i, s) or h,
    lambda s, i, h: np.place(h, h > 1, [s]) or h,
    lambda s, i, h: np.place(h, h > 1, s) or h,
    lambda s, i, h: np.putmask(h, h > 1, s) or h,
    lambda s, i, h: np.fill_diagonal(h[:, None], s) or h,
    lambda s, i, h: h.fill(s) or h,
    lambda s, i, h: np.random.default_rng(0).normal(s, s, 3),
    lambda s, i, h: np.repeat(h, i),
    lambda s, i, h: np.roll(h, i),
    lambda s, i, h: h.take(i),
    lambda s, i, h: h.reshape(i - 1, -1),
    lambda s, i, h: h.sum(axis=i - 3),
)


@pytest.mark.parametrize("number", range(len(NUMBERS)))
def test_a_number_where_one_is_asked_for(number, device):
    call = NUMBERS[number]
    expected = call(*scalar_of(3)[:1], scalar_of(3, "l")[0], np.arange(4.0))
    s, i = scalar_of(3)[1], scalar_of(3, "l")[1]
    before = waits(device)
    actual = call(s, i, np.arange(4.0))
    # Each of the two scalars, or a number computed from it, is fetched at most once.
    assert waits(device) - before <= 2
    assert type(actual) is type(expected)
    np.testing.assert_array_equal(actual, expected)
    assert getattr(actual, "dtype", None) == getattr(expected, "dtype", None)


def test_the_value_is_fetched_once(device):
    s = gpunp.asarray(values()).sum()
    before = waits(device)
    assert (float(s), int(s), s.item(), np.float64(s), hash(s)) == (6, 6, 6, 6, hash(6))
    assert waits(device) == before + 1


def test_sequences_of_scalars_stay_on_the_device(device):
    x = gpunp.asarray(values())
    parts = [x.mean(), x.max()]
    before = waits(device)
    made = [gpunp.asarray(parts), gpunp.asarray([1.0, x.max()]), np.stack(parts)]
    x[:2] = parts
    x[:2] = [1.0, parts[1]]
    assert waits(device) == before
    np.testing.assert_array_equal([m.get() for m in made], [[2, 3], [1, 3], [2, 3]])


def test_sequences_are_not_repeated_by_what_is_no_integer():
    for char in "?dD":
        with pytest.raises(TypeError, match="can't multiply sequence"):
            [0] * scalar_of(1, char)[1]
    count = scalar_of(2, "b")[1]
    repeated = [0]
    repeated *= count
    count *= [1, 2]
    assert repeated == [0, 0]
    assert count == [1, 2, 1, 2]
    np.testing.assert_array_equal((gpunp.asarray(2) * [1, 2]).get(), [2, 4])


def test_only_scalars_are_hashable():
    x = gpunp.asarray(values())
    assert hash(x[0]) == hash(1.0)
    assert len(set(gpunp.asarray([1, 2, 1, 1]))) == 2
    for array in (x, gpunp.zeros(())):
        assert not isinstance(array, collections.abc.Hashable)
        with pytest.raises(TypeError, match="unhashable"):
            hash(array)


def test_complex_numbers_warn_as_in_numpy():
    for call in (float, int):
        with pytest.warns(np.exceptions.ComplexWarning):
            assert call(scalar_of(1 + 2j, "D")[1]) == 1


def test_copy_argument_of_the_protocol():
    s = scalar_of(3)[1]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(s, copy=False)
    assert gpunp.asarray(s, copy=False) is s
    made = gpunp.asarray(s)
    made += 1
    assert (s.item(), made.item()) == (3, 4)


def test_a_library_gets_memory_of_its_own():
    s = scalar_of(3)[1]
    other = gpunp.from_dlpack(s.__dlpack__())
    other += 1
    assert (s.item(), other.item()) == (3, 4)
    shared = gpunp.from_dlpack(s.__dlpack__(max_version=(1, 0), copy=False))
    assert not shared.flags.writeable


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize("value", [0.5, 2, True, -1, 1j, np.float64(0.5), np.int8(1)])
def test_one_element_is_changed_as_in_numpy(char, value):
    def run(a):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            a[1] += value
        return a, [w.category for w in caught if w.category is np.exceptions.ComplexWarning]

    host, ours = values(char), gpunp.asarray(values(char))
    try:
        expected, warned = run(host)
    except Exception as error:
        with pytest.raises(type(error)):
            run(ours)
        return
    actual, same = run(ours)
    assert_same(actual, expected)
    assert same == warned


def test_an_objective_of_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    x = gpunp.asarray(values())
    found = optimize.minimize(lambda p: ((x - p[0]) ** 2).sum(), [0.0])
    assert abs(found.x[0] - 2) < 1e-5


def test_matplotlib_takes_scalars():
    figures = pytest.importorskip("matplotlib.figure")
    x = gpunp.asarray(values())
    line = figures.Figure().add_subplot().axhline(x.mean())
    np.testing.assert_array_equal(line.get_ydata(), [2, 2])


def test_writing_to_a_view_of_a_folded_result_leaves_it_alone():
    for ufunc in (np.subtract, np.divide, np.floor_divide):
        result = ufunc.reduce(gpunp.asarray([8.0, 2.0]))
        view = result.reshape((1,))
        before = float(result)
        view[:] = -1
        assert float(result) == before
