"""Groups as one kernel: the bits that single kernels give, for all loops, dtypes and layouts."""

import numpy as np
import pytest
from gpunp.fusion.steps import Steps
from groups import cast, check_bits, loop, named, prepare, table_loops
from values import special_values
from waiting import PATIENCE

import gpunp
from gpunp.dtype_codes import CHARS
from gpunp.fusion import generated, worker
from gpunp.ufunc.table.row import LONG

leaf, constant = Steps.leaf, Steps.constant
# Steps of a group with three leaves whose values are all stored.
MANY = 20


def chunks(found):
    return [found[i : i + MANY] for i in range(0, len(found), MANY)]


def groups_of_loops():
    """Lists of loops with the same dtype of the last input; the special functions, which are long, apart."""
    found = []
    for char in CHARS:
        loops = [(row, typed) for row, typed in table_loops() if typed.inputs[-1] == char]
        for special in (False, True):
            found += chunks([each for each in loops if each[0].family.startswith("special") == special])
    return found


def label(group):
    return f"{group[0][0].name}_{group[0][1].inputs}"


def pairs(char, step=1):
    """Three arrays with all pairs of special values, or of some of them."""
    values = special_values(char)[::step]
    first, second = (part.ravel() for part in np.meshgrid(values, values))
    return [gpunp.asarray(part) for part in (first, second, np.roll(first, 5))]


@pytest.mark.parametrize("group", groups_of_loops(), ids=label)
def test_every_loop(group):
    # Searches and mixtures of long functions take up to milliseconds per element.
    leaves = pairs(group[0][1].inputs[-1], 4 if any(row.family in LONG for row, _ in group) else 1)
    steps, stores = [], []
    for number, (row, typed) in enumerate(group):
        steps.append((loop(row, typed), [leaf(k) for k in range(len(typed.inputs))], typed.outputs))
        stores.append((number, gpunp.empty(leaves[0].shape, typed.outputs)))
    check_bits(steps, leaves, stores)


# The dtypes that three operands of one dtype are converted from.
SOURCES = {
    "?": "bid",
    "b": "?hq",
    "B": "?HQ",
    "h": "?bq",
    "H": "?BQ",
    "i": "?bq",
    "I": "?BQ",
    "q": "?hi",
    "Q": "?HI",
    "e": "fdb",
    "f": "ed?",
    "d": "fei",
    "F": "D?e",
    "D": "Fib",
}


def groups_of_short_loops():
    return [group for group in groups_of_loops() if not any(row.family in LONG for row, _ in group)]


@pytest.mark.parametrize("group", groups_of_short_loops(), ids=label)
def test_every_loop_between_others(device, rng, group):
    """Operands are converted in the kernel, and another operation takes the result's absolute value."""
    char = group[0][1].inputs[-1]
    if device.is_cpu and char not in "efF":
        pytest.skip("integers and wider floats take other instructions on GPUs only")
    sources = SOURCES[char]
    leaves = [gpunp.asarray(rng.choice(special_values(source), 4096)) for source in sources]
    steps, stores = [(cast(source, char), [leaf(k)], char) for k, source in enumerate(sources)], []
    for row, typed in group:
        if set(typed.inputs) != {char}:
            continue
        steps.append((loop(row, typed), list(range(len(typed.inputs))), typed.outputs))
        if typed.outputs in "efdbhiq":
            steps.append((named("absolute", typed.outputs), [len(steps) - 1], typed.outputs))
        stores.append((len(steps) - 1, gpunp.empty(leaves[0].shape, typed.outputs)))
    if stores:
        check_bits(steps, leaves, stores)


def nans(dtype):
    """NaNs of both signs among other values."""
    values = special_values(dtype)
    return gpunp.asarray(np.concatenate([values, -values, values[:3] * np.nan, -values[:3] * np.nan]))


