"""The scripts of kernels/codegen, for the tests of what they compute."""

import importlib.util
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "kernels/codegen"


def script(name):
    """Import a script as a module, without running it."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
