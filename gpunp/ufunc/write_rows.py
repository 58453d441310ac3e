"""Write ``gpunp/ufunc/rows.py``: the part of the op table that calls of ufuncs need, without the expressions.

    write_rows.py OUTPUT

Run by the build: importing one module of constants is faster than importing the table, which creates an
object for each of its thousand loops.
"""

import importlib
import sys
from pathlib import Path

HEADER = '''"""The part of the op table that ufunc calls need; written by the build from gpunp/ufunc/table.

A row is (namespace, name, family, identity, loops, loops that are the array API standard's); a loop is
written as NumPy writes it.
"""

infinity = float("inf")

ROWS = (
'''


def rows_of(table):
    """The rows as nested tuples of constants."""
    return tuple(
        (
            row.namespace,
            row.name,
            row.family,
            row.identity,
            tuple(f"{loop.inputs}->{loop.outputs}" for loop in row.loops),
            tuple(f"{loop.inputs}->{loop.outputs}" for loop in row.loops if loop.standard),
        )
        for row in (*table.ROWS, *table.STANDARD_ROWS)
    )


def main(target):
    sys.path.insert(0, str(Path(__file__).parents[1] / "_build"))
    importlib.import_module("package_folder")
    from gpunp.ufunc import table

    lines = [f"    {row!r},\n".replace("-inf,", "-infinity,") for row in rows_of(table)]
    Path(target).write_text(HEADER + "".join(lines) + ")\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
