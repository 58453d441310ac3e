"""Tests of the documentation: its examples run; the paths, extras, variables and messages it names exist.

Examples run on the CPU device.
"""

import doctest
import os
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import gpunp
from gpunp.dispatch.registry import REGISTRATIONS
from gpunp.namespace import kernel_names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted((DOCS / "kernels").glob("*.md"))]
ALL_PAGES = [*PAGES, *sorted(DOCS.glob("*/*.md"))]
LIBRARY_PAGES = [*sorted((DOCS / "ecosystem").glob("*.md")), *sorted((DOCS / "scipy").glob("*.md"))]
# The version of SciPy whose behaviour the pages on it show.
SCIPY = "1.18"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Top-level folders of paths that the documentation cites.
TREES = ("gpunp", "gpunp_scipy", "kernels", "tests", "docs", r"\.ci")


def page_id(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_examples_of_pages(page):
    with gpunp.Device("cpu"):
        result = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert result.failed == 0


@pytest.mark.parametrize("page", LIBRARY_PAGES, ids=page_id)
def test_examples_of_other_libraries(page):
    text = page.read_text()
    for name in re.findall(r"^>>> (?:from|import) (\w+)", text, re.MULTILINE):
        pytest.importorskip(name)
    if "scipy" in (page.stem, page.parent.name):
        pytest.importorskip("scipy", minversion=SCIPY)
    if "SCIPY_ARRAY_API" in text and os.environ.get("SCIPY_ARRAY_API") != "1":
        pytest.skip("the examples need SCIPY_ARRAY_API=1")
    test_examples_of_pages(page)


def test_pages_have_examples():
    parser = doctest.DocTestParser()
    with_examples = {page.name for page in PAGES if parser.get_examples(page.read_text())}
    assert with_examples >= {
        "README.md",
        "cheat-sheet.md",
        "coming-from-cupy.md",
        "differences.md",
        "error-messages.md",
        "functions.md",
        "getting-started.md",
        "index.md",
        "transfers-and-devices.md",
    }


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_id)
def test_code_that_is_not_run_is_python(page):
    blocks = re.findall(r"^ *```python\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL)
    for block in blocks:
        if ">>>" not in block:
            compile(block, page_id(page), "exec")


def test_examples_of_docstrings():
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    with gpunp.Device("cpu"):
        objects = {name: registration.handler for name, registration in REGISTRATIONS.items()}
        objects |= {name: getattr(gpunp, name) for name in kernel_names()}
        for name, found in sorted(objects.items()):
            for example in finder.find(found, name, globs={"gpunp": gpunp, "np": np}):
                runner.run(example)
    assert runner.failures == 0


def test_docstrings_of_attributes_have_no_type():
    # The reference shows text before a colon as the type of the attribute.
    attributes = {name: value for name, value in vars(gpunp.ndarray).items() if hasattr(value, "__set__")}
    assert {"T", "shape", "flags"} <= set(attributes)
    lines = {name: (value.__doc__ or "").partition("\n")[0] for name, value in attributes.items()}
    assert {name: line for name, line in lines.items() if re.match(r"[^`]*: ", line)} == {}


def cited_paths(text):
    """Words in backticks or in shell commands that look like paths of the repository."""
    quoted = re.findall(r"`([^`\n]+)`", text)
    for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL):
        quoted += block.split()
    for word in quoted:
        # Only the path of a word, without a test or line after it.
        path = re.match(rf"((?:{'|'.join(TREES)})/[\w./*<>-]*)", word)
        if path and " " not in word:
            yield re.sub(r"<\w+>", "*", path[1]).rstrip(".")


@pytest.mark.parametrize("page", ALL_PAGES, ids=page_id)
def test_cited_paths_exist(page):
    missing = [path for path in cited_paths(page.read_text()) if not any(ROOT.glob(path.rstrip("/")))]
    assert missing == []


def test_cited_paths_are_found():
    text = "`gpunp/array/` `tests/x.py::test_y` `docs/<page>.md` `np.sum`\n```bash\nrun tests/fuzz --x\n```"
    assert list(cited_paths(text)) == ["gpunp/array/", "tests/x.py", "docs/*.md", "tests/fuzz"]


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "performance.md"], ids=page_id)
def test_relative_links_exist(page):
    # Sphinx checks the links of its pages, but README.md is not one of them, and performance.md is generated.
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def sources(*trees, suffixes=(".py", ".pyx", ".pxd")):
    """The text of each source file in these folders."""
    for tree in trees:
        for path in sorted((ROOT / tree).rglob("*")):
            if path.suffix in suffixes and path != Path(__file__):
                yield path.read_text()


