"""`import gpunp` imports no chapter: a table of names and modules locates each function at its first use."""

import os
import subprocess
import sys

import pytest

import gpunp
from gpunp.dispatch import registry
from gpunp.dispatch.registry import HOMES, REGISTRATIONS
from gpunp.ufunc import engine, rows, table, write_rows

CHAPTERS = {home.partition(".")[0] for home in HOMES.values()} - {"array"}
# The most modules that `import gpunp` may load: arrays, their operators and protocols.
MOST_MODULES = 64


def run(program, *arguments):
    """Return what a program prints in a fresh process."""
    environment = {**os.environ, "GPUNP_DEVICE": "cpu"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_imports_no_chapter_and_nothing_else():
    program = "import sys, numpy; before = set(sys.modules); import gpunp; print(*set(sys.modules) - before)"
    imported = set(run(program).split())
    ours = {name for name in imported if name.partition(".")[0] == "gpunp"}
    assert {name for name in imported - ours if "cython" not in name} == set()
    # Tables that the build writes for first use.
    assert {"gpunp.dispatch.homes", "gpunp.ufunc.rows"} <= ours
    # The only modules of chapters are the hooks of indexing and the copy engine.
    needed = {"gpunp.indexing", "gpunp.indexing.basic", "gpunp.indexing.few", "gpunp.indexing.few_axes"}
    needed |= {"gpunp.manipulation", "gpunp.manipulation.moves"}
    assert {name for name in ours - needed if (name + ".").split(".")[1] in CHAPTERS} == set()
    # On Python 3.11 hooks need a module more.
    assert len(ours) <= MOST_MODULES + (sys.version_info < (3, 12))


def test_modules_without_a_function_of_numpy_are_found():
    assert run("import gpunp; print(gpunp.fft.config.get_plan_cache.__name__)") == "get_plan_cache\n"


def test_a_function_imports_its_chapter_only():
    program = """
import sys, numpy, gpunp
a = gpunp.asarray([1.0, 2.0])
print(float(numpy.sum(a)), float(a.mean()))
print(*(name for name in sys.modules if name.startswith(("gpunp.linalg", "gpunp.fft", "gpunp.sets"))))
"""
    assert run(program).split() == ["3.0", "1.5"]


def test_every_module_can_be_the_first():
    # Import each module in a fork of a process that has imported only gpunp.
    program = """
import importlib, os, sys
import gpunp
for home in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        importlib.import_module(f"gpunp.{home}")
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(home)
"""
    assert run(program, *sorted(set(HOMES.values()))) == ""


def test_table_of_homes_is_what_is_registered():
    assert set(HOMES) == set(registry.NAMESPACE)
    for name, registration in REGISTRATIONS.items():
        assert f"gpunp.{HOMES[name]}" == registration.module


def test_rows_are_the_op_table():
    assert write_rows.rows_of(table) == rows.ROWS
    for row in (*table.ROWS, *table.STANDARD_ROWS):
        ufunc = engine.UFUNCS[row.namespace, row.name]
        assert ufunc.types == [f"{loop.inputs}->{loop.outputs}" for loop in row.loops]
        assert (ufunc.nin, ufunc.nout) == (row.nin, row.nout)


@pytest.mark.parametrize("name", gpunp.__all__)
def test_every_public_name_is_found(name):
    assert hasattr(gpunp, name)


def test_the_whole_namespace_by_import_star():
    program = "from gpunp import *; import gpunp; print(set(gpunp.__all__) <= {*globals()}, sum is gpunp.sum)"
    assert run(program).split() == ["True", "True"]


def test_dir_has_every_name():
    assert set(gpunp.__all__) <= set(dir(gpunp))
    assert {"norm", "solve", "svd"} <= set(dir(gpunp.linalg))
    with pytest.raises(AttributeError, match=r"module 'gpunp.linalg' has no attribute 'nonsense'"):
        gpunp.linalg.nonsense  # noqa: B018


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        # A package and a function have this name.
        ("gpunp.array([1]).shape", "(1,)"),
        ("gpunp.linalg.norm(gpunp.ones(4))", "2.0"),
        ("gpunp.lib.stride_tricks.as_strided.__name__", "as_strided"),
        ("gpunp.polynomial.polynomial.polyadd.__name__", "polyadd"),
        ("gpunp.emath.sqrt is gpunp.lib.scimath.sqrt", "True"),
        ("gpunp.concat is gpunp.concatenate", "True"),
        ("(gpunp.ones((2, 3)) @ gpunp.ones(3))[1]", "3.0"),
        ("numpy.matmul(gpunp.ones((2, 3)), gpunp.ones(3))[1]", "3.0"),
        ("gpunp.ones(3)[gpunp.asarray([0, 2])].size", "2"),
        ("numpy.fft.fft(gpunp.ones(1))[0]", "(1+0j)"),
        ("gpunp.fft.rfftfreq(2, device='cpu')[1]", "0.5"),
        ("gpunp.ones(2).flat[1]", "1.0"),
        ("repr(gpunp.ones(1))", "array([1.])"),
    ],
)
def test_first_use_in_a_fresh_process(expression, text):
    assert run(f"import numpy, gpunp; print({expression})").strip() == text