@pytest.mark.parametrize("char", ["e", "f", "d", "F", "D"])
def test_signs_of_nans(char):
    # In one expression, compilers would make -(a * b) of (-a) * b, and a + b of a - (-b).
    x = nans(char)
    y = gpunp.asarray(np.roll(x.get(), 3))
    names = ["negative", "conjugate"] + (["absolute", "fabs"] if char in "efd" else [])
    steps = [(named(name, char), [leaf(0)], char) for name in names]
    steps += [(named("negative", char), [number], char) for number in range(len(names))]
    check_bits(steps, [x], [(n, gpunp.empty_like(x)) for n in range(len(steps))], exact=True)
    signed = len(steps)
    steps += [(named("multiply", char * 2), [number, leaf(1)], char) for number in range(len(names))]
    steps += [(named("subtract", char * 2), [leaf(1), number], char) for number in range(len(names))]
    check_bits(steps, [x, y], [(n, gpunp.empty_like(x)) for n in range(signed, len(steps))])


@pytest.mark.parametrize("char", CHARS)
def test_conversions(char):
    # To every dtype and back: by the loops of casts, and where an operand or a store has another dtype.
    copy = named("copy", char)
    x = gpunp.asarray(special_values(char))
    steps, stores = [], []
    for other in CHARS:
        if other == char:
            continue
        steps.append((cast(char, other), [leaf(0)], other))
        steps.append((copy, [len(steps) - 1], char))
        stores.append((len(steps) - 1, gpunp.empty(x.shape, char)))
    check_bits(steps, [x], stores)
    check_bits([(copy, [leaf(0)], char)], [x], [(0, gpunp.empty(x.shape, other)) for other in CHARS])
    check_bits(
        [(copy, [leaf(0)], other) for other in CHARS],
        [x],
        [(n, gpunp.empty(x.shape, char)) for n in range(14)],
    )


def test_halves_are_rounded_by_every_operation(rng):
    x, y = (gpunp.asarray(rng.uniform(0.5, 2, 4096).astype("f2")) for _ in range(2))
    steps = [
        (named("multiply", "ee"), [leaf(0), leaf(1)], "e"),
        (named("add", "ee"), [0, leaf(0)], "e"),
        (named("divide", "ee"), [1, constant(0)], "e"),
    ]
    out = gpunp.empty_like(x)
    check_bits(steps, [x, y], [(2, out)], [np.float16(3)])
    wide = (x.get().astype("f4") * y.get() + x.get()) / 3
    assert (wide.astype("f2") != out.get()).any()


def test_products_are_not_contracted(rng):
    x, y, z = (gpunp.asarray(rng.normal(size=4096)) for _ in range(3))
    steps = [(named("multiply", "dd"), [leaf(0), leaf(1)], "d"), (named("add", "dd"), [0, leaf(2)], "d")]
    check_bits(steps, [x, y, z], [(1, gpunp.empty_like(x))])


@pytest.mark.parametrize("kept", [True, False])
def test_masks(rng, kept):
    x, y = (gpunp.asarray(rng.normal(size=(30, 17)).astype("f4")) for _ in range(2))
    mask = gpunp.asarray(rng.random(17) < 0.5)
    steps = [
        (named("less", "ff"), [leaf(0), leaf(1)], "?"),
        (named("sqrt", "f"), [leaf(0), leaf(2), leaf(1) if kept else None], "f"),
        (named("add", "ff"), [1, constant(0), 0, 1], "f"),
        (named("select", "?ff"), [leaf(2), 2, leaf(0)], "f"),
    ]
    check_bits(steps, [x, y, mask], [(2, gpunp.empty_like(x)), (3, gpunp.empty_like(x))], [np.float32(2)])


@pytest.mark.parametrize("char", CHARS)
def test_constants(char):
    x = gpunp.asarray(special_values(char))
    value = special_values(char)[-1]
    steps = [
        (named("copy", char), [constant(0)], char),
        (named("equal", char * 2), [leaf(0), constant(0)], "?"),
    ]
    check_bits(steps, [x], [(0, gpunp.empty_like(x)), (1, gpunp.empty(x.shape, "?"))], [value])


def test_in_place(rng):
    x, y = (gpunp.asarray(rng.normal(size=(64, 40))) for _ in range(2))
    before, other = x.get(), y.get()
    steps = [
        (named("subtract", "dd"), [leaf(0), leaf(1)], "d"),
        (named("multiply", "dd"), [0, leaf(0)], "d"),
    ]
    group = Steps(steps, [x, y], [(1, x), (0, y)])
    prepare(Steps(steps, [x.copy(), y.copy()], [(1, x.copy()), (0, y.copy())]))
    assert group.launch()
    np.testing.assert_array_equal(x.get(), (before - other) * before)
    np.testing.assert_array_equal(y.get(), before - other)


