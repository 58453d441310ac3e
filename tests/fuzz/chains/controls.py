"""What the test chooses and the program does not: when pending work is evaluated, and in which pieces."""

import contextlib

import numpy as np

import gpunp
from gpunp import fusion


def mode(name):
    gpunp.config.fusion = name


# Pending arrays that no memory can hold.
_huge = []


def exhaust():
    """Let the next flush run out of memory."""
    with contextlib.suppress(MemoryError):
        _huge.append(np.broadcast_to(gpunp.asarray([1.0]), (1 << 46,)) + 1)


def attempt(function, *given):
    """Call a function, and once more if memory ran out on purpose: a call that has failed changed nothing."""
    try:
        return function(*given)
    except MemoryError:
        if not _huge:
            raise
    _huge.clear()
    return function(*given)


NAMES = {
    "exhaust": exhaust,
    "flush": fusion.flush,
    "mode": mode,
    "least": fusion.set_least_elements,
    "block": fusion.set_block_elements,
}


@contextlib.contextmanager
def settings(name):
    """Start from a mode and pieces of one size, and leave nothing pending."""
    before = gpunp.config.fusion
    mode(name)
    least, block = fusion.set_least_elements(1), fusion.set_block_elements(7)
    try:
        yield
    finally:
        _huge.clear()
        try:
            # Runs what is pending.
            mode(before)
        finally:
            fusion.set_least_elements(least)
            fusion.set_block_elements(block)


def statements(g):
    """Statements for the start of a run."""
    return [
        f"mode({g.choice(['on', 'on', 'on', 'check'])!r})",
        f"least({g.choice([1, 1, 1, 2, 10, 64])})",
        f"block({g.choice([1, 2, 3, 5, 8, 16, 64, 1000])})",
    ]


def between(g):
    """A statement between others, or None."""
    how = g.random()
    if g.faults and how < 0.2:
        return "exhaust()"
    if how < 0.88:
        return None
    if how < 0.94:
        return "flush()"
    if how < 0.98:
        return f"mode({g.choice(['on', 'off', 'on', 'check'])!r})"
    return g.choice(statements(g))
