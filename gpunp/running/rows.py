"""Arrays that a loop visits by small rows or elements: statements before the loop bring them to the host.

A call on a small row takes longer on a device than on the host. A statement behind the loop moves the array
back if the rest of the function works on the whole of it. Only a variable of the function itself is changed,
and only if nothing else refers to its array.
"""

import ast

from gpunp.running.loops import counters_of, is_number, is_step

# A name that has no value yet is no error of the loop.
_BEFORE = """
try:
    if __gpunp_on_device__({name}):
        {name} = __gpunp_rows__({name}, {mask}, {rounds}, {is_global})
except NameError:
    pass
"""
_BEHIND = """
try:
    {name} = __gpunp_back__({name}, {is_global})
except NameError:
    pass
"""
# What may be asked of an array without its elements.
_ATTRIBUTES = frozenset({"dtype", "ndim", "nbytes", "shape", "size"})
_FUNCTIONS = frozenset({"len", "print", "range", "type"})
_ITERATORS = frozenset({"enumerate", "reversed", "zip"})
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPOUND = (ast.If, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match, *_SCOPES)
# What may be in an expression that is evaluated twice.
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
_PURE = (ast.Name, ast.Constant, ast.Subscript, ast.expr_context, *_OPERATIONS)
_MOST_AXES = 16


class _Uses(ast.NodeVisitor):
    """How the names in a piece of code are used.

    Attributes
    ----------
    masks : dict of str to int
        Of names with an index that counts, or that loops iterate over: the axes with numbers, as bits.
    owners : dict of str to set of ast.AST
        The loops whose counters such an index has.
    indexed : set of str
        The names with such an index.
    whole, stored : set of str
        Names that are used as a whole, and those that are assigned.
    """

    def __init__(self, node=None):
        self.masks, self.owners, self.indexed, self.whole, self.stored = {}, {}, set(), set(), set()
        # Loops around the present node, with their counters.
        self._loops = []
        if node is not None:
            self.visit(node)

    def generic_visit(self, node):
        if not isinstance(node, _SCOPES):
            super().generic_visit(node)
            return
        # The body of a function runs when it is called: who knows where from.
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                self.whole.add(each.id)

    def visit_For(self, node):
        self._iterated(node, node)
        self.visit(node.target)
        self._in_loop(node, counters_of(node), [*node.body, *node.orelse])

    def _iterated(self, node, owner):
        """The rows of what a loop iterates over are visited."""
        call, name = node.iter, getattr(getattr(node.iter, "func", None), "id", None)
        for each in call.args if name in _ITERATORS else [call]:
            if isinstance(each, ast.Name):
                self._visited(each.id, 1, {owner})
            else:
                self.visit(each)

    def visit_comprehension(self, node):
        self._iterated(node, self._loops[-1][0])
        for each in (node.target, *node.ifs):
            self.visit(each)

    def _visited(self, name, mask, owners):
        self.masks[name] = self.masks.get(name, mask) & mask
        self.owners.setdefault(name, set()).update(owners)

    def visit_While(self, node):
        steps = [each for each in ast.walk(node) if isinstance(each, ast.AugAssign) and is_step(each)]
        counters = {each.target.id for each in steps if isinstance(each.target, ast.Name)}
        self._in_loop(node, counters, [node.test, *node.body, *node.orelse])

    def _comprehension(self, node):
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        counters = set().union(*map(counters_of, node.generators))
        self._in_loop(node, counters, [*node.generators, *parts])

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _in_loop(self, node, counters, parts):
        self._loops.append((node, counters))
        for part in parts:
            self.visit(part)
        self._loops.pop()

    def visit_Name(self, node):
        (self.whole if isinstance(node.ctx, ast.Load) else self.stored).add(node.id)

    def visit_Attribute(self, node):
        if not (isinstance(node.value, ast.Name) and node.attr in _ATTRIBUTES):
            self.visit(node.value)

    def visit_Return(self, node):
        if node.value is not None and not isinstance(node.value, ast.Name):
            self.visit(node.value)

    def visit_Call(self, node):
        cheap = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        for each in (node.func, *node.args, *(each.value for each in node.keywords)):
            if not (cheap and isinstance(each, ast.Name)):
                self.visit(each)

    def visit_Subscript(self, node):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            self.visit(part)
        if not isinstance(node.value, ast.Name):
            self.visit(node.value)
            return
        name, counters = node.value.id, set().union(*(each for _, each in self._loops))
        numbers = [is_number(part, counters) for part in parts]
        if not all(n or isinstance(part, ast.Slice) for n, part in zip(numbers, parts, strict=True)):
            # An index that is not known to be a number, or that adds an axis.
            if any(isinstance(part, ast.Constant | ast.Tuple | ast.List | ast.Compare) for part in parts):
                self.whole.add(name)
            return
        if not any(numbers):
            self.whole.add(name)
        used = {each.id for part in parts for each in ast.walk(part) if isinstance(each, ast.Name)}
        owners = {loop for loop, each in self._loops if used & each}
        if owners and len(parts) <= _MOST_AXES:
            self.indexed.add(name)
            self._visited(name, sum(1 << axis for axis, n in enumerate(numbers) if n), owners)


