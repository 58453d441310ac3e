"""``python -m gpunp run|info|where|coverage|cache|trace|demo``."""

import sys


def info(options):
    """Print the devices, the driver, the libraries, the kernels and the memory pools."""
    import gpunp

    gpunp.show_config()
    return 0


def where(options):
    """Print the paths behind a function: handler, kernels, test and benchmark."""
    import gpunp  # noqa: F401 - fills the registry
    from gpunp.dispatch.coverage import paths

    found, command = paths(options.name), "coverage"
    if found is None and options.name.startswith("scipy."):
        from gpunp_scipy.routing import coverage

        found, command = coverage.paths(options.name), "coverage scipy"
    if found is None:
        print(
            f"gpunp has no function {options.name!r}; `python -m gpunp {command}` lists those it has",
            file=sys.stderr,
        )
        return 1
    from pathlib import Path

    root = Path(__file__).parents[1]
    for role, path in found:
        missing = "" if (root / path.split("::")[0]).exists() else "  (not in an installed package)"
        print(f"{role:<10} {path}{missing}")
    return 0


def coverage(options):
    """Print which functions of NumPy or SciPy are handled."""
    import gpunp  # noqa: F401 - fills the registry

    if options.library == "scipy":
        from gpunp_scipy.routing.coverage import report
    else:
        from gpunp.dispatch.coverage import report

    print(report(options.missing))
    return 0


def cache(options):
    """Print what the disk cache of compiled kernels holds, or empty it."""
    from gpunp.compiler import cache_report

    try:
        print(cache_report.clear() if options.action == "clear" else cache_report.report())
    except (ValueError, OSError) as error:
        # A limit that is not a size, or a folder that cannot be read.
        print(error, file=sys.stderr)
        return 1
    return 0


def trace(options):
    """Run a program, and print to the standard error which of its lines became one kernel."""
    import runpy
    from pathlib import Path

    from gpunp import fusion
    from gpunp.fusion.summary import Summary

    program = Path(options.program)
    if not program.is_file():
        print(f"{options.program}: there is no such file", file=sys.stderr)
        return 2
    summary = Summary()
    before = sys.argv, sys.path[:]
    # As if Python ran the program.
    sys.argv = [options.program, *options.arguments]
    sys.path[0] = str(program.resolve().parent)
    fusion.observe(summary)
    try:
        runpy.run_path(options.program, run_name="__main__")
        return 0
    finally:
        # Also where the program ends by an exception or by sys.exit.
        fusion.flush()
        fusion.observe(None)
        sys.argv, sys.path[:] = before
        print(summary.text(options.groups), file=sys.stderr)


def main(argv=None):
    """Run the command line and return the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["demo"]:
        from gpunp.demo import main as demo

        return demo(argv[1:])
    if argv[:1] == ["run"]:
        from gpunp.running.program import main as run

        return run(argv[1:])
    # Not above: programs that are run need not wait for it.
    import argparse

    parser = argparse.ArgumentParser(prog="python -m gpunp", description="About this installation of gpunp.")
    commands = parser.add_subparsers(required=True, metavar="command")
    commands.add_parser("run", help="run a program with its large arrays on the device")
    commands.add_parser("info", help="devices, driver, libraries, kernels").set_defaults(run=info)
    one = commands.add_parser("where", help="the files behind a function of NumPy or SciPy")
    one.add_argument("name", help="for example percentile, linalg.norm or add")
    one.set_defaults(run=where)
    many = commands.add_parser("coverage", help="which functions of NumPy or SciPy are handled")
    many.add_argument(
        "library", nargs="?", choices=("numpy", "scipy"), default="numpy", help="by default numpy"
    )
    many.add_argument("--missing", action="store_true", help="list only what is not handled")
    many.set_defaults(run=coverage)
    kept = commands.add_parser("cache", help="compiled kernels on disk")
    kept.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help="by default show")
    kept.set_defaults(run=cache)
    traced = commands.add_parser("trace", help="run a program, and show which of its lines became one kernel")
    traced.add_argument("--groups", type=int, default=20, help="how many groups of calls are shown")
    traced.add_argument("program", help="a Python file")
    traced.add_argument("arguments", nargs=argparse.REMAINDER, help="for the program")
    traced.set_defaults(run=trace)
    commands.add_parser("demo", help="plain NumPy programs with NumPy and with gpunp, side by side")
    options = parser.parse_args(argv)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
