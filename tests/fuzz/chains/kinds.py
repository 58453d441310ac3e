"""The statements of chains, and their frequencies; many are those of the other random programs."""

import elementwise
import numpy as np
import products
import rearranging
import reducing
from registry import command, expression

# (function, weight)
KINDS = [
    (elementwise.unary, 3),
    (elementwise.binary, 4),
    (elementwise.several_outputs, 0.4),
    (elementwise.ldexp, 0.2),
    (elementwise.operators, 4),
    (elementwise.in_place, 6),
    (elementwise.reduce, 1),
    (elementwise.accumulate, 0.3),
    (elementwise.outer, 0.2),
    (elementwise.functions_of_one, 0.7),
    (elementwise.rounding_and_clipping, 2),
    (elementwise.where_and_select, 2),
    (elementwise.conversions, 1.5),
    (rearranging.new_array, 2),
    (rearranging.views, 4),
    (rearranging.joined, 0.4),
    (rearranging.rearranged, 0.4),
    (rearranging.indexed, 1),
    (rearranging.taken, 0.3),
    (rearranging.assigned, 5),
    (rearranging.put, 1),
    (rearranging.like, 0.4),
    (reducing.reductions, 3),
    (reducing.means, 1),
    (reducing.arguments, 0.5),
    (reducing.running, 0.6),
    (reducing.sorting, 0.6),
    (reducing.comparisons, 0.3),
    (products.products, 0.4),
]
# Statements that may run twice if memory ran out the first time: they change nothing, or are one call.
PURE = [
    function
    for function, _ in KINDS
    if function in (elementwise.unary, elementwise.binary, elementwise.operators)
]


def kind(weight):
    """Register a function that makes a statement."""

    def register(function):
        KINDS.append((function, weight))
        return function

    return register


def pure(function):
    """Register a function for programs in which memory runs out."""
    PURE.append(function)
    return function


def changed(g):
    """A variable to change, or None."""
    names = g.names(
        lambda v: isinstance(v, np.ndarray) and v.flags.writeable and v.size > 1 and 0 not in v.strides
    )
    return g.choice(names) if names else None


@pure
@kind(9)
def chain(g):
    return expression(g.expression(g.array(view=0).shape))


@pure
@kind(3)
def chain_into(g):
    target = changed(g)
    if target is None:
        return chain(g)
    shape = g.variables[target].shape
    how = g.random()
    name = g.choice(["add", "multiply", "subtract", "maximum", "true_divide"])
    where = f", where={g.condition(shape)}" if how < 0.4 else ""
    casting = ", casting='unsafe'" if how > 0.2 else ""
    return command(f"np.{name}({g.expression(shape, 1)}, {g.leaf(shape)}, out={target}{where}{casting})")


@kind(5)
def change_view(g):
    """Change a part of an array in place, by values that may come from the same array."""
    target = changed(g)
    if target is None:
        return chain(g)
    view = g.target_view(target)
    how = g.random()
    other = g.similar(target, view.shape).text if how < 0.5 else g.expression(view.shape, g.below(3))
    if how < 0.1 or how > 0.8:
        # An assignment to a name would change no array.
        return command(f"{view}[...] = {other}")
    operator = g.choice(["+=", "-=", "*=", "/=" if view.kind in "fc" else "*="])
    if not view.text.endswith("]"):
        return command(f"t = {view}; t {operator} {other}")
    return command(f"{view} {operator} {other}")


@pure
@kind(3)
def overlapping_output(g):
    """A ufunc whose output overlaps with its operands."""
    target = changed(g)
    if target is None:
        return chain(g)
    view = g.target_view(target)
    first, second = g.similar(target, view.shape), g.similar(target, view.shape)
    where = f", where={g.condition(view.shape)}" if g.chance(0.3) else ""
    if g.chance(0.2):
        name = g.choice(["negative", "square", "sqrt", "positive", "absolute"])
        return command(f"np.{name}({first}, out={view}{where}, casting='unsafe')")
    name = g.choice(["add", "multiply", "maximum", "hypot" if view.kind == "f" else "add"])
    return command(f"np.{name}({first}, {second}, out={view}{where}, casting='unsafe')")


@pure
@kind(2)
def copied(g):
    a = g.array()
    form = g.choice(
        [
            "({}).copy()",
            "np.copy({})",
            "copy.copy({})",
            "copy.deepcopy({})",
            "pickle.loads(pickle.dumps({}))",
            "({}).copy(order='F')",
            "np.atleast_3d({})",
            "({}).astype('f4')",
            "({}).astype('f8', copy=False)",
            "({}).flatten()",
        ]
    )
    return expression(form.format(a))


