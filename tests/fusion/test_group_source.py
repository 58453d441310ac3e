"""Sources of groups: they compile for CUDA with the headers that they include, without contraction."""

import re
import time

import pytest
from groups import table_loops

from gpunp.compiler import compile_source
from gpunp.dtype_codes import CHARS, NAMES
from gpunp.fusion.compiled import key_of
from gpunp.fusion.description import (
    ABSENT,
    CONSTANT,
    CUDA_OPTIONS,
    FOLD,
    FULL,
    LEAF,
    Description,
    Rows,
    RowStep,
    StepText,
)
from gpunp.fusion.source import group_source, headers
from gpunp.ufunc.table.functions import loop_of_kernel
from gpunp.ufunc.table.row import unit_of

UNIT, ALIGNED = 1, 2
MANY = 32
ONE_BY_ONE = (1, 1, 1, False, 0)


@pytest.fixture
def nvrtc():
    from gpunp.compiler import nvrtc

    try:
        nvrtc.version()
    except RuntimeError as error:
        pytest.skip(str(error))


def step(row, loop):
    """A step on leaves whose numbers are the dtype codes."""
    origins = [LEAF + CHARS.index(char) for char in loop.inputs]
    origins += [ABSENT] * (5 - len(origins))
    return StepText(row.unit(loop), row.symbol(loop), tuple(origins), CHARS.index(loop.outputs))


def described(steps, loop=ONE_BY_ONE, role=UNIT):
    """A group with a leaf of every dtype, and a store of the last steps."""
    steps = tuple(steps)
    stores = tuple((each.code, role, number) for number, each in enumerate(steps))
    return Description(steps, tuple((code, role) for code in range(len(CHARS))), stores, (), loop)


def ptx(description):
    image = compile_source(group_source(description), 90, options=(*CUDA_OPTIONS, "-arch=compute_90")).image
    return image.decode()


