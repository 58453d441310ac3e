"""Statements with bodies: loops, functions, generators, threads, streams; containers and references."""

import numpy as np
from registry import command, expression

from chains.kinds import chain, change_view, changed, kind, normalised

# Bodies of loops and functions over two arrays of one shape and dtype, x and y.
LINES = [
    "x = x * 0.5 + y",
    "x += y",
    "y -= x * {k}",
    "x[1:] += x[:-1]",
    "x[:-1] = y[1:]",
    "x[1:-1] = (y[2:] + y[:-2] - 2 * y[1:-1]) * 0.25",
    "x, y = y, x",
    "x, y = y, x + y",
    "y[...] = np.where(x > y, x, y * 2)",
    "np.multiply(x, y, out=x)",
    "np.add(x, {k}, out=y, casting='unsafe')",
    "np.maximum(x, y, out=y, where=x > {k})",
    "x = np.tanh(x) + {k}",
    "y = np.sqrt(np.absolute(x)) - y",
    "t = x * 2; t += y; x = t - x",
    "t = x + y; x = t * t; del t",
    "x[::-1] += x",
    "x = x[::-1] * 1.5",
    "y = (y - y.mean()) / (np.absolute(y).max() + 1)",
    "x = x - np.sum(y * x)",
    "x[x > {k}] = 0",
    "y[{k}:] *= 2",
    "x.reshape(-1)[::2] += 1",
    "y = np.clip(y, -{k}, {k})",
    "x = x.copy()",
    "y = x.astype('f4').astype(y.dtype)",
    "z = x if y.ndim else y; z *= 0.5",
    "log(x)",
    "log(float(y.sum()))",
    "x = x / (1 + y * y)",
    "p = x; x = x + 1; p -= y",
]


def pair(g):
    """Two names or literals of the same shape and of floats."""
    first = g.array(lambda v: isinstance(v, np.ndarray) and v.ndim and v.shape[0] > 2, kinds="f", view=0.1)
    if not first.ndim or first.shape[0] < 3:
        first = g.literal((7,), "f4")
    return first, g.with_shape(first.shape, dtype=first.value.dtype)


def body(g, indent):
    lines = [line.format(k=g.below(4)) for line in g.rng.choices(LINES, k=1 + g.below(5))]
    return "".join(f"\n{indent}{line}" for line in lines)


@kind(3)
def loop(g):
    """The same calls several times."""
    x, y = pair(g)
    if g.chance(0.5):
        x = f"({x}).copy()"
    return command(f"x, y = {x}, {y}\nfor k in range({2 + g.below(5)}):{body(g, '    ')}\nlog(x, y)")


@kind(1.5)
def loop_over_statements(g):
    """Statements of other kinds, several times."""
    made = [g.choice([chain, change_view, normalised, changed_in_place])(g) for _ in range(1 + g.below(3))]
    lines = [f"v{8 + i} = {each.text}" if each.results else each.text for i, each in enumerate(made)]
    return command("".join([f"for k in range({2 + g.below(3)}):", *(f"\n    {line}" for line in lines)]))


def changed_in_place(g):
    target = changed(g)
    if target is None:
        return chain(g)
    return command(f"{target} {g.choice(['+=', '*=', '-='])} {g.leaf(g.variables[target].shape)}")


@kind(2)
def function(g):
    """A function with temporaries; it may raise an exception half way."""
    x, y = pair(g)
    failing = "\n    x = x + F(0, 'f4', (2, 2, 2, 2, 977))" if g.chance(0.1) else ""
    results = g.choice(["x", "y", "x + y", "x, y"])
    text = f"def f(x, y):{body(g, '    ')}{failing}{body(g, '    ')}\n    return {results}"
    caught = g.chance(0.5)
    call = (
        f"\ntry:\n    r = f({x}, {y})\nexcept ValueError as error:\n    r = text_of(error)"
        if caught
        else f"\nr = f({x}, {y})"
    )
    return command(f"{text}{call}\nlog(r)")


