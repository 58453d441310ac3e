"""Writes and selections of few elements by masks and indices: as NumPy's, whichever way a call takes."""

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

FLOATS = np.array([0.5, 2.0, -1.5, 2.0, 0.0, 8.0, 3.25, -0.0])
WHOLE = np.array([3, 0, 1, 3, 2, 0, 1, 5])
FLAGS = WHOLE > 1
NONE = np.zeros(8, bool)
MATRIX = np.arange(8.0).reshape(2, 4)
VALUES = [
    1.5,
    7,
    True,
    300,
    2**70,
    1j,
    None,
    "text",
    [1.0, 2.0],
    [1, 2],
    (4,),
    [],
    np.float64(2.5),
    np.float32(2.5),
    FLOATS[::-1].copy(),
    FLOATS[:3].copy(),
    FLOATS[:0].copy(),
    WHOLE,
    MATRIX,
    FLAGS,
    np.array(2.5),
]
TARGETS = [
    FLOATS,
    WHOLE,
    FLOATS.astype("f4"),
    FLOATS.astype("D"),
    WHOLE.astype("u1"),
    FLAGS,
    MATRIX,
    MATRIX.T,
]
MASKS = [
    FLAGS,
    NONE,
    ~NONE,
    FLAGS[:3],
    FLAGS.reshape(2, 4),
    FLAGS.reshape(2, 4).T,
    np.repeat(FLAGS, 2)[::2],
    WHOLE,
    list(FLAGS),
    True,
]
INDICES = [
    WHOLE,
    WHOLE[:3],
    -WHOLE,
    WHOLE + 3,
    WHOLE[:0],
    [0, 2],
    3,
    WHOLE.reshape(2, 4),
    WHOLE.astype("i4"),
    FLAGS,
    FLOATS,
]
# NumPy's functions along an axis take no lists, which gpunp accepts.
ARRAYS = [indices for indices in INDICES if isinstance(indices, np.ndarray)]


def placed(value):
    return gpunp.asarray(value) if isinstance(value, np.ndarray) else value


def check_write(write, target):
    """Compare what a function writes with NumPy's, twice: the first call takes the way of the protocol."""
    host = target.copy()
    _, error = outcome(lambda: write(host, lambda value: value))
    for _ in range(2):
        array = gpunp.asarray(target.copy(order="K"))

        def run(array=array):
            write(array, placed)
            array.device.synchronize()

        _, raised = outcome(run)
        assert (raised is None) == (error is None), (raised, error)
        if error is None:
            assert_same(array, host)


def numbered(values):
    return pytest.mark.parametrize("number", range(len(values)))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@numbered(VALUES)
@pytest.mark.parametrize("name", ["putmask", "place", "copyto"])
def test_masks(name, number):
    value = VALUES[number]
    for target in TARGETS:
        for mask in MASKS:
            if name == "copyto":
                check_write(lambda a, to, mask=mask: np.copyto(a, to(value), where=to(mask)), target)
            else:
                check_write(lambda a, to, mask=mask: getattr(np, name)(a, to(mask), to(value)), target)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@numbered(VALUES)
@pytest.mark.parametrize("name", ["put", "put_along_axis"])
def test_indices(name, number):
    value = VALUES[number]
    for target in TARGETS:
        for indices in INDICES if name == "put" else ARRAYS:
            for more in ((), ("wrap",)) if name == "put" else ((0,), (-1,), (None,), (1,)):
                check_write(
                    lambda a, to, indices=indices, more=more: getattr(np, name)(
                        a, to(indices), to(value), *more
                    ),
                    target,
                )


def test_writes_within_an_array():
    def write(array, _):
        np.putmask(array[1:], array[1:] > 0, array[:-1])
        np.putmask(array, array > 0, array)

    check_write(write, FLOATS)


def test_values_in_turn_within_an_array(device):
    # NumPy's result depends on its order of reads and writes.
    for _ in range(2):
        array = gpunp.asarray(FLOATS, device=device)
        np.place(array, gpunp.asarray(FLAGS, device=device), array)
        host = FLOATS.copy()
        np.place(host, FLAGS, FLOATS)
        assert_same(array, host)


def test_masks_of_themselves():
    check_write(lambda a, to: np.putmask(a, a, to(~FLAGS)), FLAGS)
    check_write(lambda a, to: np.copyto(a, to(~FLAGS), where=a), FLAGS)


@pytest.mark.parametrize("name", ["putmask", "place"])
def test_read_only_targets(name):
    target = np.broadcast_to(gpunp.asarray(1.5), 8)
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            getattr(np, name)(target, gpunp.asarray(FLAGS), 2.0)


SELECTIONS = [
    *(
        ("take_along_axis", a, i, x)
        for a in (FLOATS, MATRIX, WHOLE)
        for i in ARRAYS
        for x in (0, -1, 1, None)
    ),
    *(("compress", m, a) for a in TARGETS for m in MASKS),
    *(("compress", m, a, 0) for a in TARGETS for m in MASKS),
    *(("extract", m, a) for a in TARGETS for m in MASKS),
]


@pytest.mark.parametrize("name", ["take_along_axis", "compress", "extract"])
def test_selections(name):
    for found, *arguments in SELECTIONS:
        if found != name:
            continue
        expected, error = outcome(lambda arguments=arguments: getattr(np, name)(*arguments))
        for _ in range(2):

            def run(arguments=arguments):
                made = getattr(np, name)(*map(placed, arguments))
                gpunp.get_device().synchronize()
                return made

            actual, raised = outcome(run)
            assert (raised is None) == (error is None), (arguments, raised, error)
            if error is None and any(isinstance(value, np.ndarray) for value in arguments):
                assert_same(actual, expected)


@pytest.mark.parametrize("kth", [0, 3, -1, 7, 8, -9, True, [1, 4], 1.5])
@pytest.mark.parametrize(
    "values", [FLOATS, WHOLE, np.array([2.0, np.nan, 1.0, np.nan, 0, 5, 6, -np.inf]), MATRIX]
)
def test_partitions(kth, values):
    expected, error = outcome(lambda: np.partition(values, kth))
    array = gpunp.asarray(values)
    for _ in range(2):
        found, raised = outcome(lambda: np.partition(array, kth))
        places, refused = outcome(lambda: np.argpartition(array, kth))
        assert (raised is None) == (refused is None) == (error is None), (raised, refused, error)
        if error is None:
            host = gpunp.asnumpy(found)
            np.testing.assert_array_equal(host[..., kth], expected[..., kth])
            np.testing.assert_array_equal(np.sort(host), np.sort(values))
            np.testing.assert_array_equal(
                np.take_along_axis(values, gpunp.asnumpy(places), -1)[..., kth], expected[..., kth]
            )
