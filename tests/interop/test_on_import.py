"""Adapters are imported together with their libraries, in either order of imports, and not without them."""

import subprocess
import sys
import zipfile

import pytest

# The program sees a package `other`, which stands for a library, and an adapter that prints when imported.
PROGRAM = """
import sys, types, warnings
warnings.simplefilter("error")
sys.path.insert(0, {folder!r})
from gpunp.interop import _on_import
{program}
"""


@pytest.fixture
def run(tmp_path, device):
    """Return a function that runs a program with `other` and `adapter` and returns the printed lines."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "__init__.py").write_text("from other import part\nready = True\n")
    (tmp_path / "other" / "part.py").write_text("")
    (tmp_path / "adapter.py").write_text("import other\nprint('adapted', other.ready)\n")
    (tmp_path / "broken.py").write_text("raise LookupError('no such hook')\n")

    def call(program):
        code = PROGRAM.format(folder=str(tmp_path), program=program)
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split("\n")[:-1]

    return call


def test_library_after_gpunp(run):
    printed = run(
        "_on_import.ADAPTERS = {'other': 'adapter'}; finder = _on_import.AdapterFinder(); finder.install()\n"
        "import json.tool; print('before'); import other; print(finder.waiting, other.__loader__.name)"
    )
    assert printed == ["before", "adapted True", "{} other"]


def test_library_before_gpunp(run):
    printed = run(
        "import other; print('before')\n"
        "_on_import.ADAPTERS = {'other': 'adapter'}; finder = _on_import.AdapterFinder(); finder.install()"
    )
    assert printed == ["before", "adapted True"]


@pytest.mark.parametrize("before", [True, False])
def test_a_function_of_an_adapter_gets_the_name(run, tmp_path, before):
    (tmp_path / "adapter.py").write_text("def adapt(name):\n    print('adapted', name)\n")
    install = "_on_import.ADAPTERS = {'other': 'adapter:adapt'}; _on_import.AdapterFinder().install()"
    assert run(f"import other\n{install}" if before else f"{install}\nimport other") == ["adapted other"]


def test_several_libraries_before_gpunp(run, tmp_path):
    # The first adapter imports another module, which calls the finder recursively.
    (tmp_path / "adapter.py").write_text("import colorsys\nprint('adapted')\n")
    printed = run(
        "import other, other.part\n"
        "_on_import.ADAPTERS = {'other': 'adapter', 'other.part': lambda: print('part')}\n"
        "_on_import.AdapterFinder().install()"
    )
    assert sorted(printed) == ["adapted", "part"]


def test_gpunp_while_the_library_is_imported(run, tmp_path):
    (tmp_path / "other" / "part.py").write_text(
        "from gpunp.interop import _on_import\n"
        "_on_import.ADAPTERS = {'other': 'adapter'}; _on_import.AdapterFinder().install(); print('too early')"
    )
    assert run("import other; print('imported'); import colorsys") == [
        "too early",
        "imported",
        "adapted True",
    ]


def test_library_that_fails_may_be_imported_again(run, tmp_path):
    (tmp_path / "other" / "part.py").write_text(
        "import sys\nif not hasattr(sys, 'mended'): raise ImportError"
    )
    printed = run(
        "_on_import.ADAPTERS = {'other': 'adapter'}; _on_import.AdapterFinder().install()\n"
        "try: import other\n"
        "except ImportError: print('failed')\n"
        "sys.mended = True; import other"
    )
    assert printed == ["failed", "adapted True"]


def test_library_in_a_zip_file(run, tmp_path):
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as file:
        file.writestr("zipped/__init__.py", "from zipped import part\n")
        file.writestr("zipped/part.py", "")
        file.writestr("beside.py", "")
    (tmp_path / "adapter.py").write_text("print('adapted')\n")
    printed = run(
        "_on_import.ADAPTERS = {'zipped': 'adapter'}; _on_import.AdapterFinder().install()\n"
        f"sys.path.insert(0, {str(tmp_path / 'library.zip')!r}); import zipped; print('then'); import beside"
    )
    assert printed == ["adapted", "then"]


def test_failure_of_an_adapter_is_a_warning(run):
    printed = run(
        "_on_import.ADAPTERS = {'other': 'broken'}; _on_import.AdapterFinder().install()\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always'); import other\n"
        "print(caught[0].category.__name__, caught[0].message)"
    )
    (line,) = printed
    assert line == "RuntimeWarning gpunp has not registered its arrays with other: LookupError: no such hook"


def test_several_adapters_of_one_library(run):
    printed = run(
        "_on_import.ADAPTERS = {'other': 'adapter'}; finder = _on_import.AdapterFinder(); finder.install()\n"
        "finder.add('other', lambda: print('second')); print('before'); import other\n"
        "finder.add('other', lambda: print('after'))"
    )
    assert printed == ["before", "adapted True", "second", "after"]


def test_no_library_is_imported_by_gpunp(run):
    assert run("print([name for name in _on_import.ADAPTERS if name in sys.modules])") == ["[]"]
