"""Tests with concurrent threads: errors reach the thread that caused them, shared state stays consistent."""

import collections
import contextlib
import threading

import numpy as np
import pytest
from threads import often_switched, run_together

import gpunp


def own_stream(device):
    """A new stream for this thread on a GPU; a null context on the CPU device."""
    if device.is_cpu:
        return contextlib.nullcontext()
    from gpunp.cuda import Stream

    return Stream(non_blocking=True, device=device)


BAD_CALLS = {
    "take": lambda x, i: np.take(x, i),
    "put": lambda x, i: np.put(x.copy(), i, 1.0),
    "take_along_axis": lambda x, i: np.take_along_axis(x, i, 0),
    "put_along_axis": lambda x, i: np.put_along_axis(x.copy(), i, 1.0, 0),
    "indexing": lambda x, i: x[i],
    "assignment by index": lambda x, i: x.copy().__setitem__(i, 1.0),
    "add.at": lambda x, i: np.add.at(x.copy(), i, 1.0),
    "add.reduceat": lambda x, i: np.add.reduceat(x, i),
    "choose": lambda x, i: np.choose(i, [x[:4], x[4:8]]),
    "unravel_index": lambda x, i: np.unravel_index(i, (4, 4)),
    "ravel_multi_index": lambda x, i: np.ravel_multi_index((i, i), (4, 4)),
    "digitize": lambda x, i: np.digitize(x, np.asarray([0.0, 2.0, 1.0, 3.0], like=x)),
    "power": lambda x, i: np.power(i, -i),
    "power.at": lambda x, i: np.power.at(i.copy(), i[:1], -i[1:2]),
    "power.reduce": lambda x, i: np.power.reduce(-i),
    "inv": lambda x, i: np.linalg.inv(np.ones((4, 4), like=x)),
    "solve": lambda x, i: np.linalg.solve(np.ones((4, 4), like=x), x[:4]),
    "cholesky": lambda x, i: np.linalg.cholesky(-x[:16].reshape(4, 4)),
    "quantile": lambda x, i: np.quantile(x, i.astype(float)),
    "gamma": lambda x, i: gpunp.random.default_rng(1).gamma(-1.0 - x),
    "integers": lambda x, i: gpunp.random.default_rng(1).integers(i, 0),
    "multinomial": lambda x, i: gpunp.random.default_rng(1).multinomial(3, 1.0 + x),
}

# The CPU device raises in the call itself; these calls then have NumPy's message.
NUMPY_MESSAGES = ("indexing", "assignment by index", "inv", "solve", "cholesky", "quantile")


@pytest.mark.parametrize("call", BAD_CALLS)
def test_errors_name_their_call(call, device):
    x = np.arange(20.0, like=gpunp.empty(0))
    i = gpunp.asarray(np.array([2, 1, 99, 3]))
    if call in ("power.at", "power.reduce"):
        i = gpunp.asarray(np.array([2, 1, 3, 3]))

    def bad_call():
        BAD_CALLS[call](x, i)
        device.synchronize()

    with pytest.raises((IndexError, ValueError, np.linalg.LinAlgError)) as caught:
        bad_call()
    if not device.is_cpu or call not in NUMPY_MESSAGES:
        assert str(caught.value).startswith(f"{call}: ")
    device.synchronize()


def test_errors_reach_the_thread_that_caused_them(device):
    """One thread uses indices out of bounds while four others compute."""
    calls = 300
    values = np.arange(100.0)
    caught = []
    going = threading.Event()

    def culprit():
        try:
            with device, own_stream(device):
                x, bad = gpunp.asarray(values), gpunp.asarray(np.array([3, 1000]))
                for _ in range(calls):
                    try:
                        np.take(x, bad)
                        device.synchronize()
                    except IndexError as error:
                        caught.append(str(error))
        finally:
            going.set()

    def innocent():
        with device, own_stream(device):
            x, good = gpunp.asarray(values), gpunp.asarray(np.array([3, 99, 50]))
            while not going.is_set():
                assert np.take(x, good).get().tolist() == [3.0, 99.0, 50.0]
                assert x[good].get().tolist() == [3.0, 99.0, 50.0]
                assert float(np.sum(x * 2.0)) == 9900.0
                device.synchronize()

    run_together(culprit, *(innocent,) * 4)
    assert len(caught) == calls
    assert all(text.startswith("take: ") for text in caught)


