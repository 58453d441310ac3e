"""Generated sources of groups: the functions of gpunp's kernels, one after the other, on values in registers.

The results have the bits that the kernels of the single operations give: the functions have the same text,
values are rounded to the dtype of each operation, converted by the same functions, and products are not
contracted.
"""

from gpunp.custom.source import ROLES, scalar_words
from gpunp.dtype_codes import CHARS, NAMES
from gpunp.fusion.description import ABSENT, CONSTANT, KEPT, LEAF, MASK, NAME
from gpunp.ufunc.table.functions import c_type, compute, compute_type, loop_of_kernel
from gpunp.ufunc.table.row import LONG

THREADS = 256
# Words in front of the constants: the negative zeros of `signed_edge`, as float and as double.
FIRST_CONSTANT = 2

# Loops that do nothing but change signs. Those of halves change bits.
_SIGNS = {("negative", char) for char in "fdFD"} | {
    (name, char) for name in ("absolute", "fabs") for char in "fd"
}
_FLOATS = "efd"
_COMPLEX = "FD"


def _is_cast(step):
    return step.unit.startswith("cast_")


def _characters(step):
    """The dtype characters of a step's inputs and of its output."""
    if _is_cast(step):
        source, target = step.symbol.split("_")[1:]
        return CHARS[NAMES.index(source)], CHARS[NAMES.index(target)]
    _, loop = loop_of_kernel(step.unit, step.symbol)
    return loop.inputs, loop.outputs


def headers(row, loop):
    """Return the headers below ``gpunp/math`` that have the functions of a loop.

    Parameters
    ----------
    row : Row
    loop : Loop

    Returns
    -------
    set of str
    """
    chars = set(loop.inputs)
    if row.family.startswith("special"):
        return {row.family if row.family in LONG else "special"}
    if row.family == "internal":
        return set()
    if row.family == "closeness":
        return {"closeness"}
    found = set()
    if chars & set(_COMPLEX):
        simple = row.family == "arithmetic" and "power" not in row.name
        found.add("complex_arithmetic" if simple else "complex")
        if loop.standard:
            # These have functions of the real part, too.
            found.add("elementary")
    if chars & set(_FLOATS):
        plain = row.family in ("arithmetic", "rounding", "floating", "comparison", "logical")
        found.add("floating" if plain and "power" not in row.name else "elementary")
    if chars - set(_FLOATS + _COMPLEX):
        found.add("integer")
    if row.family in ("comparison", "logical", "floating"):
        found.add("comparison")
    return found


def _includes(steps, *, tiled=False):
    """The lines that include what the functions of the steps need, in a fixed order."""
    found = set()
    for step in steps:
        if not _is_cast(step):
            found |= headers(*loop_of_kernel(step.unit, step.symbol))
    return "".join(
        f'#include "gpunp/{name}.h"\n'
        for name in ("fusion/tiles" if tiled else "fusion/group", *sorted(f"math/{name}" for name in found))
    )


def _functions(steps):
    """The structs of the loops, each once, and their names by unit and symbol."""
    names, text = {}, []
    for step in steps:
        if _is_cast(step) or (step.unit, step.symbol) in names:
            continue
        row, loop = loop_of_kernel(step.unit, step.symbol)
        name = names[step.unit, step.symbol] = f"Op{len(names)}_{step.symbol}"
        types = [compute_type(char, loop) for char in loop.inputs] + ["int"] * (3 - len(loop.inputs))
        using = zip("TBCR", (*types, compute_type(loop.outputs[0], loop)), strict=True)
        lines = "".join(f"    using {letter} = {kind};\n" for letter, kind in using)
        text.append(f"struct {name} {{\n{lines}{compute(row, loop)}}};\n")
    return names, "".join(text)


def _converted(text, char, target):
    """A value of one dtype as another."""
    if char == target:
        return text
    value = f"convert<{c_type(target)}>({text})"
    # Compilers may drop a conversion to another type and back: NVIDIA's to a wider one, GCC 12 (in vectors of
    # complex numbers) even to a narrower one. They also drop the subtraction of an imaginary part that is
    # always zero, which would have changed the bits of a NaN.
    inexact = target in _COMPLEX or {char, target} <= set(_FLOATS + _COMPLEX)
    return f"fusion::edge({value})" if inexact else value


def _edge(row, loop, text):
    """The value of a function as other steps see it."""
    char = loop.inputs[0]
    if (row.name, char) in _SIGNS:
        return f"fusion::signed_edge({text}, zero)"
    if row.name == "conjugate" and char in _COMPLEX:
        return f"fusion::conjugate_edge({text}, zero)"
    return f"fusion::edge({text})"


