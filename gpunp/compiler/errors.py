"""The exception for sources that do not compile."""

import os
import re

from gpunp.compiler.toolkit import include_folders

# Lines around the one that a message speaks of.
_WINDOW = 3
# At most this many places are shown.
_MOST_PLACES = 8
_LINE_END = re.compile(r"\r\n|\r|\n")


class CompileException(RuntimeError):
    """A source does not compile.

    Its text is the log of the compiler, and below it the numbered lines of the source that the log speaks of.

    Parameters
    ----------
    log : str
        What the compiler wrote.
    source : str
        The source.
    name : str
        The name of the source in the log.
    options : tuple of str, optional
        The options given to the compiler.
    backend : str, default "nvrtc"
        The compiler: "nvrtc", "nvcc", "nvjitlink" or the host's.
    """

    # Where programs import it from.
    __module__ = "gpunp.cuda.compiler"

    def __init__(self, log, source, name="kernel", options=(), backend="nvrtc"):
        super().__init__(log, source, name, options, backend)
        self.log = log
        self.source = source
        self.name = name
        self.options = tuple(options)
        self.backend = backend

    def __str__(self):
        parts = [f"{self.name} does not compile ({self.backend})", self.log.strip()]
        hint = _hint(self.log)
        if hint:
            parts.append(hint)
        lines = quoted_lines(self.log, self.source, self.name)
        if lines:
            parts.append(lines)
        return "\n\n".join(part for part in parts if part)


def split_lines(text):
    """The lines of a source as compilers count them; `str.splitlines` splits at form feeds too, among others.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
    """
    return _LINE_END.split(text.removesuffix("\n").removesuffix("\r")) if text else []


def quoted_lines(log, source, name):
    """The lines of a source that a log speaks of, with their numbers and a few lines around them.

    Parameters
    ----------
    log : str
        Messages such as ``name(3): error: ...`` or ``name:3:5: error: ...``.
    source, name : str

    Returns
    -------
    str
        Empty if the log speaks of no line of the source.
    """
    place = re.compile(rf"(?:^|[\s\"'(]){re.escape(name)}(?:\((\d+)\)|:(\d+)(?::\d+)?)", re.MULTILINE)
    lines = split_lines(source)
    named = dict.fromkeys(int(first or second) for first, second in place.findall(log))
    named = [number for number in named if 1 <= number <= len(lines)][:_MOST_PLACES]
    shown = sorted(
        {
            number
            for middle in named
            for number in range(max(middle - _WINDOW, 1), min(middle + _WINDOW, len(lines)) + 1)
        }
    )
    width = len(str(shown[-1])) if shown else 0
    text = []
    for i, number in enumerate(shown):
        if i and number != shown[i - 1] + 1:
            text.append("...")
        mark = ">" if number in named else " "
        text.append(f"{mark} {number:>{width}} | {lines[number - 1]}".rstrip())
    return "\n".join(text)


def _hint(log):
    """What to do about a header that was not found, or an empty text."""
    missing = re.search(r'not open source file "([^"]+)"|fatal error: (\S+): No such file', log)
    header = missing and (missing[1] or missing[2])
    if not header:
        return ""
    if header.startswith(("cuda", "cub/", "thrust/", "cooperative_groups", "mma.h", "nv/", "crt/")):
        return "A header of CUDA was not found: pip install gpunp[cuda13] installs the headers."
    if header.startswith("curand"):
        return 'A header of cuRAND was not found: pip install "nvidia-curand>=10.4,<11" installs the headers.'
    if any(os.path.exists(os.path.join(folder, "cuda/std", header)) for folder in include_folders()):
        return f"NVRTC has no C++ standard library; libcu++ has this header: #include <cuda/std/{header}>."
    return ""
