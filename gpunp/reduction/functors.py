"""C++ functors of reductions: read by the code generator, and when kernels are generated at run time."""

OPERATION = """
struct {name} {{
    using In = {stored};
    using C = {compute};
    using Acc = {accumulator};
    {order}enum : bool {{ has_initial = {initial}, has_runs = {runs} }};
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
