"""Units of elementwise kernels: a family of the op table, or the casts, for one or a few dtypes."""

import functools
from collections import defaultdict

from gpunp.dtype_codes import CHARS, NAME_OF
from gpunp.ufunc.table.functions import c_type, compute, inlining, typed_loops
from gpunp.ufunc.table.row import LONG, unit_of

HEADER = '#include "gpunp/ufunc/elementwise.h"\n\nusing namespace gpunp;\n'

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
{body}}};
"""


ONE_OUTPUT = """    static GPUNP_HD void apply(T a, B b, C c, R& x, S&, uint32_t* status) {
        x = compute(a, b, c, status);
    }
"""
TWO_OUTPUTS = """    struct Outputs {{
        R x;
        S y;
    }};
    static GPUNP_HD{inlining} Outputs compute(T a, B b, C c, uint32_t* status) {{
        R x;
        S y;
        {expression};
        return {{x, y}};
    }}
    static GPUNP_HD void apply(T a, B b, C c, R& x, S& y, uint32_t* status) {{
        const Outputs outputs = compute(a, b, c, status);
        x = outputs.x;
        y = outputs.y;
    }}
"""


# Symbols of functions that would spend more on the general vector kernel than on memory.
WHOLE = frozenset({"erf_f4", "erfc_f4", "ndtr_f4", "gammaln_f4"})
# Those with an overload for several elements of one thread.
TOGETHER = frozenset({"gammaln_f4"})
SEVERAL = """    template <int N>
    static GPUNP_HD void apply_together(const T (&x)[N], R (&y)[N]) {{
        math::{name}(x, y);
    }}
"""


LONG_HEADER = (
    '#include "gpunp/math/{unit}.h"\n#include "gpunp/ufunc/elementwise_long.h"\n\nusing namespace gpunp;\n'
)
LONG_FUNCTOR = """
struct {name} {{
    using Inputs = types<{inputs}>;
    using Outputs = types<{outputs}>;
    static GPUNP_HD void apply({parameters}) {{
        {body};
    }}
}};
"""


@functools.cache
def _names_of_several_families():
    families = defaultdict(set)
    for row, _ in typed_loops():
        families[row.name].add(row.family)
    return frozenset(name for name, found in families.items() if len(found) > 1)


def functor_name(row, loop):
    """Return the name of the C++ struct of a typed loop.

    The host library links all units, of which one struct of each name would serve all: numpy.expm1 and
    scipy.special.expm1 differ.
    """
    family = f"{row.family}_" if row.name in _names_of_several_families() else ""
    return f"Op_{family}{row.symbol(loop)}"


def long_functor(row, loop):
    """Return the C++ struct of a typed loop of a family of long functions."""
    inputs, outputs = ([c_type(c) for c in chars] for chars in (loop.inputs, loop.outputs))
    parameters = [f"{kind} {letter}" for kind, letter in zip(inputs, "abcde", strict=False)]
    parameters += [f"{kind}& {letter}" for kind, letter in zip(outputs, "xyzw", strict=False)]
    return LONG_FUNCTOR.format(
        name=functor_name(row, loop),
        inputs=", ".join(inputs),
        outputs=", ".join(outputs),
        parameters=", ".join(parameters),
        body=loop.expression if len(outputs) > 1 else f"x = ({outputs[0]})({loop.expression})",
    )


def functor(row, loop):
    """Return the C++ struct of one typed loop."""
    name = functor_name(row, loop)
    inputs = [c_type(c) for c in loop.inputs] + ["none"] * (3 - len(loop.inputs))
    outputs = [c_type(c) for c in loop.outputs] + ["none"] * (2 - len(loop.outputs))
    if len(loop.outputs) == 1:
        body = compute(row, loop) + ONE_OUTPUT
        if row.symbol(loop) in TOGETHER:
            body += SEVERAL.format(name=row.name)
    else:
        body = TWO_OUTPUTS.format(expression=loop.expression, inlining=inlining(row, loop))
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
    lines = [f"GPUNP_ELEMENTWISE_{'WHOLE' if symbol in WHOLE else 'VECTOR'}({symbol}, {functor_name})"]
    if strided:
        lines.append(f"GPUNP_ELEMENTWISE_STRIDED({symbol}, {functor_name})")
    if tiled:
        lines.append(f"GPUNP_ELEMENTWISE_TILED({symbol}, {functor_name})")
    return "\n".join(lines) + "\n"


def header(unit, parts=()):
    """Return the first lines of a unit. Only their own units pay for compiling the special functions."""
    if unit in LONG:
        return LONG_HEADER.format(unit=unit)
    own = next((name for name in ("special", "closeness") if unit.startswith(name)), None)
    whole = any("GPUNP_ELEMENTWISE_WHOLE" in part for part in parts)
    skeleton = HEADER.replace("elementwise.h", "elementwise_whole.h") if whole else HEADER
    return (f'#include "gpunp/math/{own}.h"\n' if own else "") + skeleton


def op_units():
    """Map unit names to sources, for the op table."""
    parts = defaultdict(list)
    for row, loop in typed_loops():
        name = functor_name(row, loop)
        if row.family in LONG:
            text = long_functor(row, loop) + f"GPUNP_ELEMENTWISE_LONG({row.symbol(loop)}, {name})\n"
        else:
            text = functor(row, loop) + kernels(row.symbol(loop), name, tiled=row.tiled)
        parts[row.unit(loop)].append(text)
    return {unit: header(unit, text) + "".join(text) for unit, text in parts.items()}


def cast_units():
    """Map unit names to sources: contiguous conversion from each dtype to all others."""
    parts = defaultdict(list)
    for source in CHARS:
        text = ""
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
        parts[unit_of("cast", NAME_OF[source])].append(text)
    return {unit: HEADER + "".join(text) for unit, text in parts.items()}


def units():
    """Map the names of all elementwise units to sources."""
    return {**op_units(), **cast_units()}
