"""`config.host_copies`: read-only copies where host memory is asked for, in the plain library."""

import io

import numpy as np
import pytest

import gpunp
from gpunp.array import host_copies

VALUES = np.arange(6.0)


@pytest.fixture
def allowed():
    with gpunp.config.using(host_copies="allow"):
        yield


@pytest.fixture
def events():
    seen = []
    end = host_copies.observe(lambda *event: seen.append(event))
    yield seen
    end()


@pytest.fixture
def x():
    return gpunp.asarray(VALUES)


READS = [
    lambda x: np.asarray(x),
    lambda x: np.array(x),
    lambda x: np.asarray(x, dtype=np.float32),
    lambda x: np.array([x, x]),
    lambda x: np.frombuffer(memoryview(x)),
    lambda x: np.take(np.arange(9.0), x.astype(int)),
    lambda x: np.arange(9.0)[x.astype(int)],
    lambda x: VALUES.dot(x),
    lambda x: np.roll(VALUES, x.astype(int)[2]),
    lambda x: np.pad(VALUES, x.astype(int)[1:3]),
    lambda x: np.ma.masked_array(x),
]


@pytest.mark.parametrize("number", range(len(READS)))
def test_reads(number, x, allowed):
    assert np.array_equal(READS[number](x), READS[number](VALUES))


@pytest.mark.parametrize("number", [0, 1, 3, 4])
def test_reads_are_errors_by_default(number, x):
    with pytest.raises(TypeError):
        READS[number](x)


def test_copies_of_the_memory_itself_are_read_only(x, allowed):
    for host in (np.asarray(x), np.frombuffer(memoryview(x))):
        with pytest.raises(ValueError, match="read-only"):
            host[0] = 1
    assert memoryview(x).readonly
    assert np.array(x).flags.writeable
    assert np.asarray(x, dtype="f4").flags.writeable
    with pytest.raises((BufferError, TypeError), match="read-"):
        io.BytesIO(bytes(48)).readinto(x)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "c8", "c16"])
def test_dtypes_and_layouts(dtype, allowed):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    x = gpunp.asarray(host)
    for ours, theirs in ((x, host), (x.T, host.T), (x[:, ::2], host[:, ::2]), (x[:0], host[:0])):
        found = np.asarray(ours)
        assert found.dtype == theirs.dtype
        assert np.array_equal(found, theirs)


def test_writes_into_host_arrays(x, allowed):
    host = np.zeros(6)
    host += x
    host[:2] = x[4:]
    np.add(x, host, out=host)
    np.copyto(host[5:], x[:1])
    expected = np.zeros(6)
    expected += VALUES
    expected[:2] = VALUES[4:]
    np.add(VALUES, expected, out=expected)
    np.copyto(expected[5:], VALUES[:1])
    assert np.array_equal(host, expected)
    np.put(host, gpunp.asarray([0, 1]), gpunp.asarray([7.0, 8.0]))
    assert host[:2].tolist() == [7, 8]


def test_sequences_of_device_arrays_stay_on_the_device(x, allowed, events):
    assert gpunp.asarray([x, x]).shape == (2, 6)
    assert float(np.stack([x, x]).sum()) == 30
    assert events == []


def test_copies_are_counted(x, allowed, events):
    np.asarray(x)
    memoryview(x)
    assert [(kind, nbytes) for kind, _, nbytes, _ in events] == [("host copy", 48)] * 2
    assert all(seconds >= 0 for *_, seconds in events)


def test_scalars_are_no_copies(x, allowed, events):
    assert np.asarray(x.sum()) == 15
    assert np.array([x.sum(), x[1]]).tolist() == [15, 1]
    assert events == []


def test_warnings(x):
    with (
        gpunp.config.using(host_copies="warn"),
        pytest.warns(gpunp.TransferWarning, match="copied to the host"),
    ):
        assert np.asarray(x)[1] == 1


def test_buffers_are_refused_again_after_a_block(x):
    with gpunp.config.using(host_copies="allow"):
        bytes(memoryview(x))
    with pytest.raises(TypeError, match="host_copies = 'allow'"):
        memoryview(x)
    assert bytes(gpunp.asarray([1, 2], dtype="i1")) == b"\x01\x02"


def test_other_settings_are_refused():
    with pytest.raises(ValueError, match="'error', 'warn', 'allow'"):
        gpunp.config.host_copies = "yes"
