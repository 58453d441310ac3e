"""Loops of the CPU device that threads share: bits, errors, forks, exits."""

import contextlib
import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from host_threads import pool_library, shared_by
from threads import run_together
from waiting import PATIENCE

import gpunp

pytestmark = pytest.mark.skipif(
    "not config.getoption('--device').startswith('cpu')", reason="threads of the host"
)

SIZE = 150_001  # several chunks of every loop, the last one incomplete
THREADS = (2, 3, 7)


def _inputs():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(SIZE)
    f = x.astype(np.float32)
    i = rng.integers(-1000, 1000, SIZE)
    sparse = x.copy()
    sparse[::7] = np.nan
    return {
        "x": x,
        "f": f,
        "h": x.astype(np.float16),
        "c": (x + 1j * x[::-1]).astype(np.complex64),
        "i": i,
        "u": (i % 200).astype(np.uint8),
        "s": (i % 2000).astype(np.int32),
        "m": x > 0.3,
        "p": rng.permutation(SIZE),
        "nan": sparse,
        "wide": x[:150_000].reshape(300, 500),
        "tall": x[:150_000].reshape(50_000, 3),
        "cube": f[:120_000].reshape(40, 60, 50),
        "sorted": np.sort(x[:1000]),
        "taps": x[:9],
        "zeros": np.zeros(SIZE, bool),
    }


