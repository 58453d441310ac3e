"""Units of scipy.sparse: products of compressed rows with dense arrays, searches of graphs."""

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


def units():
    """Map unit names to sources."""
    text = '#include "gpunp/sparse/rows.h"\n\n'
    spgemm = '#include "gpunp/sparse/spgemm.h"\n\n'
    for value, type_ in VALUES.items():
        text += f"GPUNP_ROWS_CLOSE({value}, {type_})\n"
        for index, index_type in INDICES.items():
            text += f"GPUNP_ROWS({value}_{index}, {type_}, {index_type})\n"
            spgemm += f"GPUNP_SPGEMM({value}_{index}, {type_}, {index_type})\n"
    return {"sparse_graph": _graph(), "sparse_rows": text, "sparse_spgemm": spgemm}
