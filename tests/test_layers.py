"""Tests of the package's layers: every package has a rank, and imports only packages of lower ranks.

If a lower layer needs something from an upper one, the upper one registers it: a hook, a function, a message.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the lowest to the highest; packages of one rank do not import each other. A module within a package may
# have its own rank.
RANKS = (
    (
        (
            "dtype_codes",
            "launch",
            "status",
            "tuning",
            "device_type",
            "memory_limits",
            "recycling",
            "_version",
        ),
        "codes and constants of kernels; tuning numbers; C code of types",
    ),
    (("device",), "the device type: buffers, kernels, launches, reported errors"),
    (
        ("deferring", "watching", "pooling"),
        "what the devices defer; what is known of memory until it is written; what memory pools share",
    ),
    (("cpu", "cuda"), "the devices: memory, streams, launching, handles of vendor libraries; no NumPy"),
    (("compiler",), "the run-time compiler: sources, code, modules; no arrays"),
    (("cuda.compiler",), "the compiler's exception, under its public name"),
    (("ufunc.table",), "the op table: data, also read by the code generator"),
    (("array",), "the array type: shape, strides, dtype and memory; conversions to and from it"),
    (("cuda.texture_arrays",), "the memory of textures, which is filled from arrays"),
    (("cuda.texture",), "textures and surfaces"),
    (("dispatch",), "the protocols of NumPy, the registry of handlers, the policies"),
    (("docstrings",), "docstrings, completed from NumPy's"),
    (("ufunc",), "the engine of elementwise calls, and copies, which all other engines use"),
    (("reduction", "creation"), "folds and scans; new arrays"),
    (("indexing",), "gathers, scatters, masks"),
    (("custom",), "kernels and functions of users"),
    (("jit",), "Python functions, compiled by numba and numba-cuda"),
    (("fusion",), "operations that follow one another, in one kernel"),
    (("ufunc.methods", "manipulation", "sorting", "dtypes"), "chapters over the engines"),
    (("sets",), "chapters over sorting"),
    (("math",), "chapters over the searches and the ufunc methods"),
    (
        ("linalg", "fft", "statistics", "random", "logic", "special", "functional", "io", "testing"),
        "chapters over all of these",
    ),
    (("polynomial", "signal"), "chapters over linear algebra and Fourier transforms"),
    (("interop",), "other libraries: exchange protocols and adapters"),
    (
        (
            "array_methods",
            "array_shortcuts",
            "array_behaviour",
            "early_imports",
            "namespace",
            "information",
            "memory_pools",
            "profiler",
            "optimizing",
            "synchronization",
        ),
        "what users see",
    ),
    (
        ("function_shortcuts", "ufunc_shortcuts", "einsum_shortcut", "mask_shortcuts", "axis_shortcuts"),
        "functions of few elements, which use the methods",
    ),
    (("",), "gpunp itself, which combines the layers"),
    (("gpunp_scipy",), "SciPy's functions"),
    (("distributed",), "processes with a device each, and arrays cut over devices"),
    (("running",), "whole programs, unmodified"),
    (("demo",), "examples to run"),
    (("__main__",), "the commands of `python -m gpunp`"),
)
RANK_OF = {name: rank for rank, (names, _) in enumerate(RANKS) for name in names}

# Imports of a higher rank within functions, or of modules named in strings for a later import, with reasons.
LATE = {
    ("reduction", "fusion"): "fusion is imported at the first reduction of an array that has no elements yet",
    ("ufunc", "fusion"): "fusion is imported at the first operation that may be deferred, and sets its hooks",
    ("ufunc", "creation"): "short ways of creation are imported at the first call with like=",
    ("device", "cpu"): "devices are created at their first use",
    ("device", "cuda"): "devices are created at their first use, and CUDA is not loaded before",
    ("cuda", "early_imports"): "a thread imports upper layers while the driver creates the context",
    ("compiler", "cuda.compiler"): "the exception names the module that programs import it from",
    ("", "running"): "a notebook imports the extension when it is loaded",
    ("interop", "gpunp_scipy"): "the finder names the adapters to import after modules of SciPy",
}

# Tools of the build, which run before there is a gpunp: they import nothing from it but the op table.
TOOLS = ("_build", "_typing", "dispatch/find_homes.py")

_FROM = re.compile(r"(\s*)from\s+(gpunp[\w.]*)\s+c?import\s+(.*)")
_IMPORT = re.compile(r"(\s*)c?import\s+(gpunp[\w.]*.*)")
# A module named in a string, maybe with a member: first_use("gpunp.io.text", "loadtxt"), "gpunp.testing:f".
_NAME = re.compile(r"(gpunp(?:_scipy)?(?:\.\w+)+)(:\w*)?")
_TEXT = re.compile(r"""f?"([^"]*)"|f?'([^']*)'""")
_DOCSTRING = re.compile(r'("""|\'\'\')(?:.|\n)*?\1')


def sources():
    """The modules of gpunp and gpunp_scipy that have a rank."""
    for tree in ("gpunp", "gpunp_scipy"):
        for path in sorted((ROOT / tree).rglob("*.p*")):
            below = path.relative_to(ROOT / tree).as_posix()
            if path.suffix in (".py", ".pyx", ".pxd") and not below.startswith(TOOLS):
                yield path


def is_module(name):
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyx", ".pxd"))


