"""Tables of the results: on the terminal, in docs/performance.md and in the README."""

from itertools import groupby
from pathlib import Path

from rows import ROWS, format_seconds

ROOT = Path(__file__).parents[2]
HEADER = ("what", "gpunp", "rate", "measured", "goal", "met")
# The rows shown in the README.
HEADLINES = (
    "add", "exp", "add_transposed", "sum_all", "var_all", "argmin_axis1", "cumsum_axis0",
    "upload", "download_out", "call_operator", "call_sum", "cold_start",
)  # fmt: skip
# Entries of a row's outcome that are not the time of a library.
NO_TIMES = ("moved", "details", "ceilings")
# Libraries that goals refer to; gpunp may have been measured without them.
PEERS = ("CuPy", "PyTorch")
DETAILS = ("program", "run by", "first run", "steady", "synchronised", "peak memory", "of the limit")
# The first heading of docs/performance.md whose rows other programs measure.
OTHERS = "\n## Several GPUs\n"
START, END = "<!-- measured -->", "<!-- /measured -->"

INTRODUCTION = """\
# {title}

This page is written by `python tests/benchmarks {options}`: do not edit it.

The numbers of a row were measured in one run, on {date}, on one {device} (CUDA driver {driver})
with {versions}.
Times are medians of several samples after a warm-up. Device times lie between two CUDA events around
a group of calls. Host costs are wall times of one call among {queued} asynchronous ones.
A library's column shows its time and, in parentheses, how many times as long as gpunp's it is.
[Where a goal is not met](design/index.md#where-a-goal-is-not-met) says why, and the
[design notes](design/index.md) have the measurements behind each engine.

The goals refer to what the machine did in the run of the row, without any library, for most rows:

| ceiling | value |
| --- | --- |
| copy: `cuMemcpyDtoD` of 1 GiB, bytes read and written | {copy:.0f} GB/s |
| read: a kernel that only reads 1 GiB, or the copy if that is faster | {read:.0f} GB/s |
| pinned up: 256 MiB from pinned host memory | {up:.1f} GB/s |
| pinned down: 256 MiB to pinned host memory | {down:.1f} GB/s |
| launch: `cuLaunchKernel` of an empty kernel, host time | {launch} |
| context: loading libcuda until memory can be allocated | {context} |
| NVRTC: loading it and compiling a kernel of ten lines | {nvrtc} |
"""

ABOUT_DETAILS = """\
*First run* is the first call in this run, with empty disk caches; it includes compilations that it waits for.
*Steady* is the time per repetition without a synchronisation in between, as in the table above;
*synchronised* that with one after each repetition. *Peak memory* includes the arguments; for CuPy it is what
its pool holds. *Of the limit* compares with the time in which the bytes that the program must read and write
are copied. NumPy runs on the host, large programs with fewer elements, and its time is scaled.
"""


def ceilings_of(outcome, results):
    """What the machine can do, as measured in the run of a row."""
    return outcome.get("ceilings", results["ceilings"])


def cells(row, results):
    """The texts of one line of the table."""
    outcome = results["rows"][row.name]
    peers = [name for name in results["versions"] if name != "gpunp"]
    seconds = outcome.get("gpunp")
    if not isinstance(seconds, float):
        return [row.title, f"failed: {seconds}", "", "", "", "no", *[""] * len(peers)]
    moved = outcome["moved"]
    rate = f"{moved / seconds / 1e9:.4g} GB/s" if moved else ""
    measured, goal, met = row.goal.verdict(seconds, moved, ceilings_of(outcome, results) | outcome)
    answer = "yes" if met else "no"
    if row.goal.ceiling in PEERS and row.goal.ceiling not in peers:
        measured = answer = ""
    line = [row.title, format_seconds(seconds), rate, measured, goal, answer]
    for name in peers:
        theirs = outcome.get(name)
        if isinstance(theirs, float):
            line.append(f"{format_seconds(theirs)} ({theirs / seconds:.2g}x)")
        else:
            line.append("failed" if name in outcome else "")
    return line


