"""Compile a unit by nvcc and write a depfile of our headers that it includes.

    compile_unit.py DEPFILE UNIT.cu OUTPUT FOLDER COMMAND...

nvcc's own ``-MD`` preprocesses the unit once more, with all headers of the toolkit, which takes a sixth of
the total time of all units. Here every ``#include "..."`` counts but those for the host, which
``#if GPUNP_ON_DEVICE`` excludes; other conditions are not evaluated.
"""

import pathlib
import re
import subprocess
import sys

DIRECTIVE = re.compile(r'^[ \t]*#[ \t]*(include[ \t]*"|if|elif|else|endif)([^\n"]*)', re.MULTILINE)
CONDITIONS = {"GPUNP_ON_DEVICE": True, "!GPUNP_ON_DEVICE": False}


def included(text):
    """Yield the names of the headers that a source includes when nvcc compiles it."""
    # Whether the lines of each enclosing #if count; None if that is not known.
    branches = []
    for kind, rest in DIRECTIVE.findall(text):
        if kind == "if":
            branches.append(CONDITIONS.get(rest.strip()))
        elif kind == "elif":
            branches[-1] = None
        elif kind == "else":
            branches[-1] = None if branches[-1] is None else not branches[-1]
        elif kind == "endif":
            branches.pop()
        elif False not in branches:
            yield rest


def dependencies(unit, folder):
    """Return the unit and all headers in ``folder`` or beside the unit that it includes, recursively."""
    found = []
    waiting = [unit]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for name in included(path.read_text()):
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
