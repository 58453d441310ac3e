"""The report as a page: the source of the program, coloured by where it ran."""

import html
import linecache
from collections import defaultdict

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; width: 100%; }
td, th { padding: 0 .6em; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid #999; font-weight: 600; }
td.code { text-align: left; font: 13px/1.5 ui-monospace, monospace; white-space: pre; width: 100%; }
tr.device td.code { background: #d9f2d9; }
tr.transfer td.code { background: #fff0c2; }
tr.fallback td.code { background: #ffd6d1; }
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
    files = defaultdict(dict)
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
    for path, rows in files.items():
        parts += _file(path, rows)
    parts.append("</body></html>")
    return "\n".join(parts)


def _file(path, rows):
    """The source of a file as a table."""
    lines = linecache.getlines(path)
    if not lines:
        return
    yield f"<h2>{html.escape(path)}</h2>"
    yield "<table><thead><tr><th>line</th><th>runs</th><th>time</th><th>waited</th><th>kernels</th>"
    yield "<th></th></tr></thead><tbody>"
    for number, text in enumerate(lines, 1):
        code = html.escape(text.rstrip("\n"))
        row = rows.get(number)
        if row is None:
            empty = "<td></td>" * 4
            yield f'<tr><td>{number}</td>{empty}<td class="code">{code}</td></tr>'
            continue
        line = row.line
        yield (
            f'<tr class="{row.where}"><td>{number}</td><td>{line.runs}</td>'
            f"<td>{line.seconds * 1e3:.2f} ms</td><td>{line.device_seconds * 1e3:.2f} ms</td>"
            f"<td>{line.launches}</td>"
            f'<td class="code" title="{html.escape(_title(row))}">{code}</td></tr>'
        )
    yield "</tbody></table>"


def _title(row):
    """What was counted at a line, as the tip of its source."""
    texts = [
        f"{kind}: {total.count} x, {total.nbytes} bytes, {total.seconds * 1e3:.2f} ms"
        + (f" ({', '.join(sorted(total.names))})" if total.names else "")
        for kind, total in row.kinds.items()
    ]
    return "; ".join(texts)
