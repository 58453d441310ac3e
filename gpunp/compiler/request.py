"""What is to be compiled: a source, its target and options.

Of options gpunp knows those that choose headers, the architecture and the standard, and those that the host's
compiler takes.
"""

import os
import re

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# gpunp's own headers, and stand-ins for the headers of C that NVRTC does not have.
INCLUDE_FOLDER = os.path.join(_PACKAGE, "include")
STAND_INS = os.path.join(_PACKAGE, "include", "nvrtc")
if not os.path.isdir(INCLUDE_FOLDER):
    # An editable install, whose modules are those of a checkout.
    INCLUDE_FOLDER = os.path.join(os.path.dirname(_PACKAGE), "kernels", "include")
    STAND_INS = os.path.join(os.path.dirname(_PACKAGE), "kernels", "nvrtc")
LINK_KINDS = ("ltoir", "ptx", "cubin")
BACKENDS = ("nvrtc", "nvcc")

_INCLUDE = ("--include-path", "-I")
_PRE_INCLUDE = ("--pre-include", "-include")
_ARCHITECTURE = ("--gpu-architecture", "-arch")
_STANDARD = ("--std", "-std")
_DEFINE = ("--define-macro", "-D")
_UNDEFINE = ("--undefine-macro", "-U")
# Options that are followed by a value in the same or in the next word.
_WITH_VALUE = _INCLUDE + _PRE_INCLUDE + _ARCHITECTURE + _STANDARD + _DEFINE + _UNDEFINE


def _checked_link(items):
    """Return the code to link as a tuple of (bytes, str)."""
    checked = []
    for item in items:
        if not (isinstance(item, (tuple, list)) and len(item) == 2 and item[1] in LINK_KINDS):
            raise ValueError(f"link: items are (bytes, kind) with a kind of {', '.join(LINK_KINDS)}")
        checked.append((bytes(item[0]), item[1]))
    return tuple(checked)


class Request:
    """One compilation.

    Parameters
    ----------
    source : str
        C++.
    architecture : int
        The compute capability that CUDA code is for, 90 for 9.0; 0 for the host's processor.
    name : str
        The name of the source in messages. If it has a folder, quoted includes are looked for there.
    options : sequence of str
    name_expressions : sequence of str
    backend : {"nvrtc", "nvcc"}
        Compiler of CUDA code.
    link : sequence of tuple of (bytes, str)
        Code to link, and its kind: "ltoir", "ptx" or "cubin".
    line_info : bool
        Whether the code says which line of the source it comes from.
    native : bool
        Whether code for the host may have all instructions of its processor.

    Raises
    ------
    TypeError, ValueError
        For arguments that no compiler takes.
    """

    def __init__(
        self,
        source,
        architecture,
        *,
        name="kernel",
        options=(),
        name_expressions=(),
        backend="nvrtc",
        link=(),
        line_info=False,
        native=True,
    ):
        if not isinstance(source, str):
            raise TypeError(f"the source must be a string, not {type(source).__name__}")
        if "\0" in source:
            raise ValueError("the source must not contain a null character")
        if backend not in BACKENDS:
            raise ValueError(f'the backend must be "nvrtc" or "nvcc", not {backend!r}')
        if isinstance(name_expressions, str):
            raise TypeError(f"name_expressions must be a sequence of strings: write ({name_expressions!r},)")
        self.source = source
        self.architecture = architecture
        self.on_cpu = architecture == 0
        self.backend = "host" if self.on_cpu else backend
        self.options = Options(options)
        self.expressions = tuple(dict.fromkeys(name_expressions))
        self.link = _checked_link(link)
        self.native = native
        self.line_info = line_info or os.environ.get("GPUNP_LINE_INFO", "0") not in ("", "0")
        self.folder = os.path.abspath(os.path.dirname(name)) if os.path.dirname(name) else None
        self.name = os.path.join(self.folder, os.path.basename(name)) if self.folder else name
        if self.link and self.on_cpu:
            raise ValueError("link: code can be linked on a CUDA device only")
        if self.link and backend == "nvcc":
            raise ValueError('link: code is linked with what NVRTC compiles: use backend="nvrtc"')

    @property
    def file_name(self):
        """The last part of the name, made fit for a file."""
        suffix = ".cpp" if self.on_cpu else ".cu"
        base = re.sub(r"[^\w.-]", "_", os.path.basename(self.name))[:60] or "kernel"
        return base if base.endswith(suffix) else base + suffix

    def line(self, number):
        """The directive that names the source and numbers the next line, for messages and line information.

        Parameters
        ----------
        number : int

        Returns
        -------
        str
        """
        name = self.name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        return f'#line {number} "{name}"\n'

    @property
    def numbered(self):
        """The source with its name and line numbers."""
        return self.line(1) + self.source


