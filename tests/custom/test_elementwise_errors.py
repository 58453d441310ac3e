"""Errors of `ElementwiseKernel`: arguments, definitions, and operations that do not compile."""

import numpy as np
import pytest

import gpunp
from gpunp.cuda.compiler import CompileException

kernel = gpunp.ElementwiseKernel
add = kernel("T x, T y", "T z", "z = x + y", "add")

X = np.zeros((2, 3), "f4")
ERRORS = [
    ("add(x)", TypeError, "wrong number of arguments: 1 were given, it takes 2 or 3"),
    ("add(x, x, x, x)", TypeError, "wrong number of arguments"),
    ("add()", TypeError, "wrong number of arguments"),
    ("add(x, x.astype('f8'))", TypeError, "T is float32 by x and float64 by y"),
    ("add(x, x, x.astype('f8'))", TypeError, "T is float64 by z and float32 by x"),
    ("add(x, 1j)", TypeError, "y is float32 and the argument a complex number"),
    ("add(x, 'text')", TypeError, "y is str"),
    ("add(x, None)", TypeError, "y is NoneType"),
    ("add(x, 1, X)", TypeError, "the output z is ndarray; give a gpunp array"),
    ("add(x, x[:, :2])", ValueError, r"could not be broadcast together with shapes \(2, 3\) \(2, 2\)"),
    ("add(x, x, x[:1])", ValueError, r"shape \(1, 3\) doesn't match the broadcast shape \(2, 3\)"),
    ("add(x, x, x[0])", ValueError, "doesn't match the broadcast shape"),
    ("add(x.astype('u1'), 300)", OverflowError, "300 out of bounds for uint8"),
    ("add(x, x, size=6)", ValueError, "size= is allowed only if all arrays are raw"),
    ("add(x, 1, np.broadcast_to(x, (2, 2, 3)))", ValueError, "read-only"),
    ("add(x, 1, x.sum())", TypeError, "immutable"),
    ("add(x, 1, block_size=0)", ValueError, "block_size is 0"),
    ("add(x, 1, block_size=2000)", ValueError, "block_size is 2000"),
    ("add(x, 1, block_size='a')", TypeError, "integer"),
    ("add(x, 1, grid=3)", TypeError, "grid"),
    ("raw(x)", ValueError, "no argument determines the number of elements; give size="),
    ("raw(1, size=3)", TypeError, "x is raw, so its argument must be an array, not 1"),
    ("raw(x, size=-1)", ValueError, "must not be negative"),
    ("raw(x, size=1.5)", TypeError, "integer"),
    ("raw_out(x)", ValueError, "the output z is raw, so its shape is unknown"),
    ("kernel('T x', 'T z', 'z = x', 'a-b')", ValueError, "not an identifier"),
    ("kernel('T x', 'T z', 'z = x', options='-O3')", TypeError, "options must be a tuple"),
    ("kernel('T x', 'T z', 'z = x', loops=3)", TypeError, "unexpected keyword argument 'loops'"),
    ("kernel('T x', 'T z', 'z = x', options=None)", TypeError, "options must be a tuple"),
    ("kernel('T x', 'T z', None)", TypeError, "operation must be a str, not NoneType"),
    ("kernel('T x', 'T z', 'z = x', preamble=b'')", TypeError, "preamble must be a str, not bytes"),
    ("kernel('T x', 'T i', 'i = x')", ValueError, "reserved"),
    ("kernel('T x', 'T new', 'new = x')", ValueError, "'new' is a keyword"),
    ("kernel('i x', 'i z', 'z = x')", ValueError, "the type 'i' is the name of the index"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors(call, error, message):
    names = {
        "x": gpunp.asarray(X),
        "X": X,
        "np": np,
        "add": add,
        "kernel": kernel,
        "raw": kernel("raw T x", "T z", "z = x[i]", "raw"),
        "raw_out": kernel("T x", "raw T z", "z[i] = x", "raw_out"),
    }
    with pytest.raises(error, match=message):
        eval(call, names)


def test_stream_of_another_type():
    pytest.importorskip("gpunp.cuda.stream", reason="gpunp was built without CUDA")
    with pytest.raises(TypeError, match="integer handle or an object with __cuda_stream__"):
        add(gpunp.asarray(X), 1, stream="main")


COMPILE_ERRORS = [
    (("z = x;\nz = nonsense(x);",), {}, r"bad[:(]2", "> 2 | z = nonsense(x);"),
    (("z = f(x)",), {"preamble": "\nint f(T x) { return y; }"}, r"bad\.preamble[:(]2", "> 2 | int f(T x)"),
    (("z = x",), {"loop_prep": "int 3k;"}, r"bad\.loop_prep[:(]1", "> 1 | int 3k;"),
    (("z = x",), {"after_loop": "\n\nk++;"}, r"bad\.after_loop[:(]3", "> 3 | k++;"),
    (("x = z",), {}, r"bad[:(]1", "> 1 | x = z"),
]


@pytest.mark.parametrize(("texts", "keywords", "place", "line"), COMPILE_ERRORS)
def test_messages_of_the_compiler(texts, keywords, place, line):
    bad = kernel("T x", "T z", *texts, "bad", **keywords)
    with pytest.raises(CompileException, match=place) as error:
        bad(gpunp.zeros(3))
    assert line in str(error.value)


def test_without_a_compiler(device, monkeypatch, tmp_path):
    if not device.is_cpu:
        pytest.skip("NVRTC compiles for GPUs")
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(tmp_path))
    with pytest.raises(RuntimeError, match="needs a C\\+\\+ compiler"):
        kernel("T x", "T z", "z = x - 12345", "without")(gpunp.zeros(3))
