"""Units of the reduction kernels: one per stored type (fast variants) and one per compute type (general)."""

from gpunp.reduction.records import RECORDS, loop_units

OPERATION = """
struct {name} {{
    using In = {stored};
    using C = {compute};
    using Acc = {accumulator};
    {order}static constexpr bool has_initial = {initial}, has_runs = {runs};
    enum {{ native = {native} }};
    static GPUNP_HD Acc identity() {{ return {identity}; }}
    {map}
    static GPUNP_HD Acc combine(Acc a, Acc b) {{ return {combine}; }}
}};
"""


def operation(record, name, stored, compute):
    """Return the C++ functor of a record for one pair of types."""
    return OPERATION.format(
        name=name,
        stored=stored,
        compute=compute,
        accumulator=record.accumulator,
        order=f"using Order = {record.order};\n    " if record.order else "",
        initial=str(record.initial).lower(),
        runs=str(record.runs).lower(),
        native=compute.upper(),
        identity=record.identity,
        map=f"static GPUNP_HD Acc map(C x, const ReduceParams& p) {{ return {record.map}; }}"
        if record.map
        else "",
        combine=record.combine,
    )


def source(operations, kernels):
    """Return a unit: functors in an unnamed namespace, then the kernels that use them."""
    return (
        '#include "gpunp/reduction/reduce_kernels.h"\n\n'
        "namespace gpunp {\nnamespace reduction {\nnamespace {\n"
        + "".join(operations)
        + "\n}  // namespace\n}  // namespace reduction\n}  // namespace gpunp\n\n"
        + "\n".join(
            f"GPUNP_REDUCE({variant}, {name}, ::gpunp::reduction::{name})" for variant, name in kernels
        )
        + "\n"
    )


def units():
    """Map unit names to sources."""
    operations, kernels = {}, {}

    def add(unit, record, name, stored, compute, variants):
        operations.setdefault(unit, []).append(operation(record, name, stored, compute))
        kernels.setdefault(unit, []).extend((variant, name) for variant in variants)

    for record in RECORDS:
        for stored, compute in record.fast:
            name = f"{record.name}_{stored}_{compute}"
            add(loop_units(stored)[0], record, name, stored, compute, ("rows", "columns"))
        for compute in record.general:
            name = f"{record.name}_{compute}"
            add(loop_units(compute)[1], record, name, compute, compute, ("general",))
    return {unit: source(operations[unit], kernels[unit]) for unit in operations}
