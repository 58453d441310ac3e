"""Functions that fill arrays, or want Python's numbers, work with arrays and scalars of a program."""

import inspect

import numpy as np
import pytest

# By case: the module it needs, and statements that make `result` from `x`, an array of 40 numbers.
CASES = {
    "numexpr": (
        "numexpr",
        """
        import numexpr
        out = np.zeros(40)
        given = [numexpr.evaluate("2 * x + 1", out=out) is out, out.sum(), numexpr.evaluate("sum(x)")]
        def local():
            own, out, factor = np.ones(40), np.zeros(40), np.ones(40).sum()
            numexpr.evaluate("own * factor + x", out=out)
            return out.sum(), numexpr.evaluate("own * factor").sum()
        numexpr.evaluate("a * b", local_dict={"a": x, "b": x}, out=x)
        result = [*given, *local(), x[3]]
        """,
    ),
    "h5py": (
        "h5py",
        """
        import h5py
        with h5py.File("x.h5", "w") as file:
            file["x"], file["sum"] = x, x.sum()
            file.create_dataset("y", (40,), "f8").write_direct(x)
            y, part = np.zeros(40), np.zeros(40)
            file["y"].read_direct(y)
            file["y"].read_direct(part, np.s_[10:20], np.s_[:10])
            result = [y.sum(), part.sum(), part[3], file["sum"][()], file["x"][x > 30].sum()]
        """,
    ),
    "sqlite3": (
        "sqlite3",
        """
        import sqlite3
        table = sqlite3.connect(":memory:")
        table.execute("create table t (number, bytes)")
        table.execute("insert into t values (?, ?)", (x.mean(), x))
        number, bytes = table.execute("select * from t").fetchone()
        table.close()
        result = [number, np.frombuffer(bytes).sum()]
        """,
    ),
    "joblib": (
        "joblib",
        """
        import joblib
        result = [int(joblib.hash(value), 16) for value in (x, [x, x.sum()], {"a": x})]
        """,
    ),
    "files": (
        "io",
        """
        import io
        file = io.BytesIO(x.tobytes() + b"end")
        y = np.zeros(40)
        result = [file.readinto(y), y.sum(), len(file.read())]
        """,
    ),
    "seconds": (
        "threading",
        """
        import threading
        event, lock = threading.Event(), threading.Lock()
        short = (x / 1e6).max()
        result = [event.wait(short), lock.acquire(timeout=short), lock.acquire(True, short)]
        """,
    ),
    "buffers of pickles": (
        "pickle",
        """
        import pickle
        buffers = []
        text = pickle.dumps(x, 5, buffer_callback=buffers.append)
        result = [len(buffers), len(text), pickle.loads(text, buffers=buffers).sum()]
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_of_numpy_alone(case, program, monkeypatch, tmp_path):
    name, statements = CASES[case]
    pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    source = f"import numpy as np\nx = np.arange(40.0)\n{inspect.cleandoc(statements)}\n"
    expected = {}
    exec(source, expected)
    run = program(source)
    np.testing.assert_allclose([float(each) for each in run["result"]], [*map(float, expected["result"])])
