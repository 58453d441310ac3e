"""Sources of elementwise kernels compile for every architecture, and access memory as they should."""

import itertools

import numpy as np
import pytest

import gpunp
from gpunp.array.dtype import DTYPES, dtype_code
from gpunp.compiler import compile_source
from gpunp.custom.source import elementwise_source, is_long, takes_address, uses_axes, uses_index

F4 = dtype_code(np.dtype("f4"))
STRIDED, UNIT, ALIGNED, SPREAD, IN_MEMORY = range(5)


def image(source, architecture, *options):
    """Compile for a GPU that the machine need not have."""
    return compile_source(str(source), architecture, name="test", options=options).image


def source(operation, roles, codes, loop=(1, 4, 2, False), threads=256, **texts):
    """Return the source of a kernel of arrays with these roles, of which the last is the output."""
    inputs = ", ".join(f"T{k} x{k}" for k in range(len(roles) - 1))
    kernel = gpunp.ElementwiseKernel(inputs, "R z", operation, "test", **texts)
    return elementwise_source(kernel, codes, [("array", role) for role in roles], loop, threads, None)


@pytest.mark.parametrize("architecture", [75, 80, 90, 100, 120])
def test_dtypes_compile(architecture, nvrtc):
    # One kernel with operands of all dtypes, in vectors of one width.
    names = " + ".join(f"(x{k} == x{k})" for k in range(len(DTYPES)))
    codes = (*range(len(DTYPES)), dtype_code(np.dtype("i4")))
    for loop in ((1, 2, 2, False), (3, 1, 1, True)):
        role = ALIGNED if loop[1] > 1 else UNIT
        assert image(source(f"z = {names}", [role] * len(codes), codes, loop), architecture)


@pytest.mark.parametrize(("width", "architecture"), [(1, 75), (4, 90)])
def test_roles_compile(width, architecture, nvrtc):
    for roles in itertools.product([STRIDED, UNIT, ALIGNED, SPREAD, IN_MEMORY], [UNIT, ALIGNED, IN_MEMORY]):
        for loop in ((1, width, 2, False), (2, width, 2, True)):
            if width > 1 or ALIGNED not in roles:
                assert image(source("z = x0", roles, (F4, F4), loop, 1024), architecture)


def ptx(*args, **texts):
    return image(source(*args, **texts), 90, "-arch=compute_90").decode()


def test_accesses_of_saxpy(nvrtc):
    text = ptx("z = 3 * x0 + x1", [ALIGNED] * 3, (F4,) * 3)
    # Two vectors of each input; the output, which is always assigned, is not read.
    assert text.count("ld.global.v4") == 4
    assert text.count("st.global.v4") == 2
    # Every copy of the operation is contracted: 8 elements of whole vectors, and one for the rest.
    assert text.count("fma.rn.f32") == 9
    assert text.count(".local") == 0


def test_outputs_are_read_only_if_they_may_stay(nvrtc):
    stays = ptx("if (x0 > 0) z = x0", [ALIGNED] * 2, (F4,) * 2)
    assert stays.count("ld.global.v4") == 4
    always = ptx("if (x0 > 0) z = x0; else z = 1", [ALIGNED] * 2, (F4,) * 2)
    assert always.count("ld.global.v4") == 2


def test_vectors_of_mixed_sizes(nvrtc):
    u1 = dtype_code(np.dtype("u1"))
    text = ptx("z = x0", [ALIGNED] * 2, (u1, F4), (1, 8, 1, False))
    # 8 bytes in one load, 32 bytes in two stores.
    assert text.count("ld.global.v2.u32") == 1
    assert text.count("st.global.v4") == 2


def test_loops_of_the_host_are_vectorized(tmp_path, monkeypatch):
    log = tmp_path / "log"
    # Code from the cache would write no log.
    monkeypatch.setenv("GPUNP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CXX", f"g++ -fopt-info-vec={log}")
    for operation in ("z = 3 * x0 + x1", "if (x0 > x1) z = x0"):
        compile_source(str(source(operation, [UNIT] * 3, (F4,) * 3)), gpunp.Device("cpu"), name="test")
        assert "loop vectorized" in log.read_text()
        log.unlink()


ADDRESSES = [
    ("f(&z)", True),
    ("f(x, & z)", True),
    ("T* p = &z;", True),
    ("return &z;", True),
    ("&z", True),
    ("x & z", False),
    ("(x) &z", False),
    ("x[3] & z", False),
    ("a && z", False),
    ("a &&z", False),
    ("f(&zz)", False),
    ("f(&y)", False),
]


@pytest.mark.parametrize(("text", "expected"), ADDRESSES)
def test_takes_address(text, expected):
    assert takes_address("z", text) is expected


@pytest.mark.parametrize(
    ("text", "index", "axes"),
    [
        ("z = i", True, False),
        ("z = _ind.size()", False, False),
        ("z = _ind . size() - 1", False, False),
        ("z = _ind.get()[0]", True, True),
        ("z = ii + i_ + n", False, False),
    ],
)
def test_uses_of_the_index(text, index, axes):
    assert (uses_index([text]), uses_axes([text])) == (index, axes)


def test_long_operations():
    assert not is_long("z = x + y")
    assert is_long("for (int k = 0; k < 3; k++) z += k")
    assert is_long("z = x;" * 100)
    assert not is_long("z = format(do_it)")
