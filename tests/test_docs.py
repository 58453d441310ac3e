"""The examples of the README, the guide and the public docstrings, run on the CPU device."""

import doctest
import os
import re
from pathlib import Path

import numpy as np
import pytest

import gpunp
from gpunp.dispatch.registry import REGISTRATIONS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# Pages about a library of at least some version.
NEEDS = {"scipy.md": ("scipy", "1.18")}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_pages(page):
    with gpunp.Device("cpu"):
        result = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert result.failed == 0


@pytest.mark.parametrize("page", sorted((ROOT / "docs/ecosystem").glob("*.md")), ids=lambda page: page.name)
def test_examples_of_other_libraries(page):
    text = page.read_text()
    for name in re.findall(r"^>>> (?:from|import) (\w+)", text, re.MULTILINE):
        pytest.importorskip(name)
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name][0], minversion=NEEDS[page.name][1])
    if "SCIPY_ARRAY_API" in text and os.environ.get("SCIPY_ARRAY_API") != "1":
        pytest.skip("the examples need SCIPY_ARRAY_API=1")
    test_examples_of_pages(page)


def test_pages_have_examples():
    parser = doctest.DocTestParser()
    with_examples = {page.name for page in PAGES if parser.get_examples(page.read_text())}
    assert {"README.md", "getting-started.md", "transfers-and-devices.md", "differences.md"} <= with_examples


def test_examples_of_docstrings():
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with gpunp.Device("cpu"):
        for name, registration in sorted(REGISTRATIONS.items()):
            for example in finder.find(registration.handler, name, globs={"gpunp": gpunp, "np": np}):
                runner.run(example)
    assert runner.failures == 0
