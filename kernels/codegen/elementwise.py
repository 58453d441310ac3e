"""Units of elementwise kernels: one a family and dtype from the op table, and one a source dtype for casts."""

from collections import defaultdict

from table import ROWS
from table.row import CHARS, NAME_OF

HEADER = '#include "gpunp/elementwise.h"\n\nusing namespace gpunp;\n'
# Only their own units pay for compiling the special functions.
SPECIAL_HEADER = '#include "gpunp/math/special.h"\n' + HEADER

FUNCTOR = """
struct {name} {{
    using I0 = {i0};
    using I1 = {i1};
    using I2 = {i2};
    using O0 = {o0};
    using O1 = {o1};
    static constexpr int nin = {nin}, nout = {nout};
    static constexpr bool stored_half = {stored};
    using T = typename operand_type<I0, stored_half>::type;
    using R = typename operand_type<O0, stored_half>::type;
    using B = typename operand_type<I1, stored_half>::type;
    using C = typename operand_type<I2, stored_half>::type;
    using S = typename operand_type<O1, stored_half>::type;
    static GPUNP_HD void apply(T a, B b, C c, R& x, S& y, uint32_t* status) {{
        {body}
    }}
}};
"""


def c_type(char):
    return "bool_" if char == "?" else NAME_OF[char]


def functor(name, loop):
    """The C++ struct of one typed loop."""
    inputs = [c_type(c) for c in loop.inputs] + ["none"] * (3 - len(loop.inputs))
    outputs = [c_type(c) for c in loop.outputs] + ["none"] * (2 - len(loop.outputs))
    body = f"x = (R)({loop.expression});" if len(loop.outputs) == 1 else f"{loop.expression};"
    return FUNCTOR.format(
        name=name,
        i0=inputs[0],
        i1=inputs[1],
        i2=inputs[2],
        o0=outputs[0],
        o1=outputs[1],
        nin=len(loop.inputs),
        nout=len(loop.outputs),
        stored="true" if loop.stored_half else "false",
        body=body,
    )


def kernels(symbol, functor_name, tiled=False, strided=True):
    lines = [f"GPUNP_ELEMENTWISE_VECTOR({symbol}, {functor_name})"]
    if strided:
        lines.append(f"GPUNP_ELEMENTWISE_STRIDED({symbol}, {functor_name})")
    if tiled:
        lines.append(f"GPUNP_ELEMENTWISE_TILED({symbol}, {functor_name})")
    return "\n".join(lines) + "\n"


def op_units():
    """Unit name to source, for the op table."""
    parts = defaultdict(list)
    for row in ROWS:
        for loop in row.loops:
            name = f"Op_{row.symbol(loop)}"
            parts[row.unit(loop)].append(
                functor(name, loop) + kernels(row.symbol(loop), name, tiled=row.tiled)
            )
    return {
        unit: (SPECIAL_HEADER if unit.startswith("special") else HEADER) + "".join(text)
        for unit, text in parts.items()
    }


def cast_units():
    """Unit name to source: contiguous conversion from one dtype to every other."""
    units = {}
    for source in CHARS:
        text = HEADER
        for target in CHARS:
            if source == target:
                continue
            symbol = f"cast_{NAME_OF[source]}_{NAME_OF[target]}"
            text += f"""
struct Op_{symbol} {{
    using I0 = {c_type(source)};
    using I1 = none;
    using I2 = none;
    using O0 = {c_type(target)};
    using O1 = none;
    static constexpr int nin = 1, nout = 1;
    static constexpr bool stored_half = true;
    static GPUNP_HD void apply(I0 a, none, none, O0& x, none&, uint32_t*) {{
        x = convert<O0>(a);
    }}
}};
""" + kernels(symbol, f"Op_{symbol}", strided=False)
        units[f"cast_{NAME_OF[source]}"] = text
    return units


def units():
    """All elementwise units: name to source."""
    return {**op_units(), **cast_units()}