def package_of(module):
    """The name in the table of ranks for a module."""
    if module.startswith("gpunp_scipy"):
        return "gpunp_scipy"
    parts = module.split(".")[1:]
    names = [name for name in (".".join(parts[:2]), *parts[:1]) if name in RANK_OF]
    return names[0] if names else parts[0] if parts and is_module(f"gpunp.{parts[0]}") else ""


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def members(module, names):
    """The modules that ``from module import names`` imports: those among the names, else the module."""
    return {f"{module}.{name}" if is_module(f"{module}.{name}") else module for name in names}


def imports(path):
    """Pairs of an imported module and whether the import is at the top level of its file."""
    return python_imports(path) if path.suffix == ".py" else cython_imports(path)


def python_imports(path):
    tree = ast.parse(path.read_text())
    # Imports within `try` and `if` run at import time too; only those within functions are late.
    late = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            late.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gpunp"):
            for module in members(node.module, [alias.name for alias in node.names]):
                yield module, id(node) not in late
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("gpunp"):
                    yield alias.name, id(node) not in late
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = _NAME.fullmatch(node.value)
            if name and is_module(name[1]):
                yield name[1], False


def cython_imports(path):
    text = _DOCSTRING.sub('""', path.read_text()).replace("\\\n", " ")
    # Join lists of names in parentheses into one line.
    text = re.sub(r"(import\s*)\(([^)]*)\)", lambda found: found[1] + found[2].replace("\n", " "), text)
    for line in text.splitlines():
        code = line.partition("  # ")[0]
        if found := _FROM.match(code):
            names = [name.split()[0] for name in found[3].split(",") if name.strip()]
            for module in members(found[2], names):
                yield module, not found[1]
        elif found := _IMPORT.match(code):
            for name in found[2].split(","):
                yield name.split()[0], not found[1]
        for text in _TEXT.findall(code):
            name = _NAME.fullmatch("".join(text))
            if name and is_module(name[1]):
                yield name[1], False


@pytest.fixture(scope="module")
def edges():
    """All imports: the importing package, the imported one, whether at the top level, and where."""
    return [
        (package_of(module_of(path)), package_of(module), top, f"{path.relative_to(ROOT)} imports {module}")
        for path in sources()
        for module, top in imports(path)
    ]


def test_every_package_has_a_rank():
    found = {package_of(module_of(path)) for path in sources()}
    # `_version` is written by the build.
    assert found | {"_version"} == set(RANK_OF)
    assert sum(len(names) for names, _ in RANKS) == len(RANK_OF)


def test_imports_go_down(edges):
    upward = [
        text
        for package, imported, top, text in edges
        if top and imported != package and RANK_OF[imported] >= RANK_OF[package]
    ]
    assert sorted(set(upward)) == []


def test_late_imports_go_down_or_have_a_reason(edges):
    upward = {
        (package, imported): text
        for package, imported, top, text in edges
        if not top and imported != package and RANK_OF[imported] >= RANK_OF[package]
    }
    assert {edge: text for edge, text in upward.items() if edge not in LATE} == {}
    # Entries that are no longer needed must be removed.
    assert set(LATE) <= set(upward)


@pytest.mark.parametrize("tool", TOOLS)
def test_tools_import_no_more_than_tables(tool):
    path = ROOT / "gpunp" / tool
    for file in [path] if path.is_file() else path.rglob("*.py"):
        # The op table is data, which can be read before gpunp is built.
        assert {module for module, _ in python_imports(file)} <= {"gpunp.ufunc.table"}, file


def test_reading_finds_imports_of_every_kind(tmp_path):
    file = tmp_path / "module.pyx"
    file.write_text(
        '"""from gpunp.fft import config"""\n'
        "from gpunp.array.ndarray cimport (\n    ndarray, new_array,\n)\n"
        "from gpunp import cuda, device\n"
        "def f():\n    from gpunp.linalg import engine\n"
        '    __import__("gpunp.sets.engine")\n'
    )
    assert sorted(cython_imports(file)) == [
        ("gpunp.array.ndarray", True),
        ("gpunp.cuda", True),
        ("gpunp.device", True),
        ("gpunp.linalg.engine", False),
        ("gpunp.sets.engine", False),
    ]
    file = tmp_path / "module.py"
    file.write_text(
        "try:\n    from gpunp import cuda\nexcept ImportError:\n    pass\n"
        "import gpunp.fft.config\n"
        'late = first_use("gpunp.io.text", "loadtxt")\n'
        "def f():\n    from gpunp.linalg.engine import run\n"
    )
    assert sorted(python_imports(file)) == [
        ("gpunp.cuda", True),
        ("gpunp.fft.config", True),
        ("gpunp.io.text", False),
        ("gpunp.linalg.engine", False),
    ]


def test_every_status_bit_is_registered_once():
    header = (ROOT / "kernels/include/gpunp/status.h").read_text()
    bits = re.findall(r"#define (GPUNP_STATUS_\w+)", header)
    assert re.findall(r"GPUNP_STATUS_\w+", (ROOT / "gpunp/status.pxd").read_text()) == bits
    registered = [
        bit
        for path in sources()
        if path.suffix == ".pyx"
        for bit in re.findall(r"register_report\(\s*(GPUNP_STATUS_\w+)", path.read_text())
    ]
    assert sorted(registered) == sorted(bits)
