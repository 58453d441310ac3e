"""What the test chooses and the program does not: when pending work is evaluated, and in which pieces."""

import contextlib

import gpunp
from gpunp import fusion


def mode(name):
    gpunp.config.fusion = name


NAMES = {
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
    if how < 0.88:
        return None
    if how < 0.94:
        return "flush()"
    if how < 0.98:
        return f"mode({g.choice(['on', 'off', 'on', 'check'])!r})"
    return g.choice(statements(g))
