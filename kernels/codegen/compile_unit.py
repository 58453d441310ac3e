"""Compile a unit by nvcc and write which of our files it includes, for the next build.

    compile_unit.py DEPFILE UNIT.cu OUTPUT FOLDER COMMAND...

nvcc's own ``-MD`` preprocesses the unit once more, with all of the toolkit's headers: a sixth of the
time that all units take together. Here an ``#include "..."`` counts even where a macro switches it off.
"""

import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def dependencies(unit, folder):
    """The unit and every header of ``folder`` or beside the unit that it includes, at any depth."""
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
    """A path as a makefile has it."""
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
