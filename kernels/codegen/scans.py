"""Units of the scans (one per accumulator type), of the folds behind the ufunc methods, and of ufunc.at."""

from gpunp.dtype_codes import NAME_OF
from gpunp.reduction.fold_table import UNIT_CHAR, UNITS, fold_key, fold_loops, fold_ops
from gpunp.reduction.scan_table import ACCUMULATORS, CHOICES, HALF_CHOICES, SIGNED_TWIN
from gpunp.ufunc.table import BY_NAME, ROWS

# Unnamed namespaces, because units of one host library use the same name for different types.
SCAN_FUNCTOR = """
namespace {{
struct Scan_{name} {{
    using A = {type};
    static {inlining} A apply(A a, A b, int op) {{
        {body}
    }}
    static GPUNP_HD A skipped() {{ return {skipped}; }}
}};
}}  // namespace
GPUNP_SCAN({name}, Scan_{name})
"""

FOLD_FUNCTOR = """
GPUNP_OUT_OF_LINE {type} apply_{type}(int op, int loop_dtype, {type} a, {type} b, uint32_t* status) {{
    using T = {type};
    switch (op) {{
{cases}
        default:
            return T{{}};
    }}
}}

struct Fold_{type} {{
    using T = {type};
    static constexpr int dtype = {code};
    static GPUNP_IN_LINE T apply(int op, int loop_dtype, T a, T b, uint32_t* status) {{
        return apply_{type}(op, loop_dtype, a, b, status);
    }}
}};
GPUNP_FOLD({suffix}, Fold_{type})
"""


def _loop(name, char):
    return next((loop for loop in BY_NAME[name].loops if loop.inputs == char + char), None)


def _scan_unit(char):
    kind = NAME_OF[char]
    one, zero = ("A{1, 0}", "A{}") if char in "FD" else ("(A)1", "(A)0")
    text = '#include "gpunp/reduction/scan.h"\n\nusing namespace gpunp;\n'
    if char not in SIGNED_TWIN:
        for name, skipped in (("add", zero), ("multiply", one)):
            body = f"return {_loop(name, char).expression};"
            text += SCAN_FUNCTOR.format(name=name, type=kind, body=body, skipped=skipped, inlining="GPUNP_HD")
    cases = ""
    for number, name in enumerate(CHOICES):
        loop = _loop(name, char)
        if loop:
            cases += f"case {number}: return {loop.expression};\n            "
    if char == "f":
        for number, name in enumerate(HALF_CHOICES):
            apply = f"[](f2 a, f2 b) {{ return {_loop(name, 'e').expression}; }}(to_half(a), to_half(b))"
            cases += f"case {number + len(CHOICES)}: return to_float({apply});\n            "
    body = f"switch (op) {{\n            {cases}default: return b;\n        }}"
    # Called: inlining it with all its cases hundreds of times doubled the unit's compile time.
    return text + SCAN_FUNCTOR.format(
        name="choose", type=kind, body=body, skipped=zero, inlining="GPUNP_HD_CALLED"
    )


def _fold_case(loop, char):
    """Return the C++ of one operation in the unit that computes in ``char``."""
    second = "b"
    if loop.inputs[0] in "efd" and loop.inputs[1] in "iq":
        # An exponent passed as a float, which may exceed the range of integers.
        second = "math::clamp_exponent(b)"
    elif loop.inputs[0] != loop.inputs[1]:
        second = f"convert<{NAME_OF[loop.inputs[1]]}>(b)"
    if loop.stored_half:
        call = f"[](f2 a, f2 b) {{ return {loop.expression}; }}(to_half(a), to_half({second}))"
    elif second != "b":
        other = NAME_OF[loop.inputs[1]]
        call = f"[](T a, {other} b) {{ return {loop.expression}; }}(a, {second})"
    else:
        call = loop.expression
    return f"return convert<T>({call});"


def _fold_unit(char):
    numbers = fold_ops(ROWS)
    own, halves = {}, {}
    header = ""
    for row, loop in fold_loops(ROWS):
        first = loop.inputs[0]
        key = fold_key(row.name, loop.inputs)
        if first == char:
            own[key] = loop
            if row.family.startswith("special"):
                header = '#include "gpunp/math/special.h"\n'
        elif first == "e" and UNIT_CHAR["e"] == char and loop.stored_half:
            halves[key] = loop
    cases = []
    for key, loop in own.items():
        body = _fold_case(loop, char)
        if key in halves:
            body = f"if (loop_dtype == F2) {_fold_case(halves[key], char)}\n            {body}"
        cases.append(f"        case {numbers[key]}:  // {key}\n            {body}")
    kind = "bool_" if char == "?" else NAME_OF[char]
    text = FOLD_FUNCTOR.format(
        type=kind, suffix=NAME_OF[char], code=NAME_OF[char].upper(), cases="\n".join(cases)
    )
    return header + '#include "gpunp/reduction/fold.h"\n\nusing namespace gpunp;\n' + text


def units():
    """Map the names of all units of this module to sources."""
    made = {f"scan_{NAME_OF[char]}": _scan_unit(char) for char in ACCUMULATORS}
    made.update({f"fold_{NAME_OF[char]}": _fold_unit(char) for char in UNITS})
    made["fold_targets"] = '#include "gpunp/ufunc/fold_targets.h"\n\nGPUNP_TARGETS\n'
    return made
