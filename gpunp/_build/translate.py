"""Translate Cython modules to C++, many in one process.

    translate.py ROOT DIRECTORY DEPFILE FOLDER.MODULE...

A process of Cython's own command takes two seconds to start, and the translation of a module half a second.
Modules whose sources have not changed since the last run keep their C++ file.
"""

import pathlib
import sys

from Cython.Compiler import Options
from Cython.Compiler.Main import CompilationOptions, compile, default_options

DIRECTIVES = {
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
    "freethreading_compatible": False,
}


def is_current(output, note):
    """Whether the C++ file is newer than all files that Cython read for it."""
    if not (output.exists() and note.exists()):
        return False
    made = output.stat().st_mtime_ns
    files = [pathlib.Path(name) for name in dependencies(note)]
    return all(file.exists() and file.stat().st_mtime_ns < made for file in [*files, pathlib.Path(__file__)])


def dependencies(note):
    """Return the prerequisites in the makefile rule that Cython writes beside an output."""
    text = note.read_text().split(":", 1)[1].replace("\\\n", " ").replace("\\ ", "\0")
    return [name.replace("\0", " ") for name in text.split()]


def translate(root, source, output):
    options = CompilationOptions(
        default_options,
        cplus=True,
        language_level=3,
        include_path=[str(root)],
        output_file=str(output),
        compiler_directives=DIRECTIVES,
        depfile=True,
    )
    return compile(str(source), options).num_errors == 0


def main(root, directory, depfile, *modules):
    root, directory = pathlib.Path(root), pathlib.Path(directory)
    Options.fast_fail = True
    read = set()
    for module in modules:
        source = root.joinpath(*module.split(".")).with_suffix(".pyx")
        output = directory / f"{module}.cpp"
        note = directory / f"{module}.cpp.dep"
        if not is_current(output, note):
            note.unlink(missing_ok=True)
            if not translate(root, source, output):
                output.unlink(missing_ok=True)
                return 1
        read.update(dependencies(note))
    files = " ".join(name.replace(" ", "\\ ") for name in sorted(read))
    pathlib.Path(depfile).write_text(f"{directory / modules[0]}.cpp: {files}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
