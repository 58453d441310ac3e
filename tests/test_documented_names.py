"""The names that programs written for other array libraries for CUDA use: each exists and is described."""

import importlib
import inspect
import pathlib

import pytest

# Names without a counterpart: asking for one tells what to use instead.
RETIRED = {"make_aligned_dtype", "prof", "time"}
# Modules that need a driver, or numba-cuda.
NEEDED = {"gpunp.cuda": "gpunp.cuda.driver", "gpunp.jit": "numba.cuda"}


def documented():
    """Names by module."""
    names, found = [], {}
    for line in (pathlib.Path(__file__).parent / "documented_names.txt").read_text().splitlines():
        if line.startswith("["):
            names = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            names += line.split()
    return found


NAMES = documented()


def find(path):
    """The module or class of a dotted name."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(path)


@pytest.mark.parametrize("path", [path for path in NAMES if path.rpartition(".")[2] not in RETIRED])
def test_documented_names(path):
    for prefix, module in NEEDED.items():
        if path.startswith(prefix):
            pytest.importorskip(module, exc_type=ImportError)
    home = find(path)
    missing = [name for name in NAMES[path] if name not in RETIRED and not hasattr(home, name)]
    assert missing == []
    # Numbers, such as those of CUDA's enumerations, have no description of their own.
    objects = {name: getattr(home, name) for name in NAMES[path] if name not in RETIRED}
    assert [name for name, found in objects.items() if callable(found) and not inspect.getdoc(found)] == []


@pytest.mark.parametrize("name", sorted(RETIRED))
def test_retired_names(name):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}': .*(gpunp\.|numpy\.)"):
        getattr(find("gpunp"), name)
