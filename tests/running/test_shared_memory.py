"""What writes the memory of a program's device arrays changes the arrays, and sees how they change."""

import contextlib
import inspect
import io
import sys
import types
import warnings

import numpy as np
import pytest
from gpunp.array.sharing import is_shared

from gpunp.running import counting

# Once the handle of a CUDA stream is known outside, nothing is shared.
pytestmark = pytest.mark.usefixtures("watched")

# Statements that print what becomes of `x`, an array of 40 numbers, and of `a`, one of 6 rows and columns.
CASES = {
    "masked arrays": """
        m = np.ma.array(x, mask=x < 3)
        m[5] = -7
        m[6] = np.ma.masked
        m += 1
        print(x[:10], m.mask[:8], x.sum(), m.sum())
        x[8] = 100
        x *= 2
        print(m[8], x.sum(), m.sum(), m.mean(), m.count())
        del m
        x += 1
        print(x.sum())
    """,
    "masks": """
        mask = np.zeros(40, bool)
        m = np.ma.array(x, mask=mask)
        m.mask[5] = True
        m[6] = np.ma.masked
        mask[7] = True
        print(m[4:9], mask[:9])
        m.mask = x > 20
        print(m.sum(), mask.sum())
        m.unshare_mask()
        m[0] = np.ma.masked
        print(mask.sum(), m.count(), (m + x).sum(), np.sqrt(m).sum())
    """,
    "rows of masked arrays": """
        m = np.ma.array(a)
        m[1] = np.ma.masked
        m[:, 2] = 0
        m.data[3] = 8
        m.T[0] = 7
        print(a, m.sum(axis=0), np.ma.compress_rows(m).sum())
    """,
    "memory views": """
        view = memoryview(x)
        view[3] = 9.0
        x[4] = 8
        print(x[3], x.sum(), view[4])
        view.release()
        x[3] += 1
        x.data[2] = 5.0
        print(x.sum())
        as_bytes = memoryview(x).cast("B")
        as_bytes[0:8] = bytes(8)
        print(x[0], as_bytes.tobytes() == x.tobytes())
    """,
    "buffers": """
        import array, io, struct
        struct.pack_into("2d", x, 8, 55.0, 66.0)
        print(x[:4], struct.unpack_from("d", x, 16))
        y = np.frombuffer(x)
        y[0] = 1.5
        print(x[0], y.flags.writeable)
        del y
        print(io.BytesIO(bytes(80)).readinto(memoryview(x)[:10]), x.sum(), sum(array.array("d", x)))
    """,
    "arrays over buffers": """
        y = np.ndarray((4,), float, buffer=x, offset=8)
        y[0] = 3
        x[2] = 4
        print(x[:4], y, x.sum())
        del x
        y[1] = 9
        print(y)
    """,
    "ctypes": """
        import ctypes
        pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        pointer[2] = 77
        x[3] = 5
        print(x[2], x.sum(), pointer[3])
        ctypes.memset(x.ctypes.data, 0, 16)
        print(x[:4], x.sum())
        block = (ctypes.c_double * 40).from_buffer(x)
        block[4] = 600
        whole = np.ctypeslib.as_ctypes(x)
        whole[6] = 800
        print(x[4], block[6], x.sum())
    """,
    "matrices": """
        import warnings
        warnings.simplefilter("ignore")
        m = np.asmatrix(a)
        m[1, 1] = 500
        m *= 2
        print(a.sum(), type(m * m).__name__)
        a[1] = 0
        print(m[1], np.matrix(a, copy=False).sum())
    """,
    "strides": """
        part = np.lib.stride_tricks.as_strided(a, (3, 3), (8, 48))
        part[:] = 0
        print(a)
        windows = np.lib.stride_tricks.sliding_window_view(a, (2, 2), writeable=True)
        windows[0, 0] = 4
        print(a[:2], a.sum())
    """,
    "records": """
        pairs = a.view([("u", float), ("v", float)])
        pairs["u"] = 2
        print(a.sum())
        records = a.view(np.recarray)
        records[3] = 6
        print(a[3], type(records).__name__)
        rows = np.rec.array(x.view([("q", float)]), copy=False)
        rows.q[2] = 60
        print(rows.q.sum(), x.sum())
        a.view("M8[us]")[0, 0] = np.datetime64(5, "us")
        print(a.view(np.int64)[0, 0])
    """,
    "iterators": """
        for each in np.nditer(a, op_flags=["readwrite"]):
            each[...] = 2 * each
        print(a.sum())
        for each in np.nditer(a.T, flags=["external_loop"], order="F", op_flags=[["readwrite"]]):
            each += np.arange(each.size)
        print(a)
        kinds = [["readonly"], ["writeonly", "allocate"]]
        with np.nditer([a, None], flags=["buffered"], op_flags=kinds) as it:
            for u, v in it:
                v[...] = u + 1
            print(it.operands[1].sum())
        print([int(each) for each in np.nditer(a[::-1, ::2])])
    """,
    "functions that write": """
        m = np.ma.array(a)
        np.add(a, 1, out=a)
        np.multiply(a, 2, a)
        a.sort(axis=0)
        a.put(3, 5.5)
        np.place(a, a > 40, 1)
        np.fill_diagonal(a, 7)
        np.cumsum(a, axis=0, out=a)
        np.clip(a, 0, 50, out=a)
        np.add.at(a, (0, 1), 5)
        np.copyto(a[0], 3.0)
        np.dot(a, a.copy(), out=a)
        a.flat[2] = 9
        a[[1, 2]] = 3
        a[a == 3] = 4
        a.T[1] = 2
        print(m.data, a.sum())
        a.flat = 3
        a[4].fill(5)
        np.random.default_rng(3).random(out=a[5])
        np.random.default_rng(3).shuffle(a)
        print(m.data)
    """,
    "loops": """
        m = np.ma.array(x)
        for i in range(1, 40):
            x[i] += x[i - 1]
        print(m[-1], x[-1], [each for each in x][:3])
        m[0] = 9
        print(x[0], [float(x[i]) for i in range(40)][0], x.tolist()[0], x.max())
        n = np.ma.array(a)
        for row in a:
            row += 1
        print(n.sum())
    """,
    "copies": """
        import copy, pickle
        m = np.ma.array(x)
        others = [copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.copy(), np.array(x)]
        m[0] = 5
        print([each[0] for each in others], x[0], np.asarray(x)[0], x.astype(np.float32)[0])
        x.flags.writeable = False
        try:
            x[0] = 1
        except ValueError as error:
            print(error)
        m[1] = 4
        print(x[1])
    """,
}
# Expressions for a masked array of the first 40 numbers.
MASKED = """
np.ma.array(x)|np.ma.array(x, copy=True)|np.ma.array(x, mask=x > 30)
np.ma.array(x, mask=[0] * 40, copy=True)|np.ma.masked_array(x, mask=False)
np.ma.MaskedArray(x, mask=x < 2, shrink=False)|np.ma.asarray(x)|np.ma.asanyarray(x)
np.ma.masked_where(x < 2, x)|np.ma.masked_where(x < 2, x, copy=False)
np.ma.masked_equal(x, 4.0, copy=False)|np.ma.masked_greater(x, 4)|np.ma.masked_greater(x, 4, copy=False)
np.ma.masked_inside(x, 4, 6, copy=False)|np.ma.masked_outside(x, 1, 30, copy=False)
np.ma.masked_invalid(x)|np.ma.masked_invalid(x, copy=False)|np.ma.masked_values(x, 7.0)
np.ma.masked_values(x, 7.0, copy=False)|np.ma.fix_invalid(x)|np.ma.fix_invalid(x, copy=False)
np.ma.masked_not_equal(x, 3.0, copy=False)|x.view(np.ma.MaskedArray)|np.ma.array(x[::-1])
np.ma.array(x.reshape(5, 8).T)[0]|np.ma.array(np.ma.array(x))|np.ma.array(x, dtype=np.float32)
np.ma.array(x, hard_mask=True, mask=x == 9)|np.ma.copy(x)|np.ma.concatenate([x, x])
np.ma.where(x > 3, x, 0.0)
""".strip().replace("\n", "|")
CASES |= {
    text: f"""
        m = {text}
        m[2] = -1
        m[3] = np.ma.masked
        m += 1
        x[1] = 50
        print(x, np.ma.filled(m, 99), m.sum())
        del m
        x *= 2
        print(x.sum())
    """
    for text in MASKED.split("|")
}


