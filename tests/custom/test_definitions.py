"""How kernels are written, for `ElementwiseKernel` and `ReductionKernel`: names, texts, copies."""

import copy
import pickle

import numpy as np
import pytest

import gpunp
from gpunp.array.dtype import dtype_code
from gpunp.compiler import compile_source
from gpunp.cuda.compiler import CompileException
from gpunp.custom.reduction_source import reduction_source
from gpunp.custom.source import elementwise_source

elementwise, reduction = gpunp.ElementwiseKernel, gpunp.ReductionKernel
F8 = dtype_code(np.dtype("f8"))


@pytest.mark.parametrize("name", ["exp", "norm", "min", "T", "int", "std"])
def test_any_identifier_is_a_name(name, nvrtc):
    """Also one of a function or type of CUDA C++: in sources for GPUs, and in calls."""
    map_kernel = elementwise("T x", "T y", "y = exp(x)", name)
    fold_kernel = reduction("T x", "T y", "exp(x)", "a + b", "y = a", "0", name)
    sources = [
        elementwise_source(map_kernel, (F8, F8), [("array", 1)] * 2, (1, 1, 1, False), 256, None),
        reduction_source(fold_kernel, (F8, F8), [("array",)] * 2, (0, 0, 2)),
    ]
    for source in sources:
        assert compile_source(str(source), 90, name=name).image


def test_a_name_that_is_a_function_runs():
    x = gpunp.zeros(3)
    assert elementwise("T x", "T y", "y = exp(x)", "exp")(x).get().tolist() == [1, 1, 1]
    assert reduction("T x", "T y", "exp(x)", "a + b", "y = a", "0", "exp")(x).item() == 3


TEXTS = [
    ("// é\r\nT q = x;\r\ny = q + 1; // end", ""),
    ("y = x + 1; // \u2028 separates no lines, \x0c neither", ""),
    ("y = x + 1; \\", ""),
    ("T q = x;\ry = q + 1", ""),
    ("y = ADD(x)", "#define ADD(v) \\\r\n  ((v) + 1)\r\n// é \\"),
]


def test_texts():
    """Line ends of any system, Unicode, comments and continued lines."""
    kernels = [elementwise("T x", "T y", text, "text", preamble=preamble) for text, preamble in TEXTS]
    kernels.append(reduction("T x", "T y", "x + 1 // é", "a\r\n+ b // c", "y = a // d", "0 // e", "text"))
    for kernel in kernels:
        assert kernel(gpunp.ones(1)).item() == 2


def test_lines_of_messages_are_those_of_the_text():
    for text in ("T q = x;\r\ny = p;", "T q = x; // \u2028\ny = p;", "T q = x;\ry = p;"):
        with pytest.raises(CompileException) as error:
            elementwise("T x", "T y", text, "bad")(gpunp.ones(1))
        assert "> 2 | y = p;" in str(error.value)
    # An incomplete text ends in its last line.
    with pytest.raises(CompileException, match=r"bad[:(]2"):
        elementwise("T x", "T y", "if (x > 0) {\n y = x", "bad")(gpunp.ones(1))


def test_macros_of_options():
    """Macros with the names of template parameters, types and functions of gpunp's headers."""
    macros = ("-DN=2", "-D", "V=3", "--define-macro=RANK=4", "-DOp(x)=(x + 5)", "-DON", "-Daligned=6")
    text = "N + V + RANK + Op(x) + ON + aligned"
    assert elementwise("T x", "T y", f"y = {text}", options=macros)(gpunp.ones(1)).item() == 22
    total = reduction("T x", "T y", text, "a + b", "y = a", "0", options=macros)
    assert total(gpunp.ones(1)).item() == 22


def test_copies():
    options = {"options": ("-DF=2",), "return_tuple": True}
    more = elementwise("T x, raw int16 k", "T y", "y = x + k[0] * F", "more", **options)
    total = reduction("T x", "T y", "x", "a + b", "y = a", "0", "total", preamble="// none")
    k, x = gpunp.asarray([3], dtype="i2"), gpunp.ones(2)
    for again in (lambda kernel: pickle.loads(pickle.dumps(kernel)), copy.copy, copy.deepcopy):
        for _ in range(2):
            # Before and after the kernel is compiled.
            other = again(more)
            assert repr(other) == repr(more)
            assert other.kwargs == more.kwargs
            (y,) = other(x, k)
            assert y.get().tolist() == [7, 7]
            assert again(total)(x).item() == 2
            more(x, k), total(x)
