import numpy as np
import pytest
from calls import call_test
from records import Record, assert_same, record_test

import gpunp

SLIDE = "lib.stride_tricks.sliding_window_view"
RECORDS = (
    Record(SLIDE, lambda f, a: f(a, 2), shapes=((5,), (1,), ())),
    Record(SLIDE, lambda f, a: f(a, (2, 3)), shapes=((3, 4), (5,))),
    Record(SLIDE, lambda f, a: f(a, 2, axis=-1), shapes=((5,), (3, 4), (2, 3, 4))),
    Record(SLIDE, lambda f, a: f(a, (2, 1), axis=(0, 0)), shapes=((5,), (3, 4))),
    Record(SLIDE, lambda f, a: f(a, 3, writeable=True), shapes=((5,),)),
    Record(SLIDE, lambda f, a: f(a, -1), raises=True),
    Record(SLIDE, lambda f, a: f(a, 99, axis=0), raises=True),
    Record(SLIDE, lambda f, a: f(a, (1, 2), axis=0), raises=True),
)
COVERS = ("lib.stride_tricks.as_strided",)
test_records = record_test(RECORDS)
tricks = gpunp.lib.stride_tricks


def test_windows_are_read_only():
    view = tricks.sliding_window_view(gpunp.arange(5), 2)
    assert not view.flags.writeable
    assert tricks.sliding_window_view(gpunp.arange(5), 2, writeable=True).flags.writeable


def test_as_strided():
    host = np.arange(12.0)
    a = gpunp.asarray(host)
    for shape, strides in (((3, 2), (8, 16)), ((4, 3), (24, 8)), ((5,), (0,)), ((), ())):
        assert_same(
            tricks.as_strided(a, shape, strides), np.lib.stride_tricks.as_strided(host, shape, strides)
        )
    backwards = tricks.as_strided(a[11:], (12,), (-8,))
    assert_same(backwards, host[::-1])
    assert tricks.as_strided(a, (2,)).strides == (8,)
    view = tricks.as_strided(a, (3,), (8,), writeable=False)
    assert not view.flags.writeable
    view = tricks.as_strided(a, (3,), (8,))
    view[0] = 5
    assert a[0].item() == 5


def test_as_strided_stays_inside():
    a = gpunp.arange(6)
    for shape, strides in (((7,), (8,)), ((2,), (-8,)), ((2, 6), (8, 8))):
        with pytest.raises(ValueError, match="out of bounds"):
            tricks.as_strided(a, shape, strides)
    assert tricks.as_strided(a, (7,), (8,), check_bounds=False).shape == (7,)
    with pytest.raises(ValueError, match="different lengths"):
        tricks.as_strided(a, (2, 3), (8,))


def test_broadcasting_is_there_too():
    assert tricks.broadcast_to(gpunp.arange(3), (2, 3)).shape == (2, 3)
    assert tricks.broadcast_arrays(gpunp.arange(3), 1)[1].shape == (3,)


test_shapes_without_strides = call_test(
    """
    xp.lib.stride_tricks.as_strided(A([[1, 2, 3], [4, 5, 6]]), (3,))
    xp.lib.stride_tricks.as_strided(A([[1, 2, 3], [4, 5, 6]]), (2, 2))
    xp.lib.stride_tricks.as_strided(A([1, 2, 3, 4]), (2, 1, 2))
    xp.lib.stride_tricks.as_strided(A([[1, 2, 3], [4, 5, 6]]).T, (2, 2))
    xp.lib.stride_tricks.as_strided(A([[1, 2, 3], [4, 5, 6]]).T, (2,))
    xp.lib.stride_tricks.as_strided(A(7), (1,))
    xp.lib.stride_tricks.as_strided(A([1, 2]), (0, 3))
    """,
    own=True,
)