def detail_lines(rows, results):
    """Lines of the table of details: one for each variant of each program."""
    for row in rows:
        outcome = results["rows"][row.name]
        copy = ceilings_of(outcome, results)["copy"]
        for name, found in outcome.get("details", {}).items():
            if isinstance(found, str):
                yield [row.title, name, f"failed: {found.partition(':')[0]}", "", "", "", ""]
                continue
            times = [
                format_seconds(found[key]) if key in found else "" for key in ("first", "steady", "wall")
            ]
            peak = found.get("peak")
            limit = outcome["moved"] and f"{outcome['moved'] / copy / found['steady']:.0%}"
            yield [row.title, name, *times, f"{peak / 2**30:.2f} GiB" if peak else "", limit or ""]


def columns(results):
    """The head of the table."""
    return [*HEADER, *(name for name in results["versions"] if name != "gpunp")]


def markdown(head, lines):
    """A table in Markdown."""
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines))


def markdown_table(rows, results):
    """A Markdown table of the rows."""
    return markdown(columns(results), [cells(row, results) for row in rows])


def terminal_table(rows, results):
    """The same table for a terminal."""
    return aligned([columns(results), *(cells(row, results) for row in rows)])


def terminal_details(rows, results):
    """The table of details for a terminal, or no text if no program was measured."""
    lines = list(detail_lines(rows, results))
    return aligned([DETAILS, *lines]) if lines else ""


def aligned(lines):
    """A table with aligned columns."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    padded = [[text.ljust(width) for text, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def measured_rows(results):
    """The measured rows, in the order of the table."""
    return [row for row in ROWS if row.name in results["rows"]]


def page(results, title="Performance", options="--write"):
    """The text of docs/performance.md, or of a page like it."""
    ceilings = results["ceilings"]
    text = INTRODUCTION.format(
        title=title,
        options=options,
        date=results["date"],
        device=ceilings["device"],
        driver=ceilings["driver"],
        versions=", ".join(f"{name} {version}" for name, version in results["versions"].items()),
        queued=results["queued"],
        copy=ceilings["copy"] / 1e9,
        read=ceilings["read"] / 1e9,
        up=ceilings["pinned up"] / 1e9,
        down=ceilings["pinned down"] / 1e9,
        launch=format_seconds(ceilings["launch"]),
        context=format_seconds(ceilings["context"]),
        nvrtc=format_seconds(ceilings["NVRTC"]),
    )
    if left := len(ROWS) - len(results["rows"]):
        text += f"\n{left} of {len(ROWS)} rows were not measured in this run.\n"
    for chapter, group in groupby(measured_rows(results), key=lambda row: row.chapter):
        rows = list(group)
        text += f"\n## {chapter}\n\n{markdown_table(rows, results)}\n"
        if lines := list(detail_lines(rows, results)):
            text += f"\n{ABOUT_DETAILS}\n{markdown(DETAILS, lines)}\n"
    return text


def write_page(results, path):
    """Write a page of its own, for results on another machine than those of docs/performance.md."""
    title = f"Performance on one {results['ceilings']['device']}"
    path.write_text(page(results, title, f"--render FILE --page docs/{path.name}"))


def write(results):
    """Write docs/performance.md, up to what other programs measure, and the table in the README."""
    path = ROOT / "docs" / "performance.md"
    _, heading, others = path.read_text().partition(OTHERS) if path.exists() else ("", "", "")
    path.write_text(f"{page(results)}{heading}{others}")
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text().partition(START)
    _, _, after = rest.partition(END)
    rows = [row for row in measured_rows(results) if row.name in HEADLINES]
    place = f"Measured on one {results['ceilings']['device']} on {results['date']}:"
    readme.write_text(f"{before}{START}\n{place}\n\n{markdown_table(rows, results)}\n{END}{after}")
