"""What is to be compiled: a source, its target and options."""

import os
import re

from gpunp.compiler.options import Options

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# gpunp's own headers, and stand-ins for the headers of C that NVRTC does not have.
INCLUDE_FOLDER = os.path.join(_PACKAGE, "include")
STAND_INS = os.path.join(_PACKAGE, "include", "nvrtc")
LINK_KINDS = ("ltoir", "ptx", "cubin")
BACKENDS = ("nvrtc", "nvcc")


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