def test_extras_that_are_named_exist():
    texts = [page.read_text() for page in ALL_PAGES] + list(sources("gpunp", "gpunp_scipy"))
    lists = re.findall(r"gpunp\[([a-z,]+)\]", "".join(texts))
    named = {name for names in lists for name in names.split(",")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert named >= {"demo", "jit", "sparse"}
    assert named - set(project["optional-dependencies"]) == set()


def environment_variables():
    """The names of environment variables in the sources."""
    found = set()
    for text in sources("gpunp", "gpunp_scipy", "kernels", "tests", "docs"):
        found.update(re.findall(r"environ(?:\.\w+\(|\[)\s*\"(\w+)\"", text))
        found.update(re.findall(r"\"(\w+)\" (?:not )?in os\.environ", text))
        # Names in a loop over variables, or in a dict for a process.
        for variables in re.findall(r"for variable in \(([^)]*)\)|\*\*os\.environ,([^}]*)\}", text):
            found.update(re.findall(r"\"(\w+)\"", "".join(variables)))
        for body in re.findall(r"\b(?:caches|environment) = \{([^}*]*)\}", text):
            found.update(re.findall(r"\"(\w+)\":", body))
    for text in sources("gpunp", "gpunp_scipy", "tests"):
        names = re.findall(r"\"(GPUNP_[A-Z_]+)\"", text)
        found.update(name for name in names if f"#define {name}" not in text)
    for text in sources("tests/cuda/fake_driver", suffixes=(".h", ".cpp")):
        found.update(re.findall(r"(?:getenv|env_number)\(\"(\w+)\"", text))
    return {name for name in found if name.isupper()}


def test_environment_page_has_every_variable():
    listed = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", (DOCS / "environment.md").read_text()))
    used = environment_variables()
    assert used >= {"GPUNP_DEVICE", "CUDA_HOME", "GPUNP_CACHE_DIR", "OPENBLAS_NUM_THREADS", "FAKE_DEVICES"}
    assert used - listed == set()
    assert {name for name in listed if name.startswith(("GPUNP_", "FAKE_"))} - used == set()


def message_templates():
    """The string literals of the package, adjacent ones joined, with NUL in place of formatted values."""
    literal = r"[bfr]{0,2}\"(?:[^\"\\\n]|\\.)*\"|[bfr]{0,2}'(?:[^'\\\n]|\\.)*'"
    for text in sources("gpunp", "gpunp_scipy"):
        for match in re.finditer(rf"(?:{literal})(?:\s*(?:{literal}))*", text):
            parts = re.findall(literal, match[0])
            joined = "".join(re.sub(r"^[bfr]*", "", part)[1:-1] for part in parts)
            yield re.sub(r"\{[^{}]*\}", "\0", joined.replace('\\"', '"').replace("\\'", "'"))


def is_made_from(message, template):
    """Whether a template can produce a message, in which ``...`` stands for any text."""
    if re.search(".*".join(re.escape(part) for part in message.split("...")), template):
        return True
    fixed = template.split("\0")
    return len("".join(fixed)) > 20 and re.fullmatch(".+".join(map(re.escape, fixed)), message) is not None


def quoted_messages():
    """The type and text of each message in error-messages.md that no example on the page raises."""
    text = (DOCS / "error-messages.md").read_text()
    for block in re.findall(r"```text\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            kind, _, message = line.partition(": ") if re.match(r"\w+: ", line) else ("", "", line)
            # Messages of errors found by kernels start with the name of the call.
            yield kind, re.sub(r"^(\.\.\.|take): ", "", message)


def test_messages_of_the_error_page_are_raised_somewhere():
    templates = list(message_templates())
    code = "\n".join(sources("gpunp", "gpunp_scipy"))
    missing = [
        message
        for kind, message in quoted_messages()
        if not any(is_made_from(message, template) for template in templates)
        or not re.search(rf"\b{kind}\b", code)
    ]
    assert missing == []
    reasons = re.findall(r"^\| `([^`]+)` \|", (DOCS / "error-messages.md").read_text(), re.MULTILINE)
    assert len(reasons) >= 5
    assert [each for each in reasons if not any(is_made_from(each, template) for template in templates)] == []


@pytest.mark.parametrize("message", ["the operands of ... are unhappy", "out of memory: requested ... bytes"])
def test_invented_messages_are_told_from_those_of_the_code(message):
    assert not any(is_made_from(message, template) for template in message_templates())
