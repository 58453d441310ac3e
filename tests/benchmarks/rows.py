"""The rows of the benchmark table, their goals, and the list of all rows.

A row builds a callable for one library. The same builder serves all libraries: ``lib.xp`` is ``numpy``
for gpunp (plain NumPy calls on gpunp arrays), ``cupy`` or ``torch``.
"""

from dataclasses import dataclass

ROWS = []
# The modules bench_<chapter> that register rows, in the order of the page.
CHAPTERS = (
    "ufunc",
    "reduction",
    "scan",
    "sorting",
    "indexing",
    "manipulation",
    "transfer",
    "overhead",
    "interop",
    "custom",
    "fusion",
    "cuda_layer",
    "logic",
    "sets",
    "statistics",
    "linalg",
    "fft",
    "random",
    "special",
    "ndimage",
    "ndimage_interpolation",
    "ndimage_regions",
    "signal",
    "scipy_linalg",
    "scipy_stats",
    "scipy_optimize",
    "interpolate",
    "spatial",
    "scipy_sparse",
    "scipy_sparse_linalg",
    "cold",
)


@dataclass(frozen=True)
class Goal:
    """The goal of a row: a limit, and the measured ceiling to which it refers."""

    limit: float
    ceiling: str | None = None

    def verdict(self, seconds, moved, ceilings):
        """Return the compared value as text, the goal as text, and whether it is met."""
        raise NotImplementedError


class Share(Goal):
    """Bytes per second as a share of a bandwidth."""

    def verdict(self, seconds, moved, ceilings):
        share = moved / seconds / ceilings[self.ceiling]
        return f"{share:.0%} of {self.ceiling}", f"{self.limit:.0%}", share >= self.limit


class Rate(Goal):
    """Bytes per second."""

    def verdict(self, seconds, moved, ceilings):
        rate = moved / seconds
        return f"{rate / 1e9:.1f} GB/s", f"{self.limit / 1e9:.0f} GB/s", rate >= self.limit


class Above(Goal):
    """Seconds above a cost that no library can avoid, or total seconds if there is no ceiling."""

    def verdict(self, seconds, moved, ceilings):
        least = ceilings.get(self.ceiling) if self.ceiling else 0.0
        if not isinstance(least, float):
            return f"no time of {self.ceiling}", f"+ {format_seconds(self.limit)}", False
        extra = seconds - least
        if self.ceiling is None:
            return format_seconds(seconds), format_seconds(self.limit), extra <= self.limit
        return (
            f"{self.ceiling} {'-' if extra < 0 else '+'} {format_seconds(abs(extra))}",
            f"+ {format_seconds(self.limit)}",
            extra <= self.limit,
        )


class Speed(Goal):
    """How many times as fast as another library, or as gpunp with another setting."""

    def verdict(self, seconds, moved, ceilings):
        theirs = ceilings.get(self.ceiling)
        if not isinstance(theirs, float):
            return f"no time of {self.ceiling}", f"{self.limit:.2g}x", False
        speed = theirs / seconds
        return f"{speed:.3g}x {self.ceiling}", f"{self.limit:.2g}x", speed >= self.limit


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    name : str
        The name for ``python tests/benchmarks NAME``.
    title : str
        The text in the table.
    chapter : str
        The heading of the row's section.
    goal : Goal
        The goal.
    timing : {"device", "host", "wall", "process", "second process", "program", "pair"}
        Device time between events; host time of one asynchronous call; wall time of one call and its
        synchronization; time that a new process reports, with empty kernel caches or with those that another
        process filled; a program in several variants, with details; gpunp with fusion off and on by turns.
    build : callable
        ``build(lib, size)`` returns what is timed: a callable ("device", "wall"), a statement and its names
        ("host"), the source of a program ("process", "second process"), a callable that calls
        ``compiled``, a third argument, on what a compiler may take ("program"), or a function that gives
        one sample in seconds ("pair").
    moved : callable or None
        ``moved(size)`` is the number of bytes that must be read and written.
    needs_gpu : bool
        Whether the row is left out on the CPU device.
    own : callable or None
        ``own(lib)`` measures what the same costs without gpunp, for goals that refer to it: a dict of seconds
        by the names of ceilings.
    """

    name: str
    title: str
    chapter: str
    goal: Goal
    timing: str
    build: object
    moved: object = None
    needs_gpu: bool = False
    own: object = None


@dataclass(frozen=True)
class Size:
    """The sizes of the arrays, and the number of samples."""

    elements: int
    side: int
    transfer: int
    repeats: int


FULL = Size(elements=1 << 28, side=1 << 14, transfer=256 << 20, repeats=7)
QUICK = Size(elements=1 << 16, side=1 << 8, transfer=1 << 20, repeats=3)


def row(name, title, chapter, goal, timing, moved=None, *, needs_gpu=False, own=None):
    """Register the decorated builder as a row."""

    def register(build):
        ROWS.append(Row(name, title, chapter, goal, timing, build, moved, needs_gpu, own))
        return build

    return register


def format_seconds(seconds):
    """Format a time with three digits and a suitable unit."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
