"""Units of scipy.sparse: products of compressed rows with dense arrays."""

VALUES = {"f4": "float", "f8": "double", "c8": "gpunp::complex<float>", "c16": "gpunp::complex<double>"}
INDICES = {"i4": "int32_t", "i8": "int64_t"}


def units():
    """Map unit names to sources."""
    text = '#include "gpunp/sparse/rows.h"\n\n'
    for value, type_ in VALUES.items():
        for index, index_type in INDICES.items():
            text += f"GPUNP_ROWS({value}_{index}, {type_}, {index_type})\n"
    return {"sparse_rows": text}
