"""What ran where: a table by lines, and what to change first."""

import linecache
import os
from dataclasses import dataclass

from gpunp.fusion.summary import as_bytes
from gpunp.running import counting
from gpunp.running.counting import Total
from gpunp.running.lines import Line

# How many lines the table has.
MOST_LINES = 30
# Lines that took less of the time are not shown, unless something was counted there.
_LEAST_SHARE = 0.001
# Below so many seconds for each kernel, a line with many of them is bound by launches.
_SHORT = 20e-6
_MANY = 100


@dataclass
class Row:
    """A line of the report.

    Attributes
    ----------
    path : str
    number : int
    line : Line
    kinds : dict of str to Total
        What was counted at the line, by kind.
    """

    path: str
    number: int
    line: Line
    kinds: dict

    def of(self, kind):
        """The total of a kind at this line."""
        return self.kinds.get(kind, Total())

    @property
    def source(self):
        """The text of the line."""
        return linecache.getline(self.path, self.number).strip()

    @property
    def place(self):
        """The file, relative to the current folder, and the number."""
        return f"{self.path.removeprefix(os.getcwd() + os.sep)}:{self.number}"

    @property
    def moved(self):
        """The seconds of transfers."""
        return self.of("upload").seconds + self.of("download").seconds

    @property
    def where(self):
        """One of "device", "fallback", "transfer" and "host"."""
        if self.of("fallback").count:
            return "fallback"
        if (
            self.of("host copy").count
            or self.of("shared with the host").count
            or self.moved > 0.5 * self.line.seconds > 0
        ):
            return "transfer"
        return "device" if self.line.launches or self.line.used_device else "host"


class Report:
    """The report of a program.

    Parameters
    ----------
    recorder : gpunp.running.lines.Recorder
        It has ended.
    threshold : int
        From how many elements arrays were on the device.
    """

    def __init__(self, recorder, threshold):
        self.seconds, self.threshold = recorder.seconds, threshold
        places = {**dict.fromkeys(recorder.lines), **dict.fromkeys(counting.TOTALS)}
        self.rows = [
            Row(*place, recorder.lines.get(place, Line()), counting.TOTALS.get(place, {})) for place in places
        ]
        self.rows.sort(key=lambda row: -row.line.seconds)

    def summary(self):
        """Lines with the totals.

        Returns
        -------
        list of str
        """
        launches = sum(row.line.launches for row in self.rows)
        lines = [
            f"time       {self.seconds:.2f} s, {_share(self.rows, 'host', self.seconds)} of it on the host",
            f"device     {launches} kernels; arrays of {self.threshold} elements or more",
        ]
        for kind, label in (
            ("upload", "uploads"),
            ("download", "downloads"),
            ("host copy", "copies"),
            ("shared with the host", "shared"),
            ("upload of shared memory", "refreshed"),
        ):
            total = counting.summed(kind)
            if total.count:
                lines.append(
                    f"{label:<10} {total.count}, {as_bytes(total.nbytes)}, {total.seconds * 1e3:.1f} ms"
                )
        for label, kind, why in (
            ("kept", "kept on", "arrays used there again and again"),
            ("moved", "moved to", "loops visit their rows or elements, or do so no more"),
        ):
            kinds = {side: counting.summed(f"{kind} the {side}") for side in ("device", "host")}
            texts = [
                f"{total.count} {kind.partition(' ')[2]} the {side} ({as_bytes(total.nbytes)})"
                for side, total in kinds.items()
                if total.count
            ]
            if texts:
                lines.append(f"{label:<10} {', '.join(texts)}: {why}")
        total = counting.summed("fallback")
        if total.count:
            names = ", ".join(sorted(total.names)[:8])
            lines.append(f"fallbacks  {total.count} calls in {total.seconds * 1e3:.1f} ms: {names}")
        return lines

    def advice(self, most=3):
        """The changes that would save most.

        Parameters
        ----------
        most : int, optional

        Returns
        -------
        list of str
        """
        found = []
        for row in self.rows:
            found += _advice_for(row, self.threshold)
        found.sort(key=lambda each: -each[0])
        return [text for seconds, text in found[:most] if seconds > 0.01 * self.seconds]

    def shown(self):
        """The rows of the table: the lines that took most time, and those where something was counted.

        Returns
        -------
        list of Row
        """
        rows = [row for row in self.rows if row.line.seconds > _LEAST_SHARE * self.seconds or row.kinds]
        return rows[:MOST_LINES]

    def text(self):
        """The report as text."""
        lines = ["", "gpunp: what ran where", *self.summary(), ""]
        lines.append(f"{'time':>9} {'waited':>9} {'kernels':>8} {'moved':>10} {'where':<9} line")
        shown = self.shown()
        for row in shown:
            moved = row.of("upload").nbytes + row.of("download").nbytes
            lines.append(
                f"{row.line.seconds * 1e3:>6.1f} ms {row.line.device_seconds * 1e3:>6.1f} ms "
                f"{row.line.launches:>8} {as_bytes(moved):>10} {row.where:<9} {row.place}  {row.source}"
            )
        if len(self.rows) > len(shown):
            lines.append(f"... and {len(self.rows) - len(shown)} more lines")
        advice = self.advice()
        if advice:
            lines += ["", "what would help most"]
            lines += [f"  {number}. {text}" for number, text in enumerate(advice, 1)]
        return "\n".join(lines)


def _share(rows, where, seconds):
    found = sum(row.line.seconds for row in rows if row.where == where)
    return f"{found / seconds:.0%}" if seconds else "0%"


def _advice_for(row, threshold):
    """Pairs of the seconds that a change of a line may save, and the text."""
    fallback, copies = row.of("fallback"), row.of("host copy")
    if fallback.count:
        names = ", ".join(sorted(fallback.names))
        yield (
            fallback.seconds,
            f"{row.place}: {names} ran on host copies {fallback.count} times. Use a function that gpunp has "
            "(python -m gpunp coverage), or keep what it needs on the host.",
        )
    if copies.count:
        yield (
            copies.seconds,
            f"{row.place}: other code asked for host copies {copies.count} times "
            f"({as_bytes(copies.nbytes)}). Convert once, before the loop.",
        )
    shared = row.of("upload of shared memory")
    if shared.count:
        yield (
            shared.seconds,
            f"{row.place}: memory that the host shares was uploaded {shared.count} times "
            f"({as_bytes(shared.nbytes)}). Let what holds it, such as a masked array or a memory "
            "view, have a copy of the array.",
        )
    upload = row.of("upload")
    if upload.count > 10:
        size = upload.nbytes // upload.count // 8
        yield (
            upload.seconds,
            f"{row.place}: {upload.count} uploads of host arrays, about {size} elements each. With "
            f"--threshold {max(1, size // 2)} they may be on the device from the start.",
        )
    line = row.line
    if line.launches >= _MANY and line.seconds / line.launches < _SHORT + 1e-5 and not fallback.count:
        yield (
            0.5 * line.seconds,
            f"{row.place}: {line.launches} kernels of {line.seconds / line.launches * 1e6:.0f} us each: the "
            f"line is bound by launches. Work on larger arrays, or run with --threshold {threshold * 4}.",
        )
    elif line.runs >= 1000 and line.launches >= line.runs and line.seconds > 0:
        yield (
            0.9 * line.seconds,
            f"{row.place}: the loop comes here {line.runs} times, with device arrays each time. Replace "
            "it by calls on whole arrays.",
        )
