"""The code of a program, with calls added where arrays may have grown, or are asked for their type.

Only few expressions change: values that are assigned and come from calls, operators between operands that
broadcast, ``type(x)``, ``x.__class__`` and ``isinstance(x, y)``, the subjects of ``match`` statements, and
arguments that must be numbers or memory. Line numbers stay.
"""

import ast
import operator

from gpunp.array.host_copies import with_copies
from gpunp.running import calls, classes, loops, mirrors, rows, visits
from gpunp.running.array_class import plain
from gpunp.running.counting import MARK
from gpunp.running.numpy_of_programs import PLACING

# The names that the code refers to, which are globals of its module: libraries that pickle functions by
# value find them in their modules in another process.
HELPERS = {
    MARK: calls.place,
    "__gpunp_home__": calls.home,
    "__gpunp_spread__": calls.spread,
    "__gpunp_on_device__": visits.on_device,
    "__gpunp_rows__": visits.home,
    "__gpunp_back__": visits.back,
    "__gpunp_expect__": mirrors.expect,
    "__gpunp_host__": with_copies,
    "__gpunp_number__": classes.number,
    "__gpunp_plain__": plain,
    "__gpunp_class__": classes.class_of,
    "__gpunp_subject__": classes.subject,
    "__gpunp_read_into__": classes.read_into,
    "__gpunp_type__": classes.type_of,
    "__gpunp_isinstance__": classes.is_instance,
    "__gpunp_operator__": operator,
}
# Called with the code of every module of the program.
WATCHERS = []
# The class that changes the tree; `gpunp.running.checking` puts its own here.
transformer = None
# Functions of Python that return no arrays.
_NO_ARRAYS = frozenset(
    [
        "abs",
        "all",
        "any",
        "ascii",
        "bin",
        "bool",
        "bytes",
        "chr",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "frozenset",
        "hash",
        "hex",
        "id",
        "input",
        "int",
        "isinstance",
        "issubclass",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "oct",
        "open",
        "ord",
        "pow",
        "print",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "super",
        "tuple",
        "type",
        "vars",
        "zip",
    ]
)
# What compiles functions of a program, also where the import is in another cell of a notebook.
_COMPILERS = frozenset({"numba", "njit", "guvectorize", "cfunc"})
# Methods that fill memory, and those and classes that want Python's numbers.
_FILLING = frozenset({"readinto", "readinto1", "recv_into"})
_WANT_NUMBERS = frozenset({"DateOffset", "Timedelta", "acquire", "settimeout", "wait"})
# Modules of the standard library whose functions want Python's numbers.
_OF_NUMBERS = frozenset({"datetime", "decimal", "fractions", "sched", "statistics", "threading", "time"})
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}


def _adds_an_axis(node):
    """Whether an expression is ``x[:, None]``, ``x[np.newaxis]`` or ``x.reshape(...)``, maybe negated."""
    if isinstance(node, ast.UnaryOp):
        return _adds_an_axis(node.operand)
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(
            (isinstance(part, ast.Constant) and part.value is None)
            or (isinstance(part, ast.Attribute) and part.attr == "newaxis")
            or (isinstance(part, ast.Name) and part.id == "newaxis")
            for part in parts
        )
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"


def _may_be_new(node, numpys):
    """Whether an assigned expression may be an array that is not placed yet and has no other name."""
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return not (function.value.id in numpys and function.attr in PLACING)
        return not (isinstance(function, ast.Name) and function.id in _NO_ARRAYS)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    if isinstance(node, ast.Subscript):
        # A slice of a file or of another container may be an array.
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(
            isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is ...)
            for part in parts
        )
    return False


