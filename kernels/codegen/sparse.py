"""Units of scipy.sparse: products, unions and copies of compressed rows, searches of graphs."""

VALUES = {"f4": "float", "f8": "double", "c8": "gpunp::complex<float>", "c16": "gpunp::complex<double>"}
INDICES = {"i4": "int32_t", "i8": "int64_t"}

# The kernels of kernels/include/gpunp/sparse/graph.h: parameters, and the number of threads.
GRAPHS = {
    "unite_edge": ("UniteParams", "p.edges"),
    "flatten_node": ("UniteParams", "p.nodes"),
    "relax_edge": ("RelaxParams", "p.edges * p.searches"),
    "tight_edge": ("TightParams", "p.edges * p.searches"),
    "level_edge": ("LevelParams", "p.edges"),
    "lightest_edge": ("BoruvkaParams", "p.edges"),
    "first_edge": ("BoruvkaParams", "p.edges"),
    "join_node": ("BoruvkaParams", "p.nodes"),
    "color_edge": ("SpreadParams", "p.edges"),
    "mark_edge": ("SpreadParams", "p.edges"),
}


def _graph():
    text = '#include "gpunp/sparse/floyd.h"\n#include "gpunp/sparse/graph.h"\n\n'
    for name, (params, count) in GRAPHS.items():
        text += f"GPUNP_GRAPH({name}, {params}, {count})\n"
    return text + "GPUNP_FLOYD()\n"


MERGES = {
    "union_first": "UnionFirst",
    "union_second": "UnionSecond",
    "intersection": "Intersection",
}
OPERATIONS = (
    *((operation, name) for operation in ("plus", "minus") for name in ("union_first", "union_second")),
    ("times", "intersection"),
)
# Types of values that are only copied, by their size.
COPIED = {"1": "uint8_t", "2": "uint16_t", "4": "uint32_t", "8": "uint64_t", "16": "gpunp::sparse::Wide"}


def _entries():
    text = '#include "gpunp/sparse/entries.h"\n\n'

    def add(name, params, index, work, *types):
        arguments = ", ".join((*types[:1], INDICES[index], *types[1:]))
        return f"GPUNP_ENTRIES({name}_{index}, {params}, {INDICES[index]}, {work}<{arguments}>)\n"

    for index in INDICES:
        text += add("expand", "EntriesParams", index, "Expand")
        text += add("match", "MergeParams", index, "Match")
        for size, type_ in COPIED.items():
            text += add(f"copy_{size}", "EntriesParams", index, "Copy", type_)
            for name, work in MERGES.items():
                text += add(f"{name}_both_{size}", "MergeParams", index, work, type_, "::gpunp::sparse::Both")
        for value, type_ in VALUES.items():
            for operation, name in OPERATIONS:
                work = MERGES[name]
                functor = f"::gpunp::sparse::{operation.capitalize()}"
                text += add(f"{name}_{operation}_{value}", "MergeParams", index, work, type_, functor)
    return text


def units():
    """Map unit names to sources."""
    text = '#include "gpunp/sparse/rows.h"\n\n'
    spgemm = '#include "gpunp/sparse/spgemm.h"\n\n'
    for value, type_ in VALUES.items():
        text += f"GPUNP_ROWS_CLOSE({value}, {type_})\n"
        for index, index_type in INDICES.items():
            text += f"GPUNP_ROWS({value}_{index}, {type_}, {index_type})\n"
            spgemm += f"GPUNP_SPGEMM({value}_{index}, {type_}, {index_type})\n"
    return {
        "sparse_entries": _entries(),
        "sparse_graph": _graph(),
        "sparse_rows": text,
        "sparse_spgemm": spgemm,
    }
