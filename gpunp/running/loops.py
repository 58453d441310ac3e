"""Which arrays of a program are read or written element by element in loops: they belong on the host.

A read of an element takes 50 ns on the host and some microseconds on a device.
"""

import ast

# Loops of so few rounds do not count.
_FEW = 32


def key_of(node):
    """The text of a name or of an attribute such as ``self.x``, else None."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else None


def root_of(node):
    """The name from which an expression of attributes and calls starts, else None."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def names_from(module, package):
    """The names that a module imports from a package, also in the bodies of its ``try`` and ``if``."""
    found, statements = set(), [*module.body]
    while statements:
        node = statements.pop()
        if isinstance(node, ast.Try | ast.If):
            statements += node.body
        elif isinstance(node, ast.Import | ast.ImportFrom):
            origin = node.module if isinstance(node, ast.ImportFrom) else None
            for each in node.names:
                if (origin or each.name).partition(".")[0] == package:
                    found.add(each.asname or (each.name if origin else package))
    return found


def arguments_of(module, functions):
    """The names that are arguments of calls of some functions, or of what these return."""
    return frozenset(
        argument.id
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and root_of(call.func) in functions
        for argument in call.args
        if isinstance(argument, ast.Name)
    )


def looped(scope):
    """The arrays with such loops in a function or module.

    Parameters
    ----------
    scope : ast.AST
        A function, a class or a module; functions within are scopes of their own.

    Returns
    -------
    dict of str to int
        By `key_of` of the array, how many numbers the index has.
    """
    return _finder_of(scope).found


def _finder_of(scope):
    finder = _Finder()
    for statement in scope.body if isinstance(scope.body, list) else []:
        finder.visit(statement)
    return finder


def read_parameters(function):
    """The parameters of a function whose elements its loops read and do not write.

    Parameters
    ----------
    function : ast.FunctionDef

    Returns
    -------
    dict of str to int
        By name, how many numbers the index has.
    """
    finder, given = _finder_of(function), function.args
    names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return {key: count for key, count in finder.found.items() if key in names - finder.written}


class _Finder(ast.NodeVisitor):
    def __init__(self):
        self.found, self.written, self._counters = {}, set(), []

    def visit_FunctionDef(self, node):
        """Another scope."""

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_For(self, node):
        self.visit(node.iter)
        counters = counters_of(node)
        self._in_loop(node, counters)

    def visit_While(self, node):
        counters = {
            each.target.id
            for each in ast.walk(node)
            if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name) and is_step(each)
        }
        self.visit(node.test)
        self._in_loop(node, counters)

    def _in_loop(self, node, counters):
        self._counters.append(counters)
        for statement in node.body:
            self.visit(statement)
        self._counters.pop()
        for statement in node.orelse:
            self.visit(statement)

    def visit_Subscript(self, node):
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        counters = set().union(*self._counters)
        key = key_of(node.value)
        if not isinstance(node.ctx, ast.Load):
            self.written.add(key)
        if key is None or not all(is_number(part, counters) for part in parts):
            return
        if any(isinstance(each, ast.Name) and each.id in counters for each in ast.walk(node.slice)):
            self.found[key] = max(len(parts), self.found.get(key, 0))


def is_step(node):
    """Whether a statement is ``i += 1`` or the like."""
    return isinstance(node.op, ast.Add | ast.Sub) and isinstance(node.value, ast.Constant)


def counters_of(loop):
    """The names that count in ``for i in range(n)`` and ``for i, x in enumerate(xs)``."""
    call = loop.iter
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return set()
    if call.func.id == "range" and isinstance(loop.target, ast.Name):
        stop = call.args[min(1, len(call.args) - 1)] if call.args else None
        is_short = isinstance(stop, ast.Constant) and isinstance(stop.value, int) and stop.value <= _FEW
        return set() if is_short else {loop.target.id}
    if call.func.id == "enumerate" and isinstance(loop.target, ast.Tuple):
        return {loop.target.elts[0].id} if isinstance(loop.target.elts[0], ast.Name) else set()
    return set()


def is_number(node, counters):
    """Whether an index is made of counters and constant numbers."""
    if isinstance(node, ast.Name):
        return node.id in counters
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand, counters)
    return isinstance(node, ast.BinOp) and is_number(node.left, counters) and is_number(node.right, counters)
