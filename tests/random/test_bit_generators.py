import pickle

import numpy as np
import pytest

import gpunp
from gpunp import random

GENERATORS = (random.Philox4x32, random.XORWOW, random.MRG32k3a)


def words(bits, count):
    """Return the next 32-bit words."""
    return gpunp.asnumpy(bits.random_raw(count // 2)).view("u4").tolist()


# Known answers of Random123 (kat_vectors) for philox4x32 with 10 rounds: counter, key, result.
KNOWN_ANSWERS = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
def test_philox_has_the_published_words(counter, key, expected):
    assert tuple(words(random.Philox4x32(counter=counter, key=key), 4)) == expected


def test_philox_counts_blocks_with_carry():
    bits = random.Philox4x32(key=5, counter=2**32 - 1)
    both = words(bits, 8)
    assert both[:4] == words(random.Philox4x32(key=5, counter=2**32 - 1), 4)
    assert both[4:] == words(random.Philox4x32(key=5, counter=2**32), 4)
    assert bits.state["state"]["counter"].tolist() == [1, 1, 0, 0]


def xorwow_words(key, count):
    x, counter, made = list(key[:5]), key[5], []
    for _ in range(count):
        t = x[0] ^ (x[0] >> 2)
        x = [*x[1:], (x[4] ^ (x[4] << 4) ^ t ^ (t << 1)) % 2**32]
        counter = (counter + 362437) % 2**32
        made.append((x[4] + counter) % 2**32)
    return made


def mrg_words(key, count):
    x, y, made = list(key[:3]), list(key[3:]), []
    for _ in range(count):
        x = [*x[1:], (1403580 * x[1] - 810728 * x[0]) % 4294967087]
        y = [*y[1:], (527612 * y[2] - 1370589 * y[0]) % 4294944443]
        made.append((x[2] - y[2]) % 4294967087 or 4294967087 * (x[2] == y[2]))
    return made


@pytest.mark.parametrize(("kind", "reference"), [(random.XORWOW, xorwow_words), (random.MRG32k3a, mrg_words)])
def test_recurrences_match_their_definition(kind, reference):
    bits = kind(3)
    expected = reference(bits.state["state"]["key"].tolist(), 6000)
    assert words(bits, 2004) == expected[:2004]
    # A second draw continues where the first one ended.
    assert words(bits, 3996) == expected[2004:]


def test_mrg_has_the_published_values():
    # The first numbers of L'Ecuyer's RngStreams with its default seed.
    bits = random.MRG32k3a()
    bits.state = {"bit_generator": "MRG32k3a", "state": {"key": [12345] * 6, "position": 0}}
    first = np.array(words(bits, 4)) / 4294967088.0
    np.testing.assert_allclose(first, [0.1270111220, 0.3185275653, 0.3091860155, 0.8258468629], atol=5e-11)


@pytest.mark.parametrize("kind", GENERATORS)
def test_seeding_is_reproducible_and_sensitive(kind):
    assert words(kind(1), 16) == words(kind(np.random.SeedSequence(1)), 16)
    assert words(kind([1, 2]), 16) == words(kind([1, 2]), 16)
    seeds = [words(kind(seed), 8) for seed in (0, 1, 2, [1, 2], 2**70)] + [words(kind(), 8) for _ in range(2)]
    assert len({tuple(w) for w in seeds}) == len(seeds)


@pytest.mark.parametrize("kind", GENERATORS)
def test_state_is_read_set_and_pickled(kind):
    bits = kind(9)
    words(bits, 100)
    state = bits.state
    expected = words(bits, 64)
    bits.state = state
    assert words(bits, 64) == expected
    other = kind(10)
    other.state = state
    assert words(pickle.loads(pickle.dumps(other)), 64) == expected
    with pytest.raises(ValueError, match="state must be for a"):
        bits.state = {"bit_generator": "MT19937", "state": {}}
    with pytest.raises(TypeError, match="dict"):
        bits.state = 5


@pytest.mark.parametrize("kind", GENERATORS)
def test_advance_and_jumps(kind):
    bits = kind(4)
    expected = words(bits, 80)
    assert words(kind(4).advance(10), 40) == expected[40:]
    assert words(bits.advance(-20), 80) == expected
    assert words(bits.jumped(2), 8) == words(bits.jumped().jumped(), 8)
    assert words(bits.jumped(), 8) != words(bits, 8)
    with pytest.raises(ValueError, match="negative"):
        bits.jumped(-1)


def test_a_jump_is_as_many_steps_as_documented():
    start = random.Philox4x32(4)
    assert start.jumped().state["state"]["counter"].tolist() == [0, 0, 0, 1]
    # A jump of MRG32k3a is a power of its transition matrices, here computed by repeated squaring.
    mrg = random.MRG32k3a(4)
    key = mrg.state["state"]["key"].tolist()
    for part, step, modulus in zip((0, 3), mrg._STEPS, mrg._MODULI, strict=True):
        power = np.array(step, object) % modulus
        for _ in range(127):
            power = power @ power % modulus
        expected = (power @ np.array(key[part : part + 3], object)) % modulus
        assert mrg.jumped().state["state"]["key"].tolist()[part : part + 3] == expected.tolist()


def test_spawned_streams_differ():
    children = random.Philox4x32(1).spawn(3)
    assert len({tuple(words(child, 8)) for child in children}) == 3
    again = random.Philox4x32(1).spawn(3)
    assert [words(child, 8) for child in again] == [words(c, 8) for c in random.Philox4x32(1).spawn(3)]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: random.Philox4x32(-1), ValueError),
        (lambda: random.Philox4x32("a"), TypeError),
        (lambda: random.Philox4x32(1, key=1), ValueError),
        (lambda: random.Philox4x32(key=2**64), ValueError),
        (lambda: random.Philox4x32(key=[1, 2, 3]), ValueError),
        (lambda: random.Philox4x32(counter=2**128), ValueError),
        (lambda: random.BitGenerator(1), NotImplementedError),
        (lambda: random.Generator(np.random.PCG64(1)), TypeError),
    ],
)
def test_wrong_arguments(make, error):
    with pytest.raises(error):
        make()


def test_random_raw_shapes():
    bits = random.Philox4x32(1)
    assert bits.random_raw().shape == ()
    assert bits.random_raw((2, 3)).dtype == np.uint64
    assert bits.random_raw(4, output=False) is None
