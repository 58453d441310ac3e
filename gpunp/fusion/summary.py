"""What fusion did: events of calls, groups and compilations, summed up by the lines of the program."""

import linecache
import os
import threading
from collections import Counter
from dataclasses import dataclass

# Groups that are printed at most, those first that move most bytes.
MOST_GROUPS = 20
_KINDS = {"fused": "one kernel", "separate": "one by one", "single": "one call", "dropped": "not needed"}
# Of a group; one for each call in other kinds.
_KERNELS = {"fused": 1, "dropped": 0}


def as_bytes(count):
    """Bytes as text.

    Parameters
    ----------
    count : int

    Returns
    -------
    str
    """
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def as_number(count, noun):
    """A number with its noun.

    Parameters
    ----------
    count : int
    noun : str
        The singular.

    Returns
    -------
    str
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _short_path(path):
    """A path relative to the current folder if it is below it."""
    here = os.getcwd() + os.sep
    return path.removeprefix(here)


@dataclass(frozen=True)
class Call:
    """A recorded call.

    Attributes
    ----------
    name : str
        The ufunc or reduction.
    shape : tuple of int
        The iteration space.
    dtypes : tuple of str
        Of the inputs and the output.
    bytes : int
        What the call reads and writes if it runs by itself.
    filename : str
        The file of the program.
    lineno : int
        The line in it.
    """

    name: str
    shape: tuple
    dtypes: tuple
    bytes: int
    filename: str
    lineno: int


@dataclass
class _Group:
    """The runs of groups that are alike."""

    calls: tuple
    kind: str
    reason: str
    kernel: str | None
    runs: int = 0
    bytes: int = 0
    saved: int = 0


class Summary:
    """An observer of fusion, to be called with events.

    What it keeps grows with the number of different groups, not with the number of calls.

    Events are tuples:

    - ``("op", name, shape, dtypes, bytes, filename, lineno)``: a call was recorded. The first has number 0.
    - ``("group", numbers, kind, saved, reason, kernel)``: the calls with these numbers ran. The kind is
      "fused" (as one kernel), "separate" (one by one, though they are a group), "single", or "dropped"
      (nothing needed their results); ``saved`` the bytes that were not moved; ``reason`` what ended the
      group; ``kernel`` the kernel's name, or None.
    - ``("compiled", kernel, milliseconds)``: a kernel was compiled.

    Examples
    --------
    >>> from gpunp.fusion.summary import Summary
    >>> summary = Summary()
    >>> summary(("op", "multiply", (4,), ("float32", "float32"), 32, "p.py", 3))
    >>> summary(("op", "add", (4,), ("float32", "float32"), 32, "p.py", 3))
    >>> summary(("group", [0, 1], "fused", 32, "value read", "chain_1"))
    >>> print(summary.text().partition("\\n")[0])
    calls     2 in 1 kernel
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._count = 0
        self._waiting = {}
        self._groups = {}
        self._compiled = []

    def __call__(self, event):
        """Take an event.

        Parameters
        ----------
        event : tuple
            See the class.

        Raises
        ------
        ValueError
            For an event of another kind.
        """
        kind, *rest = event
        with self._lock:
            if kind == "op":
                name, shape, dtypes, count, filename, lineno = rest
                self._waiting[self._count] = Call(name, tuple(shape), tuple(dtypes), count, filename, lineno)
                self._count += 1
            elif kind == "group":
                self._add_group(*rest)
            elif kind == "compiled":
                self._compiled.append(tuple(rest))
            else:
                raise ValueError(f"an event of fusion is 'op', 'group' or 'compiled', not {kind!r}")

    def _add_group(self, numbers, kind, saved, reason, kernel):
        if kind not in _KINDS:
            raise ValueError(f"a group of calls is {', '.join(map(repr, _KINDS))}, not {kind!r}")
        calls = tuple(self._waiting.pop(number) for number in numbers)
        key = (calls, kind, reason, kernel)
        group = self._groups.setdefault(key, _Group(*key))
        group.runs += 1
        group.bytes += sum(call.bytes for call in calls)
        group.saved += saved

    def text(self, most_groups=MOST_GROUPS):
        """Return the report: totals, what ended the groups, the groups with their lines, compile times.

        Parameters
        ----------
        most_groups : int, optional
            How many groups are shown.

        Returns
        -------
        str
        """
        with self._lock:
            # Stable, so that groups with equally many bytes stay in the order of the program.
            groups = sorted(self._groups.values(), key=lambda group: -group.bytes)
            lines = self._totals(groups)
            compiled = list(self._compiled)
        if groups:
            lines += ["", *_reasons(groups)]
        for group in groups[:most_groups]:
            lines += ["", *_group_lines(group)]
        if len(groups) > most_groups:
            lines += ["", f"... and {as_number(len(groups) - most_groups, 'more group')}"]
        if compiled:
            lines += ["", "compiled"]
            width = max(len(kernel) for kernel, _ in compiled)
            lines += [f"  {kernel:<{width}}  {taken:.0f} ms" for kernel, taken in compiled]
        return "\n".join(lines)

    def _totals(self, groups):
        ran = sum(group.runs * len(group.calls) for group in groups)
        launches = sum(group.runs * _KERNELS.get(group.kind, len(group.calls)) for group in groups)
        everything = sum(group.bytes for group in groups)
        saved = sum(group.saved for group in groups)
        share = f", {saved / everything:.0%} of {as_bytes(everything)} saved" if everything else ""
        lines = [
            f"calls     {ran} in {as_number(launches, 'kernel')}",
            f"moved     {as_bytes(everything - saved)}{share}",
        ]
        if self._waiting:
            lines.append(f"deferred  {as_number(len(self._waiting), 'call')} that did not run")
        taken = sum(milliseconds for _, milliseconds in self._compiled)
        lines.append(f"compiled  {as_number(len(self._compiled), 'kernel')} in {taken:.0f} ms")
        return lines


def _reasons(groups):
    """A table of what ended groups of calls."""
    counts = Counter()
    for group in groups:
        counts[group.reason] += group.runs
    lines = ["  groups  ended by"]
    lines += [f"{count:>8}  {reason}" for reason, count in counts.most_common()]
    return lines


def _group_lines(group):
    """The lines about a group: what it cost, and the source of its calls."""
    runs = f"{group.runs} x " if group.runs > 1 else ""
    share = f", {group.saved / group.bytes:.0%} saved" if group.saved else ""
    name = f" {group.kernel}" if group.kernel else ""
    count = as_number(len(group.calls), "call") + ", " if group.kind != "single" else ""
    head = f"{runs}{_KINDS[group.kind]}{name}: {count}{as_bytes(group.bytes - group.saved)}{share}"
    ended = "" if group.reason.startswith("not deferred") else "ended by "
    lines = [f"{head}; {ended}{group.reason}"]
    # Calls of one line of source are shown together where they follow one another.
    places = []
    for call in group.calls:
        place = (call.filename, call.lineno)
        if not places or places[-1][0] != place:
            places.append((place, []))
        places[-1][1].append(call)
    for (filename, lineno), calls in places:
        lines.append(
            f"  {_short_path(filename)}:{lineno}  {linecache.getline(filename, lineno).strip()}".rstrip()
        )
        names = ", ".join(call.name for call in calls)
        last = calls[-1]
        lines.append(f"      {names}  {' '.join(dict.fromkeys(last.dtypes))} {last.shape}")
    return lines
