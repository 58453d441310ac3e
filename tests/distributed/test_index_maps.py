"""Ranges of chunks: parsed, met and covered, against sets of indices."""

import itertools

import pytest

from gpunp.distributed.array import index_maps, make_2d_index_map

RANGES = [range(start, stop, step) for start in (0, 1, 3) for stop in (4, 9, 12) for step in (1, 2, 3, 5)]


def test_common_elements():
    for one, other in itertools.product(RANGES, RANGES):
        common = index_maps.meet_axis(one, other)
        assert set(common or ()) == set(one) & set(other), (one, other)
        if common:
            ((part,),) = [index_maps.inside((common,), (one,))]
            assert list(one)[part] == list(common)


def test_cover():
    def holds(target, *pieces):
        cells = [set(itertools.product(*piece)) for piece in (target, *pieces)]
        return cells[0] <= set().union(*cells[1:])

    target = (range(6), range(4))
    parts = [
        (range(3), range(4)),
        (range(2, 6), range(4)),
        (range(3, 6), range(2)),
        (range(0, 6, 2), range(4)),
        (range(1, 6, 2), range(4)),
        (range(3, 6), range(1, 4, 2)),
    ]
    for count in range(1, 4):
        for pieces in itertools.combinations(parts, count):
            assert index_maps.is_covered(target, list(pieces)) == holds(target, *pieces), pieces


@pytest.mark.parametrize(
    ("index", "ranges"),
    [
        (slice(2), (range(2), range(5))),
        ((slice(None, None, 2), 1), (range(0, 4, 2), range(1, 2))),
        ((..., -1), (range(4), range(4, 5))),
        ((1, ...), (range(1, 2), range(5))),
        ((slice(-2, None), slice(1, 100)), (range(2, 4), range(1, 5))),
    ],
)
def test_parsed(index, ranges):
    assert index_maps.parse_index("f", (4, 5), index) == ranges


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (4, IndexError, "f: index 4 is out of bounds for an axis of length 4"),
        ((0, 0, 0), IndexError, "3 parts for 2 axes"),
        ((..., ...), IndexError, "one ellipsis only"),
        (slice(None, None, -1), ValueError, "positive steps"),
        (1.5, TypeError, "slices and integers, not float"),
    ],
)
def test_bad_indices(index, error, message):
    with pytest.raises(error, match=message):
        index_maps.parse_index("f", (4, 5), index)


def test_blocks_of_matrices():
    found = make_2d_index_map([0, 2, 4], [0, 3, 5], [[{0}, {1}], [{2}, {0, 1}]])
    assert found == {
        0: [(slice(0, 2), slice(0, 3)), (slice(2, 4), slice(3, 5))],
        1: [(slice(0, 2), slice(3, 5)), (slice(2, 4), slice(3, 5))],
        2: [(slice(2, 4), slice(0, 3))],
    }
    for arguments, message in (
        (([0], [0, 1], [[{0}]]), "i_partitions must begin with 0 and rise"),
        (([0, 1], [0, 2, 2], [[{0}, {0}]]), "j_partitions"),
        (([0, 1], [0, 2], [[{0}, {0}]]), "1 rows of 1 sets"),
    ):
        with pytest.raises(ValueError, match=message):
            make_2d_index_map(*arguments)
