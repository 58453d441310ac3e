"""Notebooks: ``%load_ext gpunp`` makes the cells a program, ``%%gpunp.report`` reports about one."""

import ast
import itertools
import linecache
import os
import sys
import types

from gpunp.running import transform
from gpunp.running.lines import Recorder
from gpunp.running.report import Report
from gpunp.running.session import Session

_numbers = itertools.count(1)
# The session of each shell, and the transformer of its cells.
_loaded = {}


def load(shell):
    """Begin: cells that run from now on see a NumPy that places large arrays on the device.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    if id(shell) in _loaded:
        return
    session = Session([os.getcwd()])
    session.begin()
    transformer = transform.Transformer()
    shell.ast_transformers.append(transformer)
    shell.user_ns.update(transform.HELPERS)
    _exchange(shell.user_ns, dict(session.modules.pairs()))
    shell.register_magic_function(
        lambda line, cell: report(shell, cell), magic_kind="cell", magic_name="gpunp.report"
    )
    _loaded[id(shell)] = session, transformer


def unload(shell):
    """End; arrays stay where they are.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    session, transformer = _loaded.pop(id(shell))
    shell.ast_transformers.remove(transformer)
    _exchange(shell.user_ns, {ours: numpys for numpys, ours in session.modules.pairs()})
    # The functions of cells need the names of the calls in their code, which leave arrays where they are now.
    session.end()


def _exchange(space, modules):
    """Replace modules that cells have imported before."""
    for name, value in [*space.items()]:
        if isinstance(value, types.ModuleType) and value in modules:
            space[name] = modules[value]


def report(shell, cell):
    """Run a cell, and print which of its lines took how long, and where.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    cell : str
    """
    path = f"<cell {next(_numbers)}>"
    linecache.cache[path] = len(cell), None, cell.splitlines(keepends=True), path
    session, _ = _loaded[id(shell)]
    recorder = Recorder()
    try:
        _run(cell, path, shell.user_ns)
    finally:
        recorder.end()
        print(Report(recorder, session.threshold).text())


def _run(cell, path, space):
    """Run a cell; the value of an expression at its end is shown."""
    tree = ast.parse(cell, path)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(transform.compiled(tree, path), space)
    if last is not None:
        sys.displayhook(eval(transform.compiled(ast.Expression(last.value), path, "eval"), space))
