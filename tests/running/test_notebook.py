"""``%load_ext gpunp`` in a notebook."""

import ast

import numpy as np
import pytest

import gpunp


class Shell:
    """What the extension uses of IPython's shell."""

    def __init__(self):
        self.user_ns, self.ast_transformers, self.magics = {}, [], {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function

    def run(self, cell):
        tree = ast.parse(cell)
        for transformer in self.ast_transformers:
            tree = transformer.visit(tree)
        exec(compile(tree, "<cell>", "exec"), self.user_ns)


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.setenv("GPUNP_RUN_THRESHOLD", "10")
    shell = Shell()
    shell.run("import numpy as np\nbefore = np.zeros(20)")
    gpunp.load_ipython_extension(shell)
    yield shell
    if shell.ast_transformers:
        gpunp.unload_ipython_extension(shell)


def test_cells(shell):
    shell.run("x = np.zeros(20)\nfrom numpy import ones\ny = ones(20)\nd = before[:, None] - before")
    for name in ("x", "y", "d"):
        assert type(shell.user_ns[name]) is gpunp.ndarray
    assert type(shell.user_ns["before"]) is np.ndarray
    loop = "    for i in range(20):\n        w[i, i] = 0\n"
    shell.run(f"def f(v):\n    w = v[:, None] * v\n{loop}    return w.sum()")
    gpunp.load_ipython_extension(shell)
    assert len(shell.ast_transformers) == 1
    gpunp.unload_ipython_extension(shell)
    shell.run("x = np.zeros(20)")
    assert type(shell.user_ns["x"]) is np.ndarray
    assert shell.user_ns["np"] is np
    # What cells have defined works on, with arrays of both kinds.
    for make in (np.arange, gpunp.arange):
        assert float(shell.user_ns["f"](make(20.0))) == 190**2 - 2470


def test_report_of_a_cell(shell, capsys):
    shell.magics["cell", "gpunp.report"]("", "x = np.arange(30.0)\ny = np.sqrt(x)\nfloat(y.sum())\n")
    text = capsys.readouterr().out
    assert "106.6056" in text.splitlines()[0]
    assert "what ran where" in text
    assert "<cell" in text
    assert "y = np.sqrt(x)" in text


def test_ipython(monkeypatch):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setenv("GPUNP_RUN_THRESHOLD", "10")
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "gpunp")
    try:
        assert shell.run_cell("import numpy as np\nx = np.zeros(20)").success
        assert type(shell.user_ns["x"]) is gpunp.ndarray
        assert shell.run_cell("%%gpunp.report\ny = x + 1").success
    finally:
        shell.run_line_magic("unload_ext", "gpunp")
