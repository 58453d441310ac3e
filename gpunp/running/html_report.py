"""The report as a page: the source of the program, coloured by where it ran."""

import html
import linecache
from collections import defaultdict

from gpunp.fusion.summary import as_bytes

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em; color: #1a1a1a; background: #fff; }
h2 { font-size: 1.1em; margin: 1.6em 0 .4em; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
td, th { padding: 0 .6em; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid #999; font-weight: 600; }
td.code { text-align: left; font: 13px/1.5 ui-monospace, monospace; white-space: pre; width: 100%; }
tr.device td.code { background: #d9f2d9; }
tr.transfer td.code { background: #fff0c2; }
tr.fallback td.code { background: #ffd6d1; }
tr:target td { outline: 2px solid #999; }
td a { color: inherit; }
@media print { .wide { overflow: visible; } td.code { white-space: pre-wrap; } }
.key span { padding: 0 .6em; margin-right: .5em; }
.key .device { background: #d9f2d9; } .key .transfer { background: #fff0c2; }
.key .fallback { background: #ffd6d1; }
"""
_KEY = (
    '<p class="key"><span class="device">on the device</span><span class="transfer">mostly transfers</span>'
    '<span class="fallback">on host copies</span><span>on the host</span></p>'
)


def page(report):
    """Return the page.

    Parameters
    ----------
    report : gpunp.running.report.Report

    Returns
    -------
    str
        HTML that needs no other file.
    """
    files, shown = defaultdict(dict), report.shown()
    for row in report.rows:
        files[row.path][row.number] = row
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>gpunp: what ran where</title>',
        f"<style>{_STYLE}</style></head><body><h1>What ran where</h1>",
        f"<pre>{html.escape(chr(10).join(report.summary()))}</pre>",
    ]
    advice = report.advice()
    if advice:
        parts.append("<h2>What would help most</h2><ol>")
        parts += [f"<li>{html.escape(text)}</li>" for text in advice]
        parts.append("</ol>")
    parts.append(_KEY)
    # Anchors are numbers, as paths may have any character.
    anchors = {path: f"file{number}" for number, path in enumerate(files)}
    parts += _hottest(shown, anchors)
    for path, rows in files.items():
        parts += _file(path, rows, anchors[path])
    parts.append("</body></html>")
    return "\n".join(parts)


def _hottest(rows, anchors):
    """The lines that took most time, as a table."""
    yield "<h2>Lines that took most time</h2>"
    yield '<div class="wide"><table id="hottest"><thead><tr><th>time</th><th>waited</th><th>kernels</th>'
    yield "<th>moved</th><th>where</th><th>line</th><th></th></tr></thead><tbody>"
    for row in rows:
        moved = row.of("upload").nbytes + row.of("download").nbytes
        place = f"{anchors[row.path]}-{row.number}"
        yield (
            f'<tr class="{row.where}"><td>{row.line.seconds * 1e3:.1f} ms</td>'
            f"<td>{row.line.device_seconds * 1e3:.1f} ms</td><td>{row.line.launches}</td>"
            f"<td>{as_bytes(moved)}</td><td>{row.where}</td>"
            f'<td><a href="#{place}">{html.escape(row.place)}</a></td>'
            f'<td class="code" title="{html.escape(_title(row))}">{html.escape(row.source)}</td></tr>'
        )
    yield "</tbody></table></div>"


def _file(path, rows, anchor):
    """The source of a file as a table."""
    lines = linecache.getlines(path)
    if not lines:
        return
    yield f"<h2>{html.escape(path)}</h2>"
    yield '<div class="wide"><table><thead><tr><th>line</th><th>runs</th><th>time</th>'
    yield "<th>waited</th><th>kernels</th><th></th></tr></thead><tbody>"
    for number, text in enumerate(lines, 1):
        code = html.escape(text.rstrip("\n"))
        row = rows.get(number)
        if row is None:
            empty = "<td></td>" * 4
            yield f'<tr id="{anchor}-{number}"><td>{number}</td>{empty}<td class="code">{code}</td></tr>'
            continue
        line = row.line
        yield (
            f'<tr class="{row.where}" id="{anchor}-{number}"><td>{number}</td><td>{line.runs}</td>'
            f"<td>{line.seconds * 1e3:.2f} ms</td><td>{line.device_seconds * 1e3:.2f} ms</td>"
            f"<td>{line.launches}</td>"
            f'<td class="code" title="{html.escape(_title(row))}">{code}</td></tr>'
        )
    yield "</tbody></table></div>"


def _title(row):
    """What was counted at a line, as the tip of its source."""
    texts = [
        f"{kind}: {total.count} x, {total.nbytes} bytes, {total.seconds * 1e3:.2f} ms"
        + (f" ({', '.join(sorted(total.names))})" if total.names else "")
        for kind, total in row.kinds.items()
    ]
    return "; ".join(texts)