def groups_by_headers():
    found = {}
    for row, loop in table_loops():
        found.setdefault((frozenset(headers(row, loop)), loop.inputs[-1]), []).append(step(row, loop))
    return [
        pytest.param(steps[i : i + MANY], id="-".join([*sorted(names), char, str(i // MANY)]))
        for (names, char), steps in found.items()
        for i in range(0, len(steps), MANY)
    ]


@pytest.mark.parametrize("steps", groups_by_headers())
def test_every_loop_compiles_for_cuda(nvrtc, steps):
    assert ".entry gpunp_group" in ptx(described(steps))


def test_every_conversion_compiles_for_cuda(nvrtc):
    for source in NAMES:
        steps = [
            StepText(
                unit_of("cast", source),
                f"cast_{source}_{target}",
                (LEAF + NAMES.index(source), *[ABSENT] * 4),
                NAMES.index(target),
            )
            for target in NAMES
            if target != source
        ]
        compile_source(group_source(described(steps)), 90, options=CUDA_OPTIONS)


def symbol(name, chars):
    return "_".join([name, "".join(NAMES[CHARS.index(char)] for char in chars)])


def chain(char, *named):
    """A chain of steps whose first input is the value before, and whose other inputs are leaves."""
    steps = []
    for number, (family, name, nin) in enumerate(named):
        origins = [number - 1 if number else LEAF, *[LEAF + 1 + k for k in range(nin - 1)]]
        origins += [ABSENT] * (5 - nin)
        unit = unit_of(family, NAMES[CHARS.index(char)])
        steps.append(StepText(unit, symbol(name, char * nin), tuple(origins), CHARS.index(char)))
    code = CHARS.index(char)
    return Description(tuple(steps), ((code, UNIT),) * 3, ((code, UNIT, len(steps) - 1),), (), ONE_BY_ONE)


@pytest.mark.parametrize("char", ["f", "d", "F", "D"])
def test_products_and_sums_are_not_contracted(nvrtc, char):
    description = chain(
        char, ("arithmetic", "multiply", 2), ("arithmetic", "add", 2), ("arithmetic", "subtract", 2)
    )
    assert "fma" not in ptx(description)


def operations(text):
    """The names of the operations on floats, in their order in the code for the rest of a vector."""
    found = re.findall(r"\b(add|sub|mul|neg|abs)(?:\.\w+)*\.f32", text)
    return found[len(found) // 2 :]


def test_signs_are_not_moved(nvrtc):
    # Neither into the next operation nor out of it, as NaNs would get other signs. -x + zero is zero - x.
    negative, subtract, multiply = (
        ("arithmetic", *each) for each in (("negative", 1), ("subtract", 2), ("multiply", 2))
    )
    assert operations(ptx(chain("f", negative, subtract))) == ["sub", "sub"]
    assert operations(ptx(chain("f", negative, multiply, negative))) == ["sub", "mul", "sub"]
    absolute = ("arithmetic", "absolute", 1)
    assert operations(ptx(chain("f", multiply, absolute, multiply))) == ["mul", "abs", "add", "mul"]


def test_conversions_back_are_kept(nvrtc):
    steps = (
        StepText("cast_f4", "cast_f4_f8", (LEAF, *[ABSENT] * 4), CHARS.index("d")),
        StepText("cast_f8", "cast_f8_f4", (0, *[ABSENT] * 4), CHARS.index("f")),
    )
    text = ptx(Description(steps, ((10, UNIT),), ((10, UNIT, 1),), (), ONE_BY_ONE))
    assert text.count("cvt.f64.f32") == text.count("cvt.rn.f32.f64") == 2


def test_functions_appear_once_and_headers_as_needed():
    description = chain("f", *[("arithmetic", "add", 2)] * 5)
    text = group_source(description)
    assert text.count("math::add(") == 1
    assert [line for line in text.splitlines() if line.startswith("#include")] == [
        '#include "gpunp/fusion/group.h"',
        '#include "gpunp/math/floating.h"',
    ]


@pytest.mark.parametrize("loop", [(2, 2, 4, False, 2), (3, 1, 2, False, 4)])
def test_tiles_compile_for_cuda(nvrtc, loop):
    one = chain("f", ("arithmetic", "add", 2), ("arithmetic", "multiply", 2))
    text = group_source(one._replace(loop=loop))
    assert '#include "gpunp/fusion/tiles.h"' in text
    for architecture in (80, 90):
        compile_source(text, architecture, options=CUDA_OPTIONS)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("code", ["e", "f", "d"])
def test_rows_compile_for_cuda(nvrtc, code, width):
    kind = CHARS.index(code)
    name = NAMES[kind]
    wide = "f4" if code == "e" else name
    rows = Rows(
        (
            RowStep("", f"maximum_{name}_{wide}", (LEAF, *[ABSENT] * 4), kind, FOLD, 0, -1),
            RowStep(
                f"arithmetic_{name}", f"subtract_{name}{name}", (LEAF, 0, *[ABSENT] * 3), kind, FULL, 1, -1
            ),
        ),
        ((kind, FULL, 0),),
        ((kind, 1),),
        (),
        (width, 4),
    )
    assert "copies.start<W, " in rows.source()
    for architecture in (80, 90):
        compile_source(rows.source(), architecture, options=CUDA_OPTIONS)


def test_constants_are_parameters():
    steps = (StepText("arithmetic_f4", "add_f4f4", (LEAF, CONSTANT, *[ABSENT] * 3), 10),)
    text = group_source(Description(steps, ((10, UNIT),), ((10, UNIT, 0),), (10,), ONE_BY_ONE))
    assert "constant0 = _p.scalar<f4>(2)" in text


def test_keys():
    one = chain("f", ("arithmetic", "add", 2))
    others = [
        chain("d", ("arithmetic", "add", 2)),
        chain("f", ("arithmetic", "subtract", 2)),
        one._replace(loop=(2, 1, 1, False, 0)),
        one._replace(loop=(2, 1, 2, False, 2)),
        one._replace(leaves=((10, ALIGNED),) * 3),
        one._replace(constants=(10,)),
        one._replace(stores=((9, UNIT, 0),)),
    ]
    keys = [key_of(each, architecture) for each in (one, *others) for architecture in (80, 90)]
    assert len(set(keys)) == len(keys)
    assert key_of(chain("f", ("arithmetic", "add", 2)), 90) == key_of(one, 90)


def test_headers_of_a_key(monkeypatch):
    import gpunp.compiler.header_hash

    one = chain("f", ("arithmetic", "add", 2))
    before = key_of(one, 90)
    monkeypatch.setattr(gpunp.compiler.header_hash, "HASH", "other")
    assert key_of(one, 90) != before


def test_compile_time(nvrtc, own_cache):
    # A compilation takes 50 ms of a processor; this catches a header that includes far too much.
    description = chain(
        "f", *[("arithmetic", name, 2) for name in ("add", "multiply", "subtract", "add")] * 2
    )
    seconds = []
    for n in range(4):
        source = group_source(description._replace(loop=(1, 4, 2, False, 0), constants=(n,)))
        before = time.process_time()
        compile_source(source, 90, options=CUDA_OPTIONS)
        seconds.append(time.process_time() - before)
    assert min(seconds) < 1


def test_every_kernel_of_the_table_is_found():
    for row, loop in table_loops():
        assert loop_of_kernel(row.unit(loop), row.symbol(loop)) == (row, loop)
    with pytest.raises(KeyError, match="add_f4f4"):
        loop_of_kernel("arithmetic_f8", "add_f4f4")