class Transformer(ast.NodeTransformer):
    """Adds the calls to the tree of a module."""

    def __init__(self):
        # Of the functions around the present one: the arrays that their loops visit by elements.
        self._looped = [{}]
        # The names that stand for functions and modules that want numbers.
        self._of_numbers = set()
        # Those that stand for `numpy`.
        self._numpys = set()
        # Those of Numba and its functions, and of functions of the program that it compiles.
        self._compilers, self._compiled, self._lambdas = set(_COMPILERS), frozenset(), set()

    def visit_Module(self, node):
        self._looped = [loops.looped(node)]
        if names := loops.names_from(node, "numba"):
            self._compilers |= names
            self._compiled = loops.arguments_of(node, self._compilers)
        plan = rows.planned(node)
        self.generic_visit(node)
        rows.add(plan)
        return node

    def _in_scope(self, node):
        self._looped.append(loops.looped(node))
        plan = rows.planned(node)
        try:
            self.generic_visit(node)
        finally:
            self._looped.pop()
        rows.add(plan)
        return node

    visit_AsyncFunctionDef = _in_scope

    def _announced(self, node, counts):
        """Say at the beginning of a function whose elements it will read."""
        first = node.body[0]
        has_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        calls_of_names = [
            ast.copy_location(
                ast.Expr(
                    self._call(
                        first,
                        "__gpunp_expect__",
                        ast.copy_location(ast.Name(name, ast.Load()), first),
                        ast.copy_location(ast.Constant(count), first),
                    )
                ),
                first,
            )
            for name, count in counts.items()
        ]
        node.body[has_text:has_text] = calls_of_names

    def _call(self, node, name, *args):
        made = ast.Call(ast.Name(name, ast.Load()), list(args), [])
        ast.copy_location(made, node)
        ast.copy_location(made.func, node)
        return made

    def _placed(self, node):
        node.value = self._placed_value(node.value)
        return node

    def _placed_value(self, value):
        """An assigned value with the call that may move it."""
        visited = self.visit(value)
        return self._call(value, MARK, visited) if _may_be_new(value, self._numpys) else visited

    def visit_Assign(self, node):
        node.targets = [self.visit(target) for target in node.targets]
        if all(isinstance(target, ast.Subscript) for target in node.targets):
            # Elements are copied, wherever they are.
            node.value = self.visit(node.value)
            return node
        count = self._count_of(node.targets) if isinstance(node.value, ast.Call | ast.BinOp) else 0
        if count:
            # Not moved before, as it would come back.
            node.value = self._call(node.value, "__gpunp_home__", self.visit(node.value), ast.Constant(count))
            return ast.fix_missing_locations(node)
        return self._placed(node)

    def _count_of(self, targets):
        """How many numbers the index has by which a loop visits the array that is assigned, or 0."""
        key = loops.key_of(targets[0]) if len(targets) == 1 else None
        return self._looped[-1].get(key, 0)

    def visit_AnnAssign(self, node):
        node.target = self.visit(node.target)
        if node.value is not None:
            self._placed(node)
        return node

    def visit_NamedExpr(self, node):
        return self._placed(node)

    def _spread(self, node, operator, left, right):
        function = ast.Attribute(
            ast.Name("__gpunp_operator__", ast.Load()), OPERATORS[type(operator)], ast.Load()
        )
        ast.copy_location(function, node)
        ast.copy_location(function.value, node)
        return self._call(node, "__gpunp_spread__", function, left, right)

    def visit_BinOp(self, node):
        broadcasts = _adds_an_axis(node.left) or _adds_an_axis(node.right)
        self.generic_visit(node)
        if broadcasts and type(node.op) in OPERATORS:
            return self._spread(node, node.op, node.left, node.right)
        return node

    def visit_Compare(self, node):
        broadcasts = _adds_an_axis(node.left) or _adds_an_axis(node.comparators[0])
        self.generic_visit(node)
        if broadcasts and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            return self._spread(node, node.ops[0], node.left, node.comparators[0])
        return node

    def visit_FunctionDef(self, node):
        if node.name in self._compiled or any(
            loops.root_of(each) in self._compilers for each in node.decorator_list
        ):
            # Numba knows neither our calls nor the functions that place arrays.
            node.decorator_list.append(
                ast.copy_location(ast.Name("__gpunp_plain__", ast.Load()), node.body[0])
            )
            return node
        counts = loops.read_parameters(node)
        self._in_scope(node)
        self._announced(node, counts)
        if node.name == "__array__":
            # NumPy demands one of its arrays.
            for each in ast.walk(node):
                if isinstance(each, ast.Return) and each.value is not None:
                    each.value = self._call(each.value, "__gpunp_host__", each.value)
        return node

    def visit_Lambda(self, node):
        if node in self._lambdas:
            return self._call(node, "__gpunp_plain__", node)
        return self.generic_visit(node)

    def visit_Import(self, node):
        self._of_numbers.update(each.asname or each.name for each in node.names if each.name in _OF_NUMBERS)
        self._numpys.update(each.asname or each.name for each in node.names if each.name == "numpy")
        return node

    def visit_ImportFrom(self, node):
        if node.module in _OF_NUMBERS:
            self._of_numbers.update(each.asname or each.name for each in node.names)
        return node

    def visit_Match(self, node):
        node.subject = self._call(node.subject, "__gpunp_subject__", node.subject)
        return self.generic_visit(node)

    def visit_MatchValue(self, node):
        """Patterns have no calls."""
        return node

    visit_MatchClass = visit_MatchMapping = visit_MatchValue

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr == "__class__" and isinstance(node.ctx, ast.Load):
            return self._call(node, "__gpunp_class__", node.value)
        return node

    def _number(self, node):
        fixed = isinstance(node, ast.Constant | ast.Starred)
        return node if fixed else self._call(node, "__gpunp_number__", node)

    def visit_Call(self, node):
        if loops.root_of(node.func) in self._compilers:
            self._lambdas.update(each for each in node.args if isinstance(each, ast.Lambda))
        self.generic_visit(node)
        key = loops.key_of(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if method in _WANT_NUMBERS or (key is not None and key.partition(".")[0] in self._of_numbers):
            node.args = [self._number(each) for each in node.args]
            for each in node.keywords:
                each.value = self._number(each.value) if each.arg else each.value
            return node
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            return node
        if method in _FILLING and len(node.args) == 1:
            return self._call(node, "__gpunp_read_into__", node.func, *node.args)
        if isinstance(node.func, ast.Name):
            if node.func.id == "type" and len(node.args) == 1:
                return self._call(node, "__gpunp_type__", node.func, *node.args)
            if node.func.id == "isinstance" and len(node.args) == 2:
                return self._call(node, "__gpunp_isinstance__", node.func, *node.args)
        return node


def transformed(source, path):
    """Compile the source of a module of a program.

    Parameters
    ----------
    source : str or bytes
    path : str
        The file, for tracebacks.

    Returns
    -------
    code
    """
    return compiled(compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True), path)


def compiled(tree, path, mode="exec"):
    """Compile a tree of a program, with calls added; see `transformed`.

    Parameters
    ----------
    tree : ast.AST
    path : str
    mode : {"exec", "eval"}, optional

    Returns
    -------
    code
    """
    code = compile((transformer or Transformer)().visit(tree), path, mode, dont_inherit=True)
    for watch in WATCHERS:
        watch(code)
    return code