CALLS = {
    "add": lambda a: a["x"] + a["x"][::-1],
    "add of a scalar": lambda a: a["f"] * np.float32(2.5),
    "add of two dtypes": lambda a: a["s"] * a["x"],
    "add in place": lambda a: np.add(b := a["f"].copy(), a["f"], out=b),
    "long chain": lambda a: np.sqrt(np.abs(np.exp(-a["x"]) * 3 + a["x"] ** 2)) - a["x"] / 3,
    "softmax": lambda a: (e := np.exp(a["wide"] - a["wide"].max(1, keepdims=True))) / e.sum(1, keepdims=True),
    "comparison": lambda a: a["f"] > a["f"][::-1],
    "half": lambda a: a["h"] + a["h"],
    "complex": lambda a: a["c"] * a["c"],
    "masked": lambda a: np.add(a["x"], 1, out=a["x"].copy(), where=a["m"]),
    "two results": lambda a: np.divmod(a["i"], 7)[1],
    "broadcast row": lambda a: a["wide"] - a["wide"][0],
    "broadcast column": lambda a: a["wide"] - a["wide"][:, :1],
    "short rows": lambda a: a["tall"] / a["tall"].sum(1, keepdims=True),
    "transposed": lambda a: a["wide"].T + 1,
    "transposed copy": lambda a: (a["wide"].T).copy(),
    "transposed cube": lambda a: (a["cube"].transpose(2, 0, 1)).copy(),
    "middle axes": lambda a: (a["cube"].transpose(1, 2, 0)).copy(),
    "strided": lambda a: a["x"][::3] * 2,
    "special function": lambda a: gpunp.special.jv(1, a["x"]),
    "where": lambda a: np.where(a["m"], a["f"], np.float32(0)),
    "clip": lambda a: np.clip(a["f"], -1, 1),
    "cast": lambda a: a["x"].astype(np.int16),
    "cast of strided": lambda a: a["x"][::2].astype(np.complex64),
    "sum": lambda a: a["x"].sum(),
    "sum of singles": lambda a: a["f"].sum(),
    "sum of complex": lambda a: a["c"].sum(),
    "sum of halves": lambda a: a["h"].sum(),
    "sum of strided": lambda a: a["x"][::2].sum(),
    "sum of integers": lambda a: a["u"].sum(),
    "masked sum": lambda a: a["x"].sum(where=a["m"]),
    "nansum": lambda a: np.nansum(a["nan"]),
    "mean": lambda a: a["f"].mean(),
    "mean of integers": lambda a: a["s"].mean(),
    "nanmean": lambda a: np.nanmean(a["nan"]),
    "var": lambda a: a["x"].var(),
    "var of complex": lambda a: a["c"].var(),
    "nanstd": lambda a: np.nanstd(a["nan"]),
    "prod": lambda a: (a["x"] * 0 + 1.00001).prod(),
    "max": lambda a: a["x"].max(),
    "max of nan": lambda a: a["nan"].max(),
    "min of integers": lambda a: a["i"].min(),
    "argmax": lambda a: a["i"].argmax(),
    "argmin": lambda a: a["x"].argmin(),
    "nanargmax": lambda a: np.nanargmax(a["nan"]),
    "argmax of nan": lambda a: a["nan"].argmax(),
    "any": lambda a: a["m"].any(),
    "any of none": lambda a: a["zeros"].any(),
    "all": lambda a: a["m"].all(),
    "count_nonzero": lambda a: np.count_nonzero(a["f"] > 0),
    "sum of rows": lambda a: a["wide"].sum(1),
    "sum of columns": lambda a: a["wide"].sum(0),
    "sum of tall columns": lambda a: a["tall"].sum(0),
    "max of columns": lambda a: a["wide"].max(0),
    "max of tall rows": lambda a: a["tall"].max(1),
    "argmax of columns": lambda a: a["wide"].argmax(0),
    "var of columns": lambda a: a["tall"].var(0),
    "sum of outer axes": lambda a: a["cube"].sum((0, 2)),
    "mean of middle axis": lambda a: a["cube"].mean(1),
    "norm": lambda a: np.linalg.norm(a["x"]),
    "cumsum": lambda a: a["x"].cumsum(),
    "cumsum of integers": lambda a: a["i"].cumsum(),
    "cumsum of rows": lambda a: a["wide"].cumsum(1),
    "cumsum of columns": lambda a: a["wide"].cumsum(0),
    "cumprod": lambda a: np.cumprod(a["u"]),
    "maximum.accumulate": lambda a: np.maximum.accumulate(a["f"]),
    "subtract.accumulate": lambda a: np.subtract.accumulate(a["wide"], 1),
    "add.reduceat": lambda a: np.add.reduceat(a["x"], np.asarray([0, 5, 90000, 3], like=a["x"])),
    "logaddexp.reduce": lambda a: np.logaddexp.reduce(a["wide"], 0),
    "add.at": lambda a: np.add.at(b := a["x"].copy(), a["u"], 1.5) or b,
    "diff": lambda a: np.diff(a["x"]),
    "take": lambda a: a["x"].take(a["p"]),
    "take of rows": lambda a: a["wide"][a["u"][:5000]],
    "take with wrap": lambda a: a["f"].take(a["p"] - 70_000, mode="wrap"),
    "take_along_axis": lambda a: np.take_along_axis(a["wide"], a["wide"].argsort(1), 1),
    "two indices": lambda a: a["wide"][a["u"], a["u"]],
    "put": lambda a: a["x"].copy().__setitem__(a["p"], a["x"]),
    "put of repeated": lambda a: (b := a["x"].copy()).__setitem__(a["u"], a["x"]) or b,
    "put of a scalar": lambda a: (b := a["f"].copy()).__setitem__(a["u"], 2) or b,
    "mask": lambda a: a["x"][a["m"]],
    "mask of strided": lambda a: a["x"][::2][a["m"][::2]],
    "mask of rows": lambda a: a["wide"][a["wide"] > 1],
    "assignment by mask": lambda a: (b := a["x"].copy()).__setitem__(a["m"], 3.5) or b,
    "assignment of values": lambda a: (b := a["x"].copy()).__setitem__(a["m"], a["x"][a["m"]] * 2) or b,
    "nonzero": lambda a: np.nonzero(a["m"])[0],
    "argwhere": lambda a: np.argwhere(a["wide"] > 1),
    "choose": lambda a: np.choose(a["u"] % 2, [a["x"], a["f"]]),
    "arange": lambda a: np.arange(SIZE, like=a["x"]),
    "fill": lambda a: np.full_like(a["f"], 3),
    "triu": lambda a: np.triu(a["wide"]),
    "concatenate": lambda a: np.concatenate([a["x"], a["x"][:77]]),
    "stack": lambda a: np.stack([a["x"], a["x"]], 1),
    "tile": lambda a: np.tile(a["f"], 3),
    "repeat": lambda a: np.repeat(a["f"], 2),
    "repeat by counts": lambda a: np.repeat(a["f"], a["u"] % 3),
    "roll": lambda a: np.roll(a["x"], 1000),
    "flip": lambda a: np.flip(a["f"]).copy(),
    "pad": lambda a: np.pad(a["wide"], 4, mode="reflect"),
    "histogram": lambda a: np.histogram(a["x"], bins=30)[0],
    "histogram of edges": lambda a: np.histogram(a["x"], bins=a["sorted"])[0],
    "histogram of weights": lambda a: np.histogram(a["x"], bins=30, weights=a["x"])[0],
    "bincount": lambda a: np.bincount(a["u"]),
    "bincount of weights": lambda a: np.bincount(a["u"], a["x"]),
    "histogram2d": lambda a: np.histogram2d(a["x"], a["x"], 20)[0],
    "digitize": lambda a: np.digitize(a["x"], a["sorted"]),
    "searchsorted": lambda a: np.searchsorted(a["sorted"], a["x"]),
    "interp": lambda a: np.interp(a["x"], a["sorted"], a["sorted"]),
    "unique": lambda a: np.unique(a["s"]),
    "unique with inverse": lambda a: np.unique(a["s"], return_inverse=True)[1],
    "unique with counts": lambda a: np.unique(a["s"], return_counts=True)[1],
    "unique rows": lambda a: np.unique(a["s"][:90_000].reshape(-1, 2) % 50, axis=0),
    "isin": lambda a: np.isin(a["i"], a["s"][:100]),
    "sort": lambda a: np.sort(a["x"]),
    "argsort": lambda a: np.argsort(a["f"], kind="stable"),
    "partition": lambda a: np.sort(np.partition(a["x"], 500)[:500]),
    "median": lambda a: np.median(a["wide"], 0),
    "allclose": lambda a: np.asarray(np.allclose(a["x"], a["x"] + 1e-12), like=a["x"]),
    "isclose": lambda a: np.isclose(a["x"], a["x"][::-1]),
    "array_equal": lambda a: np.asarray(np.array_equal(a["x"], a["x"][::-1]), like=a["x"]),
    "convolve": lambda a: np.convolve(a["x"], a["taps"]),
    "correlate of integers": lambda a: np.correlate(a["i"], a["i"][:5]),
    "packbits": lambda a: np.packbits(a["m"]),
    "cross": lambda a: np.cross(a["tall"], a["tall"][::-1]),
    "matmul of integers": lambda a: (b := a["s"][:90_000].reshape(300, 300)) @ b,
    "solve of many": lambda a: np.linalg.inv(a["x"][:90_000].reshape(10_000, 3, 3)),
    "random": lambda a: gpunp.random.default_rng(1).random(SIZE),
    "random singles": lambda a: gpunp.random.default_rng(1).random(SIZE, dtype=np.float32),
    "normal": lambda a: gpunp.random.default_rng(1).standard_normal(SIZE),
    "normal singles": lambda a: gpunp.random.default_rng(1).standard_normal(SIZE, dtype=np.float32),
    "random integers": lambda a: gpunp.random.default_rng(1).integers(0, 1000, SIZE),
    "gamma": lambda a: gpunp.random.default_rng(1).gamma(2.5, size=SIZE),
    "binomial": lambda a: gpunp.random.default_rng(1).binomial(20, 0.3, SIZE),
    "permutation": lambda a: gpunp.random.default_rng(1).permutation(SIZE),
}


