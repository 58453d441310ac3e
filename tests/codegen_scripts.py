"""The scripts of kernels/codegen, for the tests of what they compute."""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "kernels/codegen"


def script(name):
    """Import a script as a module, without running it."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    # As for a script that is run, modules beside it can be imported.
    sys.path.insert(0, str(FOLDER))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module