@pytest.mark.parametrize("case", CASES)
def test_memory_is_that_of_numpy_alone(case, program, device):
    source = "import numpy as np\nx = np.arange(40.0)\na = np.arange(36.0).reshape(6, 6)\n"
    source += inspect.cleandoc(CASES[case]) + "\n"
    text = io.StringIO()
    with contextlib.redirect_stdout(text), warnings.catch_warnings():
        exec(source, {"__name__": "plain"})
    with warnings.catch_warnings():
        assert program(source, threshold=1).text == text.getvalue()


def test_sharing_ends_with_what_holds_the_memory(program):
    run = program(
        """
        import numpy as np
        x = np.arange(20.0)
        m = np.ma.array(x)
        m[3] = 7
        total = x.sum()
        """
    )
    x = run["x"]
    assert is_shared(x)
    assert run.variables.pop("m")[3] == 7
    assert not is_shared(x)
    assert x.get()[3] == 7
    assert counting.summed("shared with the host").nbytes == 160
    assert counting.summed("upload of shared memory").count >= 1


def test_an_array_that_others_may_write_on_the_device_is_copied(program):
    run = program(
        """
        import numpy as np
        x = np.arange(20.0)
        capsule = x.__dlpack__()
        m = np.ma.array(x)
        try:
            m[0] = 1
        except ValueError as error:
            message = str(error)
        """
    )
    assert "read-only" in run["message"]


def test_shared_memory_is_not_exported(program):
    run = program(
        """
        import numpy as np
        x = np.arange(20.0)
        m = np.ma.array(x)
        try:
            x.__dlpack__()
        except BufferError as error:
            message = str(error)
        """
    )
    assert "export a copy" in run["message"]


def test_libraries_read_what_is_shared(program, monkeypatch):
    library = types.SimpleNamespace(total=lambda x: float(np.asarray(x).sum()))
    monkeypatch.setitem(sys.modules, "library_that_reads", library)
    run = program(
        """
        import library_that_reads
        import numpy as np
        x = np.arange(20.0)
        m = np.ma.array(x)
        m[0] = 100
        total = library_that_reads.total(x)
        """
    )
    assert run["total"] == 290
