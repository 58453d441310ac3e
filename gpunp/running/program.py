"""``python -m gpunp run``: start a program as Python does."""

import builtins
import importlib.util
import os
import sys
import types
from importlib.machinery import SourceFileLoader

from gpunp.running.importing import Loader
from gpunp.running.transform import HELPERS, transformed

_WITH_VALUE = ("--include", "--threshold", "--html")
# The options of a command that has none.
_DEFAULTS = {"report": False, "html": None, "include": [], "threshold": None, "device_random": False}
_USAGE = "python -m gpunp run [options] (program.py | -m module | -c code | -) [arguments]"


def _parser():
    # It takes 3 ms to import, which programs without options need not spend.
    import argparse

    parser = argparse.ArgumentParser(
        prog="python -m gpunp run",
        usage=_USAGE,
        description="Run a program with its large arrays on the device. The program is not changed.",
        epilog="A program in a folder is found by its __main__.py. GPUNP_RUN=check runs every call of the "
        "program on device arrays also on NumPy, and reports the first difference.",
    )
    parser.add_argument(
        "--report", action="store_true", help="say at the end which lines took how long, and where"
    )
    parser.add_argument("--html", metavar="FILE", help="write the report as a page with the source")
    parser.add_argument(
        "--include", action="append", default=[], metavar="NAME", help="an installed package of the program"
    )
    parser.add_argument("--threshold", help="from how many elements arrays go to the device, or 'auto'")
    parser.add_argument(
        "--device-random", action="store_true", help="draw random numbers on the device: not NumPy's numbers"
    )
    return parser


def split(argv):
    """Divide the command line into options of the command and the program with its arguments."""
    i = 0
    while i < len(argv) and argv[i].startswith("-") and argv[i] not in ("-m", "-c", "-"):
        i += 2 if argv[i] in _WITH_VALUE else 1
    return argv[:i], argv[i:]


class Program:
    """A program and its arguments.

    Parameters
    ----------
    command : list of str
        A file or folder, ``-m`` and a module, ``-c`` and code, or ``-``; then the arguments.

    Raises
    ------
    FileNotFoundError
        If there is no such file or module.
    """

    def __init__(self, command):
        self.spec, self.path, self.names = None, None, []
        if command[0] == "-c":
            self.arguments, self.folder = ["-c", *command[2:]], ""
            self._code = lambda: transformed(command[1], "<string>")
        elif command[0] == "-":
            self.arguments, self.folder = command, ""
            self._code = lambda: transformed(sys.stdin.read(), "<stdin>")
        elif command[0] == "-m":
            self._find_module(command[1])
            self.arguments, self.folder = [self.path, *command[2:]], os.getcwd()
        else:
            self.arguments, self.path = command, command[0]
            self.folder = os.path.dirname(os.path.realpath(self.path))
            if os.path.isdir(self.path):
                self.folder, self.path = self.path, os.path.join(self.path, "__main__.py")
            self.path = os.path.abspath(self.path)
            if not os.path.isfile(self.path):
                raise FileNotFoundError(f"can't open file {self.path!r}: there is no such file")
            self._code = lambda: transformed(_bytes_of(self.path), self.path)

    def _find_module(self, name):
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                spec = importlib.util.find_spec(f"{name}.__main__")
        except ModuleNotFoundError:
            spec = None
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            raise FileNotFoundError(f"there is no module {name!r} that can be run from its source")
        top = name.partition(".")[0]
        # Of gpunp's own modules only the program itself.
        self.spec, self.path, self.names = spec, spec.origin, [top if top != "gpunp" else name]
        self._code = lambda: transformed(_bytes_of(spec.origin), spec.origin)

    @property
    def folders(self):
        """Where the modules of the program are."""
        return [self.folder or os.getcwd()]

    def run(self):
        """Run it in a new module ``__main__``; what it raises is raised."""
        module = types.ModuleType("__main__")
        space = vars(module)
        space.update(HELPERS, __builtins__=builtins, __spec__=self.spec, __package__=None)
        if self.spec is not None:
            space["__package__"] = self.spec.parent
        if self.path is not None:
            space.update(__file__=self.path, __cached__=None, __loader__=Loader("__main__", self.path))
        before = sys.argv, sys.path[:], sys.modules.get("__main__")
        sys.argv = self.arguments
        if not sys.flags.safe_path:
            sys.path[0] = self.folder
        sys.modules["__main__"] = module
        try:
            exec(self._code(), space)
        finally:
            sys.argv, sys.path[:] = before[:2]
            # Functions of the program may still run, at the exit or in threads, and pickle what they have.
            self.module = module
            self._main_before = before[2]

    def forget(self):
        """Let ``__main__`` be the module that it was before."""
        sys.modules["__main__"] = self._main_before


def _bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def _without_ours(traceback):
    """A traceback without the frames of this package."""
    kept, rest = [], None
    while traceback is not None:
        if not traceback.tb_frame.f_globals.get("__name__", "").startswith(__package__):
            kept.append(traceback)
        traceback = traceback.tb_next
    for each in reversed(kept):
        rest = types.TracebackType(rest, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return rest


def main(argv):
    """Run the command.

    Parameters
    ----------
    argv : list of str
        What follows ``run``.

    Returns
    -------
    int
        The exit code; 1 if the program ended by an exception, whose traceback is printed.
    """
    own, command = split(argv)
    options = _parser().parse_args(own) if own else types.SimpleNamespace(**_DEFAULTS)
    if not command or (command[0] in ("-m", "-c") and len(command) < 2):
        _parser().error("there is no program to run")
    from gpunp.running.session import Session

    try:
        program = Program(command)
        session = Session(
            program.folders, [*program.names, *options.include], options.threshold, options.device_random
        )
    except (FileNotFoundError, ValueError) as error:
        print(f"python -m gpunp run: {error}", file=sys.stderr)
        return 2
    checks = None
    if os.environ.get("GPUNP_RUN") == "check":
        from gpunp.running.checking import Checks

        checks = Checks()
        checks.start()
    session.begin()
    # Not ended: functions that run at the exit belong to the program too.
    code = _run(program, options, session)
    if checks:
        print(checks.text(), file=sys.stderr)
        code = code or int(checks.first is not None)
    return code


def _run(program, options, session):
    recorder = progress = None
    if options.report or options.html:
        from gpunp.running.lines import Recorder
        from gpunp.running.progress import Progress

        recorder = Recorder()
        progress = Progress(recorder)
    try:
        program.run()
        return 0
    except SystemExit:
        raise
    except BaseException as error:
        error = error.with_traceback(_without_ours(error.__traceback__))
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            # The interpreter ends by the signal then; it has been printed.
            sys.excepthook = lambda *args: None
            raise
        return 1
    finally:
        if recorder:
            progress.end()
            recorder.end()
            _report(recorder, options, session)


def _report(recorder, options, session):
    from gpunp.running.report import Report

    report = Report(recorder, session.threshold)
    if options.report:
        print(report.text(), file=sys.stderr)
    if options.html:
        from gpunp.running.html_report import page

        with open(options.html, "w", encoding="utf-8") as file:
            file.write(page(report))
