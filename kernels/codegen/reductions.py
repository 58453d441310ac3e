"""Units of the reduction kernels: one per stored type (fast variants) and one per compute type (general)."""

from gpunp.reduction.functors import operation
from gpunp.reduction.records import RECORDS, loop_units


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
