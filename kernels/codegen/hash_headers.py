"""Write a Python module with a digest of the headers that the run-time compiler reads.

    hash_headers.py OUTPUT DEPFILE FOLDER...

The digest is a part of the keys of the disk cache.
"""

import hashlib
import pathlib
import sys


def headers(folder):
    """Return all files below a folder, in a fixed order."""
    return sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())


def digest(*folders):
    """Return a digest of the names and contents of all files below the folders."""
    found = hashlib.blake2b(digest_size=20)
    for folder in folders:
        for path in headers(folder):
            content = path.read_bytes()
            found.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            found.update(content)
    return found.hexdigest()


def main(output, depfile, *folders):
    text = f'"""A digest of the installed headers, written by the build."""\n\nHASH = "{digest(*folders)}"\n'
    pathlib.Path(output).write_text(text)
    # The folders count too: their times change if a file comes or goes.
    read = [path for folder in folders for path in (pathlib.Path(folder), *pathlib.Path(folder).rglob("*"))]
    names = " ".join(str(path).replace(" ", "\\ ") for path in read)
    pathlib.Path(depfile).write_text(f"{output}: {names}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