class Options:
    """Options as the user gave them, and what they say.

    Parameters
    ----------
    given : sequence of str
        Words such as ``"-DN=3"``, ``"-I"``, ``"/usr/include"``, ``"--std=c++20"``.

    Attributes
    ----------
    words : tuple of str
        The options; paths in them are absolute.
    include_folders : list of str
        Folders of ``-I``, in order.
    pre_includes : list of str
        Headers that the compiler reads before the source.
    architecture : str or None
        The value of ``-arch``.
    standard : str or None
        The value of ``--std``.
    """

    def __init__(self, given):
        if isinstance(given, str):
            raise TypeError(f"options must be a sequence of strings, not one string: write ({given!r},)")
        self.include_folders, self.pre_includes, self.pairs = [], [], []
        self.architecture = self.standard = None
        words = list(given)
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"options must be strings; {word!r} is {type(word).__name__}")
        while words:
            self._take(*_split(words))
        self.words = _words(self.pairs)

    def _take(self, name, value):
        if name in _INCLUDE:
            value = os.path.abspath(value)
            self.include_folders.append(value)
        elif name in _PRE_INCLUDE:
            self.pre_includes.append(value)
        elif name in _ARCHITECTURE:
            self.architecture = value
        elif name in _STANDARD:
            self.standard = value
        self.pairs.append((name, value))

    def has(self, *names):
        """Whether one of the names was given.

        Parameters
        ----------
        *names : str

        Returns
        -------
        bool
        """
        return any(name in names for name, _ in self.pairs)

    def value(self, *names):
        """The last value that was given to one of the names, or None.

        Parameters
        ----------
        *names : str

        Returns
        -------
        str or None
        """
        values = [value for name, value in self.pairs if name in names]
        return values[-1] if values else None

    def apart_from_macros(self):
        """The macros that the options define as lines of a source, and all other options.

        Returns
        -------
        tuple of (str, tuple of str)
        """
        lines = []
        for name, value in self.pairs:
            if name in _DEFINE:
                macro, equals, text = value.partition("=")
                lines.append(f"#define {macro} {text if equals else 1}\n")
        return "".join(lines), _words(pair for pair in self.pairs if pair[0] not in _DEFINE)

    def for_host(self):
        """The options for the host's compiler.

        Returns
        -------
        list of str

        Raises
        ------
        ValueError
            For an option that has no meaning there.
        """
        words = []
        for name, value in self.pairs:
            if name in _INCLUDE:
                words.append("-I" + value)
            elif name in _DEFINE:
                words.append("-D" + value)
            elif name in _UNDEFINE:
                words.append("-U" + value)
            elif name in _STANDARD:
                words.append("-std=" + value)
            elif value is None and name in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast", "-g"):
                words.append(name)
            else:
                raise ValueError(
                    f"the option {name!r} is not for the CPU device, which has -D, -U, -I, -std=, -O* and -g"
                )
        return words


def _split(words):
    """Take the first option from a list of words: its name, and its value or None."""
    word = words.pop(0)
    for name in _WITH_VALUE:
        if word == name:
            if not words:
                raise ValueError(f"the option {word!r} needs a value")
            return name, words.pop(0)
        if word.startswith(name + "="):
            return name, word[len(name) + 1 :]
        if len(name) == 2 and word.startswith(name):
            return name, word[2:].lstrip()
    name, equals, value = word.partition("=")
    return (name, value) if equals else (word, None)


def _words(pairs):
    return tuple(name + _joiner(name, value) + (value or "") for name, value in pairs)


def _joiner(name, value):
    return "" if value is None or len(name) == 2 else "="