def test_every_call_gives_its_own_error(device):
    """Of calls queued one after the other, each failure is reported once, under the name of its call."""
    x, bad = np.arange(10.0, like=gpunp.empty(0)), gpunp.asarray(np.array([99]))
    calls = [np.take, lambda x, i: np.add.reduceat(x, i), lambda x, i: np.put(x, i, 0.0)]
    started, names = 0, collections.Counter()

    def note_names(error):
        prefix = "Reported as well: IndexError: "
        notes = getattr(error, "__notes__", ())
        others = [note.removeprefix(prefix) for note in notes if note.startswith(prefix)]
        names.update(text.partition(":")[0] for text in [str(error), *others])

    for turn in range(200):
        try:
            calls[turn % 3](x, bad)
            started += 1
        except IndexError as error:
            # On the CPU device the error is this call's; on a GPU an earlier one's, and this one did not run.
            started += device.is_cpu
            note_names(error)
    try:
        device.synchronize()
    except IndexError as error:
        note_names(error)
    assert names.total() == started >= 67
    assert set(names) <= {"take", "add.reduceat", "put"}
    assert x.get().tolist() == list(range(10))


def test_short_lived_threads(device):
    """Each thread has a status word while it lives, and its errors are raised in it."""
    x = np.arange(10.0, like=gpunp.empty(0))
    bad = gpunp.asarray(np.array([99]))
    good = gpunp.asarray(np.array([9]))
    caught = []

    def work(number):
        with device:
            try:
                assert np.take(x, bad if number % 3 == 0 else good).get().tolist() == [9.0]
            except IndexError:
                caught.append(number)

    for number in range(0, 300, 10):
        run_together(*(lambda n=number + i: work(n) for i in range(10)))
    assert sorted(caught) == list(range(0, 300, 3))


@pytest.mark.parametrize("kind", ["Philox4x32", "XORWOW", "MRG32k3a"])
def test_draws_are_disjoint(kind, device):
    """Threads that draw from one generator together get every number of its stream exactly once."""
    bit_generator = getattr(gpunp.random, kind)(7)
    generator = gpunp.random.Generator(bit_generator)
    per_draw, draws, threads = 1000, 20, 5
    drawn = []

    def draw():
        with device:
            drawn.extend(generator.random(per_draw).get() for _ in range(draws))

    with often_switched():
        run_together(*(draw,) * threads)
    alone = gpunp.random.Generator(getattr(gpunp.random, kind)(7))
    expected = [alone.random(per_draw).get().tobytes() for _ in range(draws * threads)]
    assert sorted(x.tobytes() for x in drawn) == sorted(expected)


@pytest.mark.parametrize("kind", ["Philox4x32", "XORWOW", "MRG32k3a"])
def test_going_on_is_one_step(kind, device):
    """No advance is lost if several threads advance one generator."""
    bit_generator = getattr(gpunp.random, kind)(7)

    def go_on():
        for _ in range(500):
            bit_generator.advance(3)

    with often_switched():
        run_together(*(go_on,) * 4)
    other = getattr(gpunp.random, kind)(7).advance(6000)
    with device:
        assert bit_generator.random_raw(4).get().tolist() == other.random_raw(4).get().tolist()


def test_first_use_of_reductions(device):
    """All threads get correct values, whichever looks up a kernel first."""
    names = ("sum", "prod", "max", "min", "mean", "std", "var", "argmax", "argmin", "any", "all", "ptp")
    hosts = [np.arange(1, 13).reshape(3, 4).astype(char) for char in "bBhHiIqQfd"]
    expected = {
        (name, host.dtype.char, axis): getattr(np, name)(host, axis=axis)
        for name in names
        for host in hosts
        for axis in (None, 0, 1)
    }

    def work(shift):
        with device, own_stream(device):
            for name in names[shift:] + names[:shift]:
                for host in hosts:
                    ours = gpunp.asarray(host)
                    for axis in (None, 0, 1):
                        value = getattr(np, name)(ours, axis=axis)
                        np.testing.assert_allclose(
                            gpunp.asnumpy(value), expected[name, host.dtype.char, axis], rtol=1e-6
                        )

    with often_switched():
        run_together(*(lambda s=s: work(s) for s in (0, 0, 4, 8)))


def test_threads_on_different_devices(device):
    """Reductions and ufuncs cache the last device's kernels, which threads on two devices must not mix up."""
    host = np.arange(1000.0, dtype=np.float32)
    devices = [device, gpunp.Device("cpu")]

    def work(place):
        with place:
            x = gpunp.asarray(host)
            for _ in range(200):
                assert float(np.sum(x + x)) == 999000.0
                assert float(np.max(x * x)) == 998001.0

    with often_switched():
        run_together(*(lambda p=place: work(p) for place in devices * 2))


def test_messages_of_concurrent_errors(device):
    """Each thread's error message contains the index of its own call."""
    if not device.is_cpu:
        pytest.skip("on a GPU the message does not have the index")
    x = np.arange(10.0, like=gpunp.empty(0))

    def work(index):
        with device:
            bad = gpunp.asarray(np.array([index]))
            for _ in range(200):
                with pytest.raises(
                    IndexError, match=f"index {index} is out of bounds for axis 0 with size 10"
                ):
                    x[bad]

    with often_switched():
        run_together(*(lambda i=i: work(i) for i in (100, 200, 300, 400)))
