"""What the test chooses and the program does not: when pending work is evaluated, and in which pieces."""

import gpunp

try:
    from gpunp import fusion
except ImportError:
    fusion = None

READY = hasattr(fusion, "flush")


def flush():
    if READY:
        fusion.flush()


def mode(name):
    if READY:
        gpunp.config.fusion = name


def least(n):
    return fusion.set_least_elements(n) if READY else 0


def block(n):
    return fusion.set_block_elements(n) if READY else 0


NAMES = {"flush": flush, "mode": mode, "least": least, "block": block}


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
