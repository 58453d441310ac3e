import contextlib
import io
import textwrap

import pytest

from gpunp.running.program import Program
from gpunp.running.session import Session


class Run:
    """What a program printed, and its variables."""

    def __init__(self, text, variables):
        self.text, self.variables = text, variables

    def __getitem__(self, name):
        return self.variables[name]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that runs source as a program; arrays of ten elements or more are on the device."""

    def run(source, threshold=10, **settings):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(source))
        monkeypatch.chdir(tmp_path)
        made, text = Program([str(path)]), io.StringIO()
        with Session(made.folders, threshold=threshold, **settings), contextlib.redirect_stdout(text):
            try:
                made.run()
            finally:
                made.forget()
        return Run(text.getvalue(), vars(made.module))

    return run