class _Values:
    """The values of a group by their origin: names and dtype characters."""

    def __init__(self, description):
        self._description = description

    def __getitem__(self, origin):
        if origin >= CONSTANT:
            return f"constant{origin - CONSTANT}", CHARS[self._description.constants[origin - CONSTANT]]
        if origin >= LEAF:
            return f"leaf{origin - LEAF}", CHARS[self._description.leaves[origin - LEAF][0]]
        return f"step{origin}", CHARS[self._description.steps[origin].code]

    def as_type(self, origin, target):
        """The value as a dtype."""
        return _converted(*self[origin], target)


def _value(step, values, names):
    """The value of a step's operation, in the dtype of the step."""
    inputs, output = _characters(step)
    arguments = [values.as_type(origin, char) for origin, char in zip(step.source, inputs, strict=False)]
    target = CHARS[step.code]
    if _is_cast(step):
        return _converted(_converted(arguments[0], inputs, output), output, target)
    row, loop = loop_of_kernel(step.unit, step.symbol)
    if not loop.stored_half:
        arguments = [
            f"to_float({text})" if char == "e" else text for text, char in zip(arguments, inputs, strict=True)
        ]
    arguments += ["0"] * (3 - len(arguments))
    value = f"{names[step.unit, step.symbol]}::compute({', '.join(arguments)}, nullptr)"
    if output == "e" and not loop.stored_half:
        value = f"to_half({value})"
    return _converted(_edge(row, loop, value), output, target)


def _lines_of_step(number, step, values, names):
    """The lines that compute a step."""
    kind = c_type(CHARS[step.code])
    value = _value(step, values, names)
    if step.source[MASK] == ABSENT:
        return [f"const {kind} step{number} = {value};"]
    kept = "{}" if step.source[KEPT] == ABSENT else values.as_type(step.source[KEPT], CHARS[step.code])
    return [
        f"{kind} step{number} = {kept};",
        f"if ({values.as_type(step.source[MASK], '?')}) step{number} = {value};",
    ]


def _step_lines(description, values, names):
    """The lines that compute the steps."""
    lines = []
    for number, step in enumerate(description.steps):
        lines += _lines_of_step(number, step, values, names)
    for number, (code, _, step) in enumerate(description.stores):
        lines.append(f"store{number} = {values.as_type(step, CHARS[code])};")
    return lines


def group_source(description):
    """Return the source of a group's kernel.

    Parameters
    ----------
    description : Description

    Returns
    -------
    str
        C++ for CUDA and for the CPU device; the kernel's name is `NAME`.
    """
    names, functions = _functions(description.steps)
    values = _Values(description)
    before = ["const fusion::NegativeZero zero{_p.scalar<float>(0), _p.scalar<double>(1)};"]
    word = FIRST_CONSTANT
    for number, code in enumerate(description.constants):
        kind = c_type(CHARS[code])
        before.append(f"const {kind} constant{number} = _p.scalar<{kind}>({word});")
        word += scalar_words(code)
    operands, parameters = [], []
    roles = [(*leaf, "INPUT") for leaf in description.leaves]
    roles += [(code, role, "OUTPUT") for code, role, _ in description.stores]
    for number, (code, role, direction) in enumerate(roles):
        kind = c_type(CHARS[code])
        operands.append(
            f"custom::Operand<{number}, {kind}, custom::ELEMENTWISE_{ROLES[role]}, custom::{direction}>"
        )
        if direction == "INPUT":
            parameters.append(f"const {kind}& leaf{number}")
        else:
            parameters.append(f"{kind}& store{number - len(description.leaves)}")
    rank, width, vectors, wide, down = description.loop
    numbers = [rank, width, vectors, down] if down else [rank, width, vectors, str(wide).lower(), "true"]
    template = ", ".join([*map(str, numbers), *operands])
    loop = f"custom::{'TileLoop' if down else 'Loop'}<{template}>"
    body = "".join(f"        {line}\n" for line in _step_lines(description, values, names))
    lines = "".join(f"    {line}\n" for line in before)
    return (
        f"{_includes(description.steps, tiled=down > 0)}\nusing namespace gpunp;\n{functions}\n"
        f"GPUNP_ELEMENTWISE_KERNEL({NAME}, {THREADS}, "
        f"custom::ElementwiseParams<{rank}, {len(operands)}, {word}>) {{\n{lines}"
        f"    {loop}::run(_p, [&](const ptrdiff_t, {', '.join(parameters)}) {{\n{body}"
        "    });\n}\n"
    )
