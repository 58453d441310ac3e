"""Memory hooks that are ready for use: one prints every event, one sums memory by lines of the program."""

import collections
import sys
import traceback

from gpunp.cuda import memory_hook
from gpunp.cuda.memory_hook import MemoryHook

# The files of hooks, whose frames are not the program's.
_OURS = (__file__, memory_hook.__file__)


class DebugPrintHook(MemoryHook):
    """Memory hook that prints a line for every allocation and deallocation.

    Parameters
    ----------
    file : file object, optional
        Standard output by default.
    flush : bool, default True
        Whether the file is flushed after every line.
    """

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file, self.flush = file, flush

    def _print(self, event, what):
        fields = ", ".join(
            f'"{key}": {value:#x}' if key in ("mem_ptr", "pmem_id") else f'"{key}": {value}'
            for key, value in what.items()
        )
        print(f'{{"hook": "{event}", {fields}}}', file=self.file or sys.stdout, flush=self.flush)

    def alloc_postprocess(self, **what):
        """Print what the driver has allocated."""
        self._print("alloc", what)

    def malloc_postprocess(self, **what):
        """Print what a pool has handed out."""
        self._print("malloc", what)

    def free_postprocess(self, **what):
        """Print what a pool has taken back."""
        self._print("free", what)


class _Frame:
    """Bytes that were allocated in one line of a program and what it called."""

    def __init__(self):
        self.used = self.acquired = 0
        self.callees = collections.OrderedDict()


class LineProfileHook(MemoryHook):
    """Memory hook that sums the bytes allocated by each line of the program.

    Parameters
    ----------
    max_depth : int, default 0
        How many calls of the stack are shown, from the outermost; 0 shows all.

    Notes
    -----
    ``print_report`` prints a tree. Each line has two numbers: the bytes that pools handed out, and those that
    they had to get from the driver for it.
    """

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self.max_depth = max_depth
        self._root = _Frame()

    def _add(self, used, acquired):
        stack = [
            (frame.f_code.co_filename, line, frame.f_code.co_name)
            for frame, line in traceback.walk_stack(None)
            if frame.f_code.co_filename not in _OURS
        ]
        node = self._root
        for place in stack[::-1][: self.max_depth or None]:
            node = node.callees.setdefault(place, _Frame())
            node.used += used
            node.acquired += acquired

    def malloc_preprocess(self, **what):
        """Count what a pool hands out."""
        self._add(what["mem_size"], 0)

    def alloc_preprocess(self, **what):
        """Count what the driver allocates."""
        self._add(0, what["mem_size"])

    def print_report(self, file=None):
        """Print the lines with their bytes, indented by the depth of the call.

        Parameters
        ----------
        file : file object, optional
            Standard output by default.
        """
        self._print(self._root, 0, file or sys.stdout)

    def _print(self, node, depth, file):
        for (filename, line, name), callee in node.callees.items():
            print(
                f"{'  ' * depth}{filename}:{line}:{name} ({_human(callee.used)}, {_human(callee.acquired)})",
                file=file,
            )
            self._print(callee, depth + 1, file)


def _human(nbytes):
    """A number of bytes as text, ``1.50KB`` for example."""
    for unit in ("B", "KB", "MB", "GB"):
        if nbytes < 1024:
            return f"{nbytes:.2f}{unit}"
        nbytes /= 1024
    return f"{nbytes:.2f}TB"
