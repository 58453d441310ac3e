"""The report says which lines took how long, and where."""

import io
import re
import sys
import time
from html.parser import HTMLParser

import pytest
from waiting import until

from gpunp.running import counting
from gpunp.running.html_report import page
from gpunp.running.lines import Line, Recorder, _Tracing
from gpunp.running.progress import Progress
from gpunp.running.report import Report, Row

SOURCE = """
import numpy as np

def step(u):
    return u + 0.1 * np.roll(u, 1)

u = np.linspace(0, 1, 50)
small = [1, 2]
for i in range(12):
    u = step(u)
    u = u * np.asarray([2.0])
text = u.astype(str)
seen = bytes(memoryview(u))
w = np.sort(u)
total = w.sum()
added = np.cumsum(w)
count = len(w)
if text is None:
    never = 1 < 2 & 3
"""


@pytest.fixture
def report(program):
    recorder = Recorder()
    try:
        run = program(SOURCE)
    finally:
        recorder.end()
    assert run["i"] == 11
    return Report(recorder, 10)


def row_of(report, text):
    return next(row for row in report.rows if row.source.startswith(text))


def test_lines(report):
    assert row_of(report, "return u").line.runs == 12
    assert row_of(report, "u = step").line.runs == 12
    assert row_of(report, "small").line.launches == 0
    assert row_of(report, "return u").line.launches >= 12
    assert row_of(report, "w = np.sort").line.launches >= 1
    assert not any(row.source.startswith("never") for row in report.rows)
    assert 0 < sum(row.line.seconds for row in report.rows) <= report.seconds


def test_where_lines_ran(report):
    assert row_of(report, "small").where == "host"
    assert row_of(report, "return u").where == "device"
    assert row_of(report, "text =").where == "fallback"
    assert row_of(report, "seen =").where == "transfer"
    assert row_of(report, "text =").of("fallback").names == {"ndarray.astype"}
    assert row_of(report, "u = u *").of("upload").count == 12
    assert row_of(report, "count =").where == "host"
    # Reductions are no launches that are counted; Python 3.12 tells of calls.
    if sys.version_info >= (3, 12):
        assert row_of(report, "total =").where == row_of(report, "added =").where == "device"


def test_text(report):
    text = report.text()
    for word in (
        "program.py:5  return u + 0.1 * np.roll(u, 1)",
        "fallbacks  1 calls",
        "uploads    ",
        "device",
    ):
        assert word in text


def test_advice(report):
    # Whatever the line took, it is more than a hundredth of the time.
    report.seconds = 1e-9
    texts = "\n".join(report.advice(10))
    assert "ndarray.astype ran on host copies 1 times" in texts
    many = Row("p.py", 3, Line(2000, 0.02, 0.0, 4000), {})
    few = Row("p.py", 4, Line(5000, 1.0, 0.0, 5000), {})
    copies = Row("p.py", 5, Line(10, 1.0, 0.0, 0), {"host copy": counting.Total(10, 800, 0.95)})
    report.rows, report.seconds = [many, few, copies], 2.0
    for found, words in zip(
        report.advice(), ("asked for host copies 10", "comes here 5000 times"), strict=False
    ):
        assert words in found
    report.rows, report.seconds = [many], 0.02
    assert "bound by launches" in report.advice()[0]


class Page(HTMLParser):
    """Checks that elements are closed, and collects the lines of source by class."""

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.current = [], {}, None

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)
        if tag == "tr":
            self.current = dict(attributes).get("class")
        self.code = dict(attributes).get("class") == "code"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.code = False

    def handle_data(self, data):
        if self.open and self.open[-1] == "td" and self.code:
            self.rows[data.strip()] = self.current


def test_page(report):
    text = page(report)
    parsed = Page()
    parsed.feed(text)
    assert parsed.open == []
    assert parsed.rows["return u + 0.1 * np.roll(u, 1)"] == "device"
    assert parsed.rows["text = u.astype(str)"] == "fallback"
    assert parsed.rows["never = 1 < 2 & 3"] is None
    assert "1 &lt; 2 &amp; 3" in text
    assert not re.search(r"<(script|link|img)", text)


def test_lines_by_tracing(tmp_path):
    path = tmp_path / "traced.py"
    path.write_text("def f(x):\n    return x + 1\nfor i in range(3):\n    y = f(i)\n")

    class Seen:
        lines, returned = [], 0

        def line(self, path, number):
            self.lines.append(number)

        def back(self, frame):
            self.returned += 1

    code = compile(path.read_text(), str(path), "exec")
    seen = Seen()
    tracing = _Tracing(seen)
    try:
        tracing.watch(code)
        tracing.watch(next(each for each in code.co_consts if hasattr(each, "co_code")))
        exec(code, {})
    finally:
        tracing.end()
    assert seen.lines.count(2) == 3
    assert seen.lines.count(4) == 3
    assert seen.returned == 4


def test_progress_is_for_terminals():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    class Lines:
        lines, place = {("p.py", 1): Line(launches=7)}, ("/x/p.py", 12)

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        progress = Progress(Lines, stream, first=0.01, each=0.01)
        if shown:
            assert until(stream.getvalue)
        else:
            time.sleep(0.1)
        progress.end()
        assert ("p.py:12, 7 kernels" in stream.getvalue()) == shown
        assert stream.getvalue().endswith("\r\033[K") == shown
