"""Write ``gpunp/dispatch/homes.py`` from the sources: which module registers which public name.

    find_homes.py write OUTPUT      write the table
    find_homes.py sources           list the files that it is made from

Run by the build, so that ``import gpunp`` need not import the chapters. It parses the decorators and imports
no module of gpunp.
"""

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

HEADER = '''"""Which module below gpunp registers which public name; written by the build from the sources."""

HOMES = {
'''


def sources():
    """Return the Python files that register handlers."""
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.parent.name not in ("dispatch", "_typing") and "implements(" in path.read_text()
    ]


def find_homes():
    """Map public name to module, such as ``"linalg.norm"`` to ``"linalg.norms"``."""
    homes = {}
    for path in sources():
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        homes.update(dict.fromkeys(_registered(ast.parse(path.read_text())), module))
    return dict(sorted(homes.items()))


def _registered(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield from _names(decorator, node.name)
        elif isinstance(node, ast.Assign | ast.Expr) and isinstance(node.value, ast.Call):
            # name = implements(name="mgrid")(object)
            yield from _names(node.value.func, None)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("NAMESPACE["):
            yield node.targets[0].slice.value


def _names(call, default):
    """Yield the names of one ``implements(...)``; none if the node is another expression."""
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "implements"):
        return
    names = [each.value if isinstance(each, ast.Constant) else ast.unparse(each) for each in call.args]
    given = [keyword.value.value for keyword in call.keywords if keyword.arg == "name"]
    if given and len(names) < 2:
        yield from given
    for name in names or ([] if given else [default]):
        # A function is looked up by its path, even if its public name differs.
        yield name.removeprefix("numpy.").removeprefix("np.")


def main(command=None, *arguments):
    if command == "write" and len(arguments) == 1:
        lines = [f"    {name!r}: {module!r},\n" for name, module in find_homes().items()]
        Path(arguments[0]).write_text(HEADER + "".join(lines) + "}\n")
    elif command == "sources" and not arguments:
        print(*sources(), sep="\n")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
