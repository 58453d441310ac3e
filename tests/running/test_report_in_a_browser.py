"""The page of the report in a real browser, without a window: skipped where there is none."""

import json
import re
import shutil
import subprocess

import pytest

from gpunp.running.html_report import page
from gpunp.running.lines import Recorder
from gpunp.running.report import Report

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser: install Chromium")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
COLOURS = {"device": "rgb(217, 242, 217)", "transfer": "rgb(255, 240, 194)", "fallback": "rgb(255, 214, 209)"}
TRANSPARENT = "rgba(0, 0, 0, 0)"
SOURCE = """
import numpy as np

u = np.linspace(0, 1, 50)
for i in range(40):
    u = np.sqrt(u * u + 0.5)
text = u.astype(str)
seen = bytes(memoryview(u))
title = "<script>throw 'a < b'</script> & \\u00e4"
names = [name for name in (1, 2, 3)]
"""
# Before anything else in the page: what goes wrong in it is collected.
BEFORE = """<script>var wrong = [];
addEventListener("error", e => wrong.push(String(e.message)), true);
console.error = console.warn = text => wrong.push(String(text));</script>"""
# At its end: what a person would see.
AFTER = """<script>addEventListener("load", () => {
const rows = table => [...table.tBodies[0].rows].map(row => ({
    kind: row.className, cells: [...row.cells].map(cell => cell.innerText),
    colour: getComputedStyle(row.querySelector("td.code")).backgroundColor, height: row.offsetHeight}));
const tables = [...document.querySelectorAll("table")];
const links = [...document.querySelectorAll("#hottest a")];
const seen = {wrong, title: document.title, mode: document.compatMode, tables: tables.map(rows),
    links: links.map(link => !!document.getElementById(link.hash.slice(1))),
    wide: document.documentElement.scrollWidth <= innerWidth, text: document.body.innerText};
const found = document.createElement("pre");
found.id = "found"; found.textContent = JSON.stringify(seen); document.body.append(found);
})</script>"""


@pytest.fixture
def report(program):
    recorder = Recorder()
    try:
        program(SOURCE)
    finally:
        recorder.end()
    return Report(recorder, 10)


def in_a_browser(path, profile, *words):
    command = [BROWSER, *OPTIONS, f"--user-data-dir={profile}", *words, path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)


@pytest.fixture
def seen(report, tmp_path):
    text = page(report).replace("<head>", f"<head>{BEFORE}", 1).replace("</body>", f"{AFTER}</body>", 1)
    path = tmp_path / "seen.html"
    path.write_text(text, encoding="utf-8")
    dom = in_a_browser(path, tmp_path / "profile", "--virtual-time-budget=5000", "--dump-dom").stdout
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL).group(1)
    for word, character in (("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&amp;", "&")):
        found = found.replace(word, character)
    return json.loads(found)


def test_the_page_renders(seen):
    assert seen["wrong"] == []
    assert seen["title"] == "gpunp: what ran where"
    assert seen["mode"] == "CSS1Compat"
    assert seen["wide"]
    assert "What ran where" in seen["text"]
    hottest, source = seen["tables"]
    assert all(row["height"] > 0 for row in hottest + source)
    # The source of a program is text, whatever it says.
    assert [row["cells"][-1] for row in source][:-1] == SOURCE.splitlines()[: len(source) - 1]
    assert any("<script>throw 'a < b'</script>" in row["cells"][-1] for row in source)


def test_lines_are_coloured(seen):
    _, source = seen["tables"]
    colours = {row["cells"][-1].strip(): row["colour"] for row in source}
    assert colours["u = np.sqrt(u * u + 0.5)"] == COLOURS["device"]
    assert colours["text = u.astype(str)"] == COLOURS["fallback"]
    assert colours["seen = bytes(memoryview(u))"] == COLOURS["transfer"]
    assert colours["names = [name for name in (1, 2, 3)]"] == TRANSPARENT
    for row in source:
        assert row["colour"] == COLOURS.get(row["kind"], TRANSPARENT)


def test_the_table_is_sorted(seen):
    hottest, _ = seen["tables"]
    times = [float(row["cells"][0].removesuffix(" ms")) for row in hottest]
    assert len(times) > 3
    assert times == sorted(times, reverse=True)
    assert seen["links"] == [True] * len(hottest)


def test_a_picture(report, tmp_path):
    path, picture = tmp_path / "report.html", tmp_path / "report.png"
    path.write_text(page(report), encoding="utf-8")
    done = in_a_browser(path, tmp_path / "profile", "--window-size=1000,900", f"--screenshot={picture}")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "CONSOLE" not in done.stderr