def _bits(result):
    array = np.asarray(result.get() if hasattr(result, "get") else result)
    return array.dtype, array.shape, array.tobytes()


@pytest.fixture(scope="module")
def inputs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: gpunp.asarray(x) for name, x in _inputs().items()}


def _run(call, inputs, threads, most_grain=0):
    with shared_by(threads, most_grain), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CALLS[call](inputs)
        return None if result is None else _bits(result)


@pytest.mark.parametrize("call", CALLS)
def test_bits_do_not_depend_on_the_number_of_threads(call, inputs):
    alone = _run(call, inputs, 1)
    for threads in THREADS:
        assert _run(call, inputs, threads) == alone


@pytest.mark.parametrize("call", CALLS)
def test_bits_do_not_depend_on_the_chunks(call, inputs):
    assert _run(call, inputs, 3, most_grain=1) == _run(call, inputs, 1)


@pytest.mark.parametrize("level", ["baseline", "v3"])
def test_sums_have_the_same_bits_at_each_level(level, inputs):
    """A process of its own, as the level is chosen when the device is made."""
    names = [name for name in CALLS if name.startswith(("sum", "mean", "var", "max", "min", "arg"))]
    program = f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import hashlib
        import test_host_threads as tests
        import gpunp
        inputs = {{name: gpunp.asarray(x) for name, x in tests._inputs().items()}}
        for name in {names!r}:
            print(hashlib.sha256(repr(tests._run(name, inputs, 2)).encode()).hexdigest())
    """
    results = []
    for chosen in (level, ""):
        environment = {**os.environ, "GPUNP_CPU_LEVEL": chosen, "GPUNP_DEVICE": "cpu"}
        done = subprocess.run(
            [sys.executable, "-P", "-c", textwrap.dedent(program)],
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode and "GPUNP_CPU_LEVEL" in done.stderr:
            pytest.skip("the processor or the build does not have the level")
        assert done.returncode == 0, done.stderr
        results.append(dict(zip(names, done.stdout.split(), strict=True)))
    assert results[0] == results[1]


def _bad_index(x, at):
    i = np.arange(SIZE, like=x)
    i[at] = SIZE + 5
    return i


BAD_CALLS = {
    "take": (IndexError, lambda x, at: x.take(_bad_index(x, at))),
    "indexing": (IndexError, lambda x, at: x[_bad_index(x, at)]),
    "assignment": (IndexError, lambda x, at: x.copy().__setitem__(_bad_index(x, at), 1.0)),
    "add.at": (IndexError, lambda x, at: np.add.at(x.copy(), _bad_index(x, at), 1.0)),
    "power": (ValueError, lambda x, at: np.power(2, 7 - (i := _bad_index(x, at)) * (i > SIZE))),
    "choose": (ValueError, lambda x, at: np.choose(_bad_index(x, at) // (SIZE + 1), [x])),
    "integers": (ValueError, lambda x, at: gpunp.random.default_rng(1).integers(_bad_index(x, at), SIZE + 2)),
    "gamma": (ValueError, lambda x, at: gpunp.random.default_rng(1).gamma(SIZE + 2.0 - _bad_index(x, at))),
}


@pytest.mark.parametrize("at", [0, SIZE // 2, SIZE - 1])
@pytest.mark.parametrize("call", BAD_CALLS)
def test_errors_of_any_chunk_are_raised(call, at, device):
    x = gpunp.zeros(SIZE)
    error, call = BAD_CALLS[call]

    def run():
        call(x, at)
        device.synchronize()

    for threads in (1, *THREADS):
        with shared_by(threads), pytest.raises(error):
            run()


def test_the_first_index_out_of_bounds_is_named():
    x = gpunp.zeros(SIZE)
    i = np.arange(SIZE)
    i[[1000, SIZE - 1]] = [SIZE + 1, SIZE + 2]
    with shared_by(7), pytest.raises(IndexError, match=str(SIZE + 1)):
        x[gpunp.asarray(i)]


def test_threads_of_the_program_share_the_pool(inputs):
    names = ["long chain", "sum", "take", "sum of columns", "mask", "random"]
    alone = {name: _run(name, inputs, 1) for name in names}

    def work(first):
        with np.errstate(all="ignore"):
            return [_bits(CALLS[name](inputs)) for name in names[first:] + names[:first]]

    with shared_by(3):
        for first, results in enumerate(run_together(*[lambda k=k: work(k) for k in range(len(names))])):
            assert results == [alone[name] for name in names[first:] + names[:first]]


def _run_program(text, **options):
    environment = {**os.environ, "GPUNP_DEVICE": "cpu", "GPUNP_NUM_THREADS": "3"}
    return subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", COUNT + textwrap.dedent(text)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        **options,
    )


# Counts the threads of the pool, which give themselves a name when they begin to run.
COUNT = """
import os, time
def name(task):
    try:
        return open(f"/proc/self/task/{task}/comm").read().strip()
    except OSError:
        return "ended"