@kind(1)
def generator(g):
    x, y = pair(g)
    text = f"def h(x, y):\n    for k in range(3):{body(g, '        ')}\n        yield x * {g.below(3)} + y"
    how = g.random()
    if how < 0.4:
        return command(f"{text}\nfor e in h({x}, {y}):\n    log(e)")
    # Part of it runs later, when the arrays may have changed.
    return command(f"{text}\ng0 = h({x}, {y})\ne0 = next(g0)")


@kind(1)
def later(g):
    """What was kept in a container, a generator or a reference is used."""
    a = g.array(view=0.1)
    return command(
        g.choice(
            [
                "e0 = next(g0) if 'g0' in globals() else None; log(e0)",
                f"l0 = [{a}, {g.expression(a.shape, 1)}]",
                f"l0 = [e * 2 for e in ({a}, {g.array()})]",
                "if 'l0' in globals(): l0[0] += 1",
                "if 'l0' in globals() and l0: log(l0.pop())",
                f"o = SimpleNamespace(x={a}); o.x = o.x * 2; o.x += 1; log(o.x)",
                f"w0 = weakref.ref({a}); log(w0)",
                "if 'w0' in globals(): log(w0)",
                f"t = {g.expression(a.shape)}; w1 = weakref.ref(t, lambda r: log('gone')); del t; log(w1)",
                f"d0 = {{'x': {a} + 1}}; d0['x'] -= 1; log(list(d0.values()))",
                f"e1 = {a}; e1 = e1 + e1; del e1",
                f"for e in {a} if {a}.ndim else (): log(e)",
                f"c = lambda: {g.expression(a.shape, 2)}\nlog(c(), c())",
            ]
        )
    )


@kind(1)
def exported(g):
    """Memory that is shared with NumPy on the CPU device, and with another array on a GPU."""
    how = g.random()
    if how < 0.35:
        names = g.names(lambda v: isinstance(v, np.ndarray) and v.ndim and v.size and v.flags.writeable)
        if names:
            name = g.choice(names)
            return command(f"n0 = export({name}); m0 = {name}")
    a = g.array(view=0)
    return command(
        g.choice(
            [
                "if 'n0' in globals(): log(n0)",
                "if 'n0' in globals(): n0[...] = n0 * 2; log(m0)",
                "if 'n0' in globals(): n0[1:] = n0[:-1].copy(); log(m0 + 1)",
                "if 'n0' in globals(): m0 += 1; log(n0)",
                "if 'n0' in globals(): m0[::-1] *= 2; n0 += 1; m0 -= n0; log(m0, n0)",
                f"if 'n0' in globals(): log({a} * n0, np.add(n0, m0), np.where(m0 > 1, n0, 2))",
                "if 'n0' in globals(): m1 = m0 * 3; n0[...] = 1; log(m1)",
                "if 'n0' in globals(): t = m0 + n0; del m0; m0 = t; log(n0, t); del n0",
            ]
        )
    )


@kind(0.15)
def threads(g):
    """Threads that share arrays: readers at the same time, or one that changes an array while others wait."""
    a = g.array(view=0)
    how = g.random()
    if how < 0.3:
        return expression(f"in_thread(lambda: {g.expression(a.shape)})")
    if how < 0.7:
        return expression(
            f"together(lambda: {g.expression(a.shape)}, lambda: {g.expression(a.shape)})", results=2
        )
    target = changed(g)
    if target is None:
        return chain(g)
    shape = g.variables[target].shape
    return command(f"in_thread(lambda: np.add({g.expression(shape, 2)}, 1, out={target}, casting='unsafe'))")


@kind(0.5)
def streams(g):
    made = [chain(g), changed_in_place(g)]
    lines = [f"    s{i} = {each.text}" if each.results else f"    {each.text}" for i, each in enumerate(made)]
    return command(
        "with stream(1):\n{}\nlog({})".format(
            "\n".join(lines), ", ".join(f"s{i}" for i, e in enumerate(made) if e.results)
        )
    )


@kind(0.4)
def reshaped_in_place(g):
    names = g.names(lambda v: isinstance(v, np.ndarray) and v.flags.c_contiguous and v.ndim > 1)
    if not names:
        return chain(g)
    name = g.choice(names)
    return command(f"{name}.shape = {g.variables[name].shape[::-1]!r}")