class _Planner:
    """Finds the loops of a function or module before which calls are needed."""

    def __init__(self, scope):
        self._is_global = isinstance(scope, ast.Module)
        self._all = _Uses()
        for statement in scope.body:
            self._all.visit(statement)
        self._names = {name for name, mask in self._all.masks.items() if mask}
        if not self._is_global:
            # To the parameters the caller refers, too.
            self._names &= self._all.stored
            for each in ast.walk(scope):
                if isinstance(each, ast.Global | ast.Nonlocal):
                    self._names -= {*each.names}

    def plan(self, body, names=None, in_loop=False):
        """Yield the list of statements, a loop in it, and the statements before and behind the loop."""
        names = self._names if names is None else names
        for statement in body if names else ():
            rest = names
            if not isinstance(statement, _COMPOUND):
                uses = _Uses(statement)
                here = {name for name in names & {*uses.masks} if uses.masks[name]} - uses.whole - uses.stored
                if in_loop:
                    # Loops within loops may iterate over few elements.
                    here &= uses.indexed
                if here:
                    yield body, statement, *self._around(statement, uses, sorted(here))
                rest = names - here
            for part in _bodies(statement):
                yield from self.plan(part, rest, in_loop or isinstance(statement, _LOOPS))

    def _around(self, statement, uses, names):
        before = [
            self._made(statement, _BEFORE, name, mask=uses.masks[name], rounds=_rounds(statement, uses, name))
            for name in names
        ]
        behind = [self._made(statement, _BEHIND, name) for name in names if name in self._all.whole]
        return before, behind

    def _made(self, statement, text, name, **values):
        """A statement with the position of another one."""
        made = ast.parse(text.format(name=name, is_global=self._is_global, **values)).body[0]
        for node in ast.walk(made):
            if "lineno" in node._attributes:
                ast.copy_location(node, statement)
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
        return made


def _bodies(statement):
    """The lists of statements in a statement that belong to the same function."""
    if isinstance(statement, _SCOPES):
        return
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for each in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
        yield each.body


def _rounds(statement, uses, name):
    """The text of an expression for how many rounds a loop has that visits an array itself, or -1."""
    if not isinstance(statement, ast.For) or statement not in uses.owners[name]:
        return "-1"
    call = statement.iter
    is_range = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
    if not is_range or not all(_is_pure(each) for part in call.args for each in ast.walk(part)):
        return "-1"
    return f"len({ast.unparse(call)})"


def _is_pure(node):
    """Whether a part of an expression may be evaluated twice."""
    return isinstance(node, _PURE) or (isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES)


def add(plan):
    """Put the statements of a plan in.

    Parameters
    ----------
    plan : iterable of tuple
        See `planned`.
    """
    for body, statement, before, behind in plan:
        if statement in body:
            place = body.index(statement)
            body[place : place + 1] = [*before, statement, *behind]


def planned(scope):
    """Find what a function or module needs, before its code is changed.

    Parameters
    ----------
    scope : ast.Module or ast.FunctionDef or ast.AsyncFunctionDef

    Returns
    -------
    list of tuple
        Lists of statements with a loop in them, and the statements to put before and behind the loop.
    """
    return [*_Planner(scope).plan(scope.body)]