@kind(3)
def removed(g):
    """Names that go away, or stand for other arrays."""
    names = g.names()
    if len(names) < 3:
        return chain(g)
    first, second = g.rng.sample(names, 2)
    how = g.random()
    if how < 0.4:
        return command(f"del {first}")
    if how < 0.6:
        return command(f"{first} = {second}")
    if how < 0.75:
        return command(f"{first}, {second} = {second}, {first}")
    return command(f"{first} = {g.expression(g.variables[second].shape)}")


@pure
@kind(3)
def read(g):
    a = g.array()
    form = g.choice(
        [
            "{}",
            "{}",
            "get({})",
            "({}).tolist()",
            "({}).shape",
            "({}).nbytes",
            "({}).flags.c_contiguous",
            "bool(({}).any())",
            "repr({})",
        ]
    )
    if a.value.size and isinstance(a.value, np.ndarray) and g.chance(0.4):
        form = g.choice(
            [
                "({}).reshape(-1)[0].item()",
                "({}).max()",
                "({}).sum()",
                "({}).ravel()[-1:]",
                "float(({}).real.sum())",
            ]
        )
    return command(f"log({form.format(a)})")


@pure
@kind(3)
def normalised(g):
    """A reduction whose result meets its operand again."""
    a = g.array(lambda v: v.ndim and v.size, kinds="f" if g.chance(0.8) else None)
    axis = g.choice(["None", *map(str, range(-a.ndim, a.ndim))]) if a.ndim else "None"
    name = g.choice(["sum", "max", "min", "mean", "std", "prod", "any", "argmax", "count_nonzero"])
    chained = g.expression(a.shape, 1 + g.below(2)) if g.chance(0.6) else a.text
    reduced = f"np.{name}({chained}, axis={axis}, keepdims=True)"
    return expression(
        g.choice(["({}) - {}", "({}) / {}", "np.exp(({}) - {})", "np.where(({}) > {}, 1, 0)"]).format(
            a, reduced
        )
    )


PARTS = ["[1:]", "[:-1]", "[::-1]", "[::2]", "[..., 1:]", "[1:].T", ".reshape(-1)[3:]", ".real[1:]", ".imag"]


@pure
@kind(2)
def reduced_part(g):
    """A reduction of a part of what a chain computes, or of a view of another dtype."""
    a = g.array(lambda v: v.ndim and v.size)
    views = [f".view('{code}')" for code in ("i2", "i4", "i8", "u1", "f4", "f8")]
    part = g.choice(PARTS if g.chance(0.7) else views)
    name = g.choice(["sum", "max", "min", "mean", "any", "all", "prod", "count_nonzero", "argmax"])
    axis = g.choice(["", "", "", ", axis=0", ", axis=-1"])
    return expression(f"np.{name}(({g.expression(a.shape, 1 + g.below(2))}){part}{axis})")


@kind(1)
def masked(g):
    target = changed(g)
    if target is None:
        return chain(g)
    shape = g.variables[target].shape
    condition = g.choice(["{0} > {1}", "{0} != {0}", "np.isfinite({0})", "~({0} <= {1})"]).format(
        target, g.scalar("i")
    )
    how = g.random()
    if how < 0.4:
        return expression(f"{target}[{condition}]")
    if how < 0.7:
        return command(f"{target}[{condition}] = {g.scalar()}")
    if how < 0.85:
        return command(f"{target}[{condition}] *= 2")
    mask = g.mask(shape)
    return command(f"{target}[{mask}] = ({g.expression(shape, 1)} + {g.with_shape(shape)})[{mask}]")


@kind(1)
def wrong(g):
    """A statement that raises an exception, after some of its calls."""
    a = g.array(lambda v: v.ndim and v.size > 1)
    target = changed(g)
    if target is None:
        return chain(g)
    longer = f"F(0, 'f4', {(a.shape[0] + 1 if a.ndim else 2,)!r})"
    return command(
        g.choice(
            [
                f"np.add({a} * 2, {longer}, out={target})",
                f"{target}[...] = ({a} + 1) + {longer}[:, None, None, None]",
                f"{target} += np.exp({longer}) * 1j",
                f"np.multiply({a}, 2, out={target}, casting='no', dtype='c16')",
                f"np.sqrt({a} * 3).missing",
                f"({a} - 1)[{10**6}] = 2",
                f"{target} = ({a} * 2).reshape(11, 13, 17)",
                f"np.left_shift({a} * 0.5, 2)",
                f"1 // 0 + np.exp({a})",
                f"bool({a} + 1)",
                f"{target} **= -1",
            ]
        )
    )
