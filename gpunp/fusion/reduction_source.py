"""Sources of kernels that reduce the value of a group's last step, which is never in memory.

They are gpunp's own kernels, with the text of the group's operations in place of a load.
"""

from gpunp.dtype_codes import CHARS
from gpunp.fusion.source import _functions, _includes, _step_lines, _Values
from gpunp.reduction.functors import operation
from gpunp.reduction.records import BY_NAME
from gpunp.ufunc.table.functions import c_type

# Names of enum Access in kernels/include/gpunp/fusion/reduction.h, by value.
ACCESS = ("SINGLE", "DENSE", "UNALIGNED", "ROWS", "REPEATED", "ANY")
STRIDED = ("ROWS", "REPEATED", "ANY")
# The parts of the rows kernels: a kernel of a group has only the one that its plan asks for, which halves the
# time to compile.
PARTS_OF_ROWS = ("rows", "whole", "runs")


def reduction_source(reduced):
    """Return the source of a kernel.

    Parameters
    ----------
    reduced : Reduced

    Returns
    -------
    str
        C++ for CUDA and for the CPU device; the kernel's name is `NAME`.
    """
    record, stored, compute = _split(reduced.kernel)
    value = c_type(CHARS[reduced.steps[-1].code])
    if stored is None:
        stored = value
    names, functions = _functions(reduced.steps)
    return (
        _includes(reduced.steps)
        + '#include "gpunp/fusion/reduction.h"\n\nnamespace gpunp {\nnamespace {\n'
        + functions
        + _chain(reduced, names, value)
        + "}  // namespace\nnamespace reduction {\nnamespace {\n"
        + operation(record, "Fold", stored, compute)
        + "}  // namespace\n}  // namespace reduction\n}  // namespace gpunp\n\n"
        + f"GPUNP_REDUCE_GROUP({reduced.part}, ::gpunp::reduction::Fold, ::gpunp::Chain, "
        + f"{_blocks(reduced, record, stored)})\n"
    )


def _split(kernel):
    """The record, the stored type or None, and the compute type that a symbol names."""
    name, _, compute = kernel.rpartition("_")
    if name in BY_NAME:
        return BY_NAME[name], None, compute
    name, _, stored = name.rpartition("_")
    return BY_NAME[name], stored, compute


def _chain(reduced, names, value):
    """The struct that computes elements from their indices."""
    rank, whole, narrow = reduced.space
    kinds = [c_type(CHARS[code]) for code, _ in reduced.leaves]
    strided = [k for k, (_, access) in enumerate(reduced.leaves) if ACCESS[access] in STRIDED]
    place = "const fusion::NoPlace place{};"
    if strided:
        narrow = str(narrow).lower()
        place = f"const fusion::Places<{len(strided)}, {rank}, WHOLE ? 1 : N, {narrow}> place(p, index);"
    lines = [
        "struct Chain {",
        f"using Value = {value};",
        f"using Params = fusion::ReduceParams<{len(reduced.leaves)}, {len(strided)}, {rank}, "
        f"{len(reduced.constants)}>;",
        "template <int N>",
        "static GPUNP_HD void compute(Value (&x)[N], int64_t index, const Params& p) {",
        f"constexpr bool WHOLE = N == 1 || {str(whole).lower()};",
        place,
        "const fusion::NegativeZero& zero = p.zero;",
    ]
    for k, kind in enumerate(kinds):
        number = strided.index(k) if k in strided else 0
        step = f"p.stride[{number}][0]" if k in strided else 0
        access = ACCESS[reduced.leaves[k][1]]
        lines.append(f"{kind} leaves{k}[N];")
        lines.append(
            f"fusion::load_neighbors<fusion::{access}, WHOLE>"
            f"(leaves{k}, p.leaf[{k}], index, place, {number}, {step});"
        )
    for k, code in enumerate(reduced.constants):
        kind = c_type(CHARS[code])
        lines.append(f"const {kind} constant{k} = fusion::constant_of<{kind}>(p, {k});")
    lines.append("GPUNP_UNROLL\nfor (int n = 0; n < N; n++) {")
    lines += [f"const {kind} leaf{k} = leaves{k}[n];" for k, kind in enumerate(kinds)]
    lines += _step_lines(reduced, _Values(reduced), names)
    lines += [f"x[n] = step{len(reduced.steps) - 1};", "}", "}", "};", ""]
    return "\n".join(lines)


def _blocks(reduced, record, stored):
    """Blocks that must fit on a multiprocessor: fewer than in memory if more registers are in flight."""
    moments = record.accumulator.startswith("moments")
    default = 3 if moments else 4 if reduced.part in PARTS_OF_ROWS else 0
    if not default:
        return default
    each = 16 // _size(stored)
    batch = (32 // each if each > 4 else 8) if moments else 2 if each > 8 else 4
    sizes = [_size(c_type(CHARS[code])) for code, access in reduced.leaves if ACCESS[access] != "SINGLE"]
    nbytes = batch * each * sum(sizes)
    # One H100, sum((x - y) ** 2) of 2^26 float32: 0.197 ms with 4 blocks, 0.183 with 3.
    return default if nbytes < 128 else 3 if nbytes == 128 else 2 if nbytes <= 256 else 1


def _size(kind):
    return 1 if kind == "bool_" else int(kind[1:])
