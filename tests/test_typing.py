"""Tests that the generated stub is valid Python and has every public name."""

import ast
import subprocess
import sys
from pathlib import Path

import gpunp

GENERATOR = Path(__file__).parents[1] / "gpunp" / "_typing" / "generate.py"


def test_stub_has_every_public_name(tmp_path):
    target = tmp_path / "gpunp.pyi"
    # Without installed packages: the build runs it before there is a gpunp.
    subprocess.run([sys.executable, "-S", GENERATOR, target], check=True)
    names, members = set(), set()
    for node in ast.parse(target.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            names.add(ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]))
        elif isinstance(node, ast.ImportFrom) and node.level:
            names.update(alias.asname for alias in node.names)
        if isinstance(node, ast.ClassDef) and node.name == "ndarray":
            for member in node.body:
                members.add(getattr(member, "name", None) or ast.unparse(member.target))
    assert sorted(set(gpunp.__all__) - names) == []
    attributes = {name for name in dir(gpunp.ndarray) if not name.startswith("_")}
    # `ctypes` remains once a program has run under `gpunp run` in this process.
    internal = {"data_address", "buffer_address", "element_place", "ctypes"}
    assert sorted(attributes - members - internal) == []