def workers(expected=0):
    for _ in range(10000):
        count = [name(task) for task in os.listdir("/proc/self/task")].count("gpunp")
        if count >= expected:
            break
        time.sleep(0.01)
    return count
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no list of threads")
def test_nothing_is_started_at_import_or_by_small_calls():
    done = _run_program(
        """
        import gpunp
        (gpunp.ones(100) + 1).sum().get()
        assert workers() == 0
        (gpunp.ones(1 << 20) + 1).sum().get()
        assert workers(2) == 2
        """
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no list of threads")
def test_a_child_of_fork_has_threads_of_its_own():
    done = _run_program(
        """
        import gpunp
        x = gpunp.ones(1 << 20)
        assert float((x + 1).sum()) == 2 << 20
        child = os.fork()
        if child == 0:
            assert workers() == 0
            assert float((x + 2).sum()) == 3 << 20
            assert workers(2) == 2
            os._exit(0)
        assert float((x + 3).sum()) == 4 << 20
        assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert done.returncode == 0, done.stderr


def test_a_program_ends_while_loops_run():
    done = _run_program(
        """
        import threading, time
        import gpunp
        x = gpunp.ones(1 << 20)

        def work():
            while True:
                (x + 1).sum().get()

        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        """
    )
    assert done.returncode == 0, done.stderr


def test_an_interrupt_reaches_the_program():
    done = _run_program(
        """
        import os, signal, threading
        import gpunp
        # A program that a shell has started in the background ignores interrupts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        x = gpunp.ones(1 << 20)
        (x + 1).sum().get()
        ended = threading.Event()

        def interrupt():
            # Again and again: Python drops an exception that is raised in a destructor.
            while not ended.wait(0.3):
                os.kill(os.getpid(), signal.SIGINT)

        try:
            threading.Thread(target=interrupt, daemon=True).start()
            while True:
                (x + 1).sum().get()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            ended.set()
        """
    )
    assert "interrupted" in done.stdout, done.stderr


def test_the_number_of_threads_can_change():
    library = pool_library()
    before = library.gpunp_pool_threads()
    with contextlib.ExitStack() as stack:
        for threads in (5, 1, 3):
            stack.enter_context(shared_by(threads))
            assert library.gpunp_pool_threads() == threads
            assert float((gpunp.ones(1 << 18) + 1).sum()) == 2 << 18
    assert library.gpunp_pool_threads() == before
