"""Options of compilers: what gpunp must know of them, and which ones the host's compiler takes."""

import os

_INCLUDE = ("--include-path", "-I")
_PRE_INCLUDE = ("--pre-include", "-include")
_ARCHITECTURE = ("--gpu-architecture", "-arch")
_STANDARD = ("--std", "-std")
_DEFINE = ("--define-macro", "-D")
_UNDEFINE = ("--undefine-macro", "-U")
# Options that are followed by a value in the same or in the next word.
_WITH_VALUE = _INCLUDE + _PRE_INCLUDE + _ARCHITECTURE + _STANDARD + _DEFINE + _UNDEFINE


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
