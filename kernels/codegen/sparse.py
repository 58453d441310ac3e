"""Units of scipy.sparse: products, unions and copies of rows, steps of solvers, factors, graphs."""

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


# Types of values that are only copied, by their size.
COPIED = {"1": "uint8_t", "2": "uint16_t", "4": "uint32_t", "8": "uint64_t", "16": "gpunp::sparse::Wide"}


def _entries():
    text = '#include "gpunp/sparse/entries.h"\n\n'
    for index, index_type in INDICES.items():
        text += f"GPUNP_ENTRIES(expand_{index}, EntriesParams, {index_type}, Expand<{index_type}>)\n"
        for size, type_ in COPIED.items():
            work = f"Copy<{type_}, {index_type}>"
            text += f"GPUNP_ENTRIES(copy_{size}_{index}, EntriesParams, {index_type}, {work})\n"
    return text


# What is computed of the values of two merged arrays: operations on unions, and on intersections. Pruned ones
# write no zeros.
MERGED = {
    "union": {"plus": "Whole", "minus": "Whole"}
    | dict.fromkeys(("maximum", "minimum", "unequal", "less", "greater"), "Pruned"),
    "intersection": {"times": "Whole"},
}
MERGED_VALUES = VALUES | INDICES | {"b1": "bool"}
# Types of the keys of entries: of few columns, and of more.
KEYS = {"i4": ("int32_t", "uint32_t"), "i4_wide": ("int32_t", "uint64_t"), "i8_wide": ("int64_t", "uint64_t")}


def _merges():
    text = '#include "gpunp/sparse/merges.h"\n\n'
    for index, index_type in INDICES.items():
        text += f"GPUNP_MERGES(find_{index}, find_tiles<{index_type}>)\n"
        text += f"GPUNP_MERGES(starts_{index}, write_starts<{index_type}>)\n"
    for keys, key_types in KEYS.items():
        for kind, is_union in (("union", "true"), ("intersection", "false")):
            writes = [("both", "Both", size, type_) for size, type_ in COPIED.items()]
            writes += [
                (name, f"{form}<::gpunp::sparse::{name.capitalize()}>", value, type_)
                for name, form in MERGED[kind].items()
                for value, type_ in MERGED_VALUES.items()
            ]
            for name, operation, value, type_ in writes:
                arguments = f"{type_}, {', '.join(key_types)}, ::gpunp::sparse::{operation}, {is_union}"
                text += f"GPUNP_MERGES({kind}_{name}_{value}_{keys}, merge<{arguments}>)\n"
    return text


STEPS = ("dot", "residual", "direction", "stable", "solution")
# Those of kernels/include/gpunp/sparse/steps_biconjugate.h.
STEPS += ("directions", "end", "squared", "half", "advance", "rest")


def _steps():
    text = '#include "gpunp/sparse/steps_biconjugate.h"\n\n'
    for name in STEPS:
        for value, type_ in VALUES.items():
            text += f"GPUNP_STEP({name}_{value}, {name.capitalize()}<{type_}>)\n"
    return text


def _factors():
    text = '#include "gpunp/sparse/factors.h"\n\n'
    for name in ("lu", "cholesky", "solve"):
        for value, type_ in VALUES.items():
            for index, index_type in INDICES.items():
                text += f"GPUNP_FACTORS({value}_{index}, {name}, {type_}, {index_type})\n"
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
        "sparse_factors": _factors(),
        "sparse_graph": _graph(),
        "sparse_merges": _merges(),
        "sparse_rows": text,
        "sparse_steps": _steps(),
        "sparse_spgemm": spgemm,
    }
