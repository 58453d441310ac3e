"""The key of a compilation: a digest of everything that its result depends on."""

import os

from gpunp.compiler import toolkit
from gpunp.compiler.request import INCLUDE_FOLDER

try:
    # hashlib loads OpenSSL, which takes 2 to 3 ms.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

# Changes with the meaning of keys and results.
_VERSION = b"1"
_DIGEST_BYTES = 20

# Variables by which compilers take more options and folders.
_VARIABLES = {
    "nvrtc": (),
    "nvcc": ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"),
    "host": ("CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "LIBRARY_PATH"),
}
_FOLDER_VARIABLES = ("CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH")


class Digest:
    """A digest of parts, each of which is told from the next."""

    def __init__(self):
        self._hash = blake2b(_VERSION, digest_size=_DIGEST_BYTES)

    def add(self, *parts):
        """Add texts and bytes.

        Parameters
        ----------
        *parts : str or bytes
        """
        for part in parts:
            if isinstance(part, str):
                part = part.encode("utf-8", "surrogateescape")
            self._hash.update(b"%d:" % len(part))
            self._hash.update(part)

    def text(self):
        """The digest in hexadecimal digits.

        Returns
        -------
        str
        """
        return self._hash.hexdigest()


def checksum(*parts):
    """A digest of bytes.

    Parameters
    ----------
    *parts : bytes

    Returns
    -------
    bytes
        32 bytes.
    """
    found = blake2b(digest_size=32)
    for part in parts:
        found.update(part)
    return found.digest()


class Key:
    """The key of a request.

    Parameters
    ----------
    request : Request

    Attributes
    ----------
    text : str or None
        The key; None if it cannot be known what the source includes.
    reads_files : bool
        Whether it depends on files of the user, which may change.
    """

    def __init__(self, request):
        self._digest = digest = Digest()
        self._variables = _VARIABLES[request.backend]
        self.reads_files = False
        self._known = True
        digest.add(request.backend, str(request.architecture), request.name, str(request.line_info))
        digest.add(str(request.native))
        digest.add(*(str(len(part)) for part in (request.options.words, request.expressions, request.link)))
        digest.add(*request.options.words, *request.expressions)
        for image, kind in request.link:
            digest.add(kind, image)
        digest.add(request.source)
        _add_compiler(digest, request)
        self._add_includes(request)
        self.text = digest.text() if self._known else None

    def _add_includes(self, request):
        """Add the contents of all files that the source may include.

        All files of a name count, in whichever folder, whether or not the compiler reads that one: so a new
        file in front of another changes the key.
        """
        folders = list(request.options.include_folders)
        for variable in _FOLDER_VARIABLES:
            if variable in self._variables:
                folders += [each for each in os.environ.get(variable, "").split(os.pathsep) if each]
        if request.folder:
            folders.append(request.folder)
        seen = set()
        outside = False
        waiting = [(request.source.encode("utf-8", "surrogateescape"), [])]
        waiting += [(b'#include "%s"' % os.fsencode(name), []) for name in request.options.pre_includes]
        while waiting:
            text, beside = waiting.pop()
            for name in included(text):
                if name is None:
                    self._known = False
                    continue
                outside = outside or not os.path.isabs(name)
                # An absolute name is its own path in every folder.
                paths = [os.path.normpath(os.path.join(place, name)) for place in (*beside, *folders, "/")]
                for path in dict.fromkeys(paths if os.path.isabs(name) else paths[:-1]):
                    content = None if path in seen else _read(path)
                    if content is not None:
                        seen.add(path)
                        self.reads_files = True
                        self._digest.add(path, content)
                        waiting.append((content, [os.path.dirname(path)]))
        if outside:
            _add_installed(self._digest, request)


def _add_compiler(digest, request):
    """Add what identifies the compiler, without loading or running it."""
    if request.on_cpu:
        from gpunp.compiler.host_compiler import command, processor

        words = command()
        digest.add(*words, toolkit.identity(words[0]), processor())
    elif request.backend == "nvcc":
        digest.add(toolkit.identity(toolkit.nvcc_path()))
    else:
        digest.add(toolkit.identity(toolkit.nvrtc_path()))
    if request.link:
        digest.add(toolkit.identity(toolkit.nvjitlink_path()))
    for variable in _VARIABLES[request.backend]:
        digest.add(os.environ.get(variable, ""))


def _add_installed(digest, request):
    """Add what identifies the headers of gpunp and of CUDA."""
    from gpunp.compiler.header_hash import HASH

    digest.add(HASH, INCLUDE_FOLDER)
    if request.backend == "nvrtc":
        digest.add(toolkit.headers_identity())


def key_of_description(request):
    """The key of a request that has a description where others have a source, which is generated from it.

    It takes less time than to generate the source.

    Parameters
    ----------
    request : Request
        The source includes gpunp's own headers only.

    Returns
    -------
    str
    """
    digest = Digest()
    digest.add("description", request.backend, str(request.architecture), str(request.line_info))
    digest.add(str(request.native))
    digest.add(*request.options.words, request.source)
    _add_compiler(digest, request)
    _add_installed(digest, request)
    return digest.text()


def included(text):
    """The names in a source's include directives, and in what may look like one: too many do no harm.

    Parameters
    ----------
    text : bytes

    Yields
    ------
    str or None
        None if a macro gives the name.
    """
    # Not by a regular expression, which takes a millisecond to compile.
    text = text.replace(b"\\\n", b"")
    at = text.find(b"include")
    while at >= 0:
        before = text[max(at - 80, 0) : at].rstrip()
        at += len(b"include")
        rest = (text[at : at + 5].startswith(b"_next") and at + 5) or at
        rest = _skip_blank(text, rest)
        if before.endswith(b"__has_") and text[rest : rest + 1] == b"(":
            rest = _skip_blank(text, rest + 1)
        opening = text[rest : rest + 1]
        if opening in (b'"', b"<"):
            end = text.find(b'"' if opening == b'"' else b">", rest + 1)
            name = text[rest + 1 : end] if end > 0 else b"\n"
            if b"\n" not in name and name:
                yield os.fsdecode(name)
        elif before.endswith((b"#", b"%:", b"__has_", b"*/")) and (opening.isalpha() or opening == b"_"):
            yield None
        at = text.find(b"include", at)


def _skip_blank(text, at):
    """The position of what follows blanks and comments."""
    while True:
        while text[at : at + 1].isspace():
            at += 1
        if text[at : at + 2] != b"/*":
            return at
        end = text.find(b"*/", at + 2)
        if end < 0:
            return at
        at = end + 2


def _read(path):
    """The content of a file, or None if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