# Views by the array that they are made of: of its first row, every second column, and so on.
LAYOUTS = {
    "row": lambda a: gpunp.asarray(a)[:1],
    "column": lambda a: gpunp.asarray(a)[:, :1],
    "step": lambda a: gpunp.asarray(np.repeat(a, 2, 1))[:, ::2],
    "back": lambda a: gpunp.asarray(a)[::-1, ::-1],
    "transposed": lambda a: gpunp.asarray(a.T.copy()).T,
    "shifted": lambda a: gpunp.asarray(np.concatenate([a[:, :1], a], 1))[:, 1:],
    "whole": gpunp.asarray,
}


@pytest.mark.parametrize("shape", [(24, 36), (5, 7)])
@pytest.mark.parametrize("target", ["whole", "transposed", "step", "back"])
def test_layouts(rng, target, shape):
    values = rng.normal(size=shape)
    leaves = [make(values.astype(char)) for make, char in zip(LAYOUTS.values(), "dfdidfe", strict=True)]
    steps = [(named("add", "dd"), [leaf(0), leaf(1)], "d")]
    loops = [named(name, "dd") for name in ("subtract", "multiply")]
    steps += [(loops[k % 2], [k - 2, leaf(k)], "d") for k in range(2, len(leaves))]
    check_bits(steps, leaves, [(step, LAYOUTS[target](values)) for step in (len(steps) - 1, 2)])


def test_many_axes(rng):
    values = rng.normal(size=(3,) * 9)
    x = gpunp.asarray(values)[::2, :, ::2, :, ::2, :, ::2, :, ::2]
    out = gpunp.empty(x.shape)
    group = Steps([(named("negative", "d"), [leaf(0)], "d")], [x], [(0, out)])
    for _ in range(4):
        # More axes than kernels are made for.
        assert not group.launch()
        assert worker.wait(PATIENCE)
    assert generated.entries() == []


def test_no_elements():
    x = gpunp.empty((0, 3))
    assert Steps([(named("negative", "d"), [leaf(0)], "d")], [x], [(0, gpunp.empty_like(x))]).launch()
    assert generated.entries() == []


def test_sizes_and_values_share_a_kernel(rng, own_cache):
    steps = [(named("multiply", "dd"), [leaf(0), constant(0)], "d"), (named("add", "dd"), [0, leaf(1)], "d")]
    launched = []
    for number, shape in enumerate([100, 200, 100, (10, 30), (7, 11, 13)]):
        x, y = (gpunp.asarray(rng.normal(size=shape)) for _ in range(2))
        out = gpunp.empty(shape)
        launched.append(Steps(steps, [x, y], [(1, out)], [np.float64(number)]).launch())
        assert worker.wait(PATIENCE)
        if launched[-1]:
            np.testing.assert_array_equal(out.get(), x.get() * number + y.get())
    assert launched == [False, False, True, True, True]
    assert len(generated.entries()) == 1


def test_kernels_differ_by_dtype_wiring_and_layout(rng):
    add, subtract = named("add", "dd"), named("subtract", "dd")
    x, y = (gpunp.asarray(rng.normal(size=(8, 8))) for _ in range(2))
    out = gpunp.empty((8, 8))
    groups = [
        ([(add, [leaf(0), leaf(1)], "d")], [x, y]),
        ([(subtract, [leaf(0), leaf(1)], "d")], [x, y]),
        ([(subtract, [leaf(1), leaf(0)], "d")], [x, y]),
        ([(add, [leaf(0), leaf(1)], "f")], [x, y]),
        ([(add, [leaf(0), leaf(1)], "d")], [x, y.astype("f4")]),
        ([(add, [leaf(0), leaf(1)], "d")], [x, y[:1]]),
        ([(add, [leaf(0), leaf(1)], "d")], [x, y.T]),
        ([(add, [leaf(0), leaf(1), leaf(2)], "d")], [x, y, x > 0]),
    ]
    for steps, leaves in groups:
        Steps(
            [(loop, [*origins, None] if len(origins) == 3 else origins, to) for loop, origins, to in steps],
            leaves,
            [(0, out)],
        ).launch()
    assert len(generated.entries()) == len(groups)
