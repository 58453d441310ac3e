"""Write a Python module with a digest of the headers that the run-time compiler reads, and of what writes
sources for it.

    hash_headers.py OUTPUT DEPFILE FOLDER_OR_FILE...

The digest is a part of the keys of the disk cache.
"""

import hashlib
import pathlib
import sys


def files_of(place):
    """Return a file, or all files below a folder but Python's own, in a fixed order."""
    place = pathlib.Path(place)
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc")


def digest(*places):
    """Return a digest of the names and contents of files, and of all files below folders."""
    found = hashlib.blake2b(digest_size=20)
    for place in places:
        for path in files_of(place):
            content = path.read_bytes()
            name = path.relative_to(place).as_posix() if path != pathlib.Path(place) else path.name
            found.update(f"{name} {len(content)}\n".encode())
            found.update(content)
    return found.hexdigest()


def main(output, depfile, *places):
    text = f'"""A digest of the installed headers, written by the build."""\n\nHASH = "{digest(*places)}"\n'
    pathlib.Path(output).write_text(text)
    # The folders count too: their times change if a file comes or goes.
    folders = [path for path in map(pathlib.Path, places) if path.is_dir()]
    read = [*(path for place in places for path in files_of(place)), *folders]
    read += [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_dir() and path.name != "__pycache__"
    ]
    names = " ".join(str(path).replace(" ", "\\ ") for path in read)
    pathlib.Path(depfile).write_text(f"{output}: {names}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
