"""Compile a unit by nvcc and write a depfile of our headers that it includes.

    compile_unit.py DEPFILE UNIT.cu OUTPUT FOLDER COMMAND...

nvcc's own ``-MD`` preprocesses the unit once more, with all headers of the toolkit, which takes a sixth of
the total time of all units. Here an ``#include "..."`` counts even if a macro disables it.
"""

import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def dependencies(unit, folder):
    """Return the unit and all headers in ``folder`` or beside the unit that it includes, recursively."""
    found = []
    waiting = [unit]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for name in INCLUDE.findall(path.read_text()):
            waiting += [place for place in (folder / name, unit.parent / name) if place.exists()]
    return found


def escaped(path):
    """Return a path escaped for a makefile."""
    return str(path).replace(" ", "\\ ")


def main(depfile, unit, output, folder, *command):
    result = subprocess.run([*command, "-I" + folder, "-o", output, unit])
    if result.returncode:
        return result.returncode
    found = " ".join(escaped(path) for path in dependencies(pathlib.Path(unit), pathlib.Path(folder)))
    pathlib.Path(depfile).write_text(f"{escaped(output)}: {found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
