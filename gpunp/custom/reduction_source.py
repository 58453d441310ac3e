"""Generated sources of reduction kernels: the few lines of C++ around what users write, for both devices.

Messages of compilers have the line numbers of users' text: ``l2norm.map_expr:1`` is the first line of the
mapping expression of the kernel l2norm.
"""

import re

from gpunp.custom.signature import C_TYPES, c_type, typedefs
from gpunp.custom.source import Source, raw_words, scalar_words, symbol_of, uses_index

# The names of the variants in kernels/include/gpunp/custom/reduction_params.h, by value.
VARIANTS = ("ROWS", "COLUMNS", "GENERAL")


def is_indexed(kernel):
    """Whether an expression of a kernel depends on the index ``i``."""
    # Macros may have the index in them.
    macros = re.findall(r"^\s*#\s*define\b.*(?:\\\n.*)*", kernel.preamble, re.MULTILINE)
    return uses_index([kernel.map_expr, kernel.post_map_expr, *macros])


def given_words(codes, forms):
    """Return the number of words of numbers and raw arrays."""
    return sum(_words(code, form) for code, form in zip(codes, forms, strict=True))


def _words(code, form):
    if form[0] == "number":
        return scalar_words(code)
    return raw_words(*form[1:]) if form[0] == "raw" else 0


def _includes(codes, texts):
    """Return the include lines of the types that a kernel has."""
    names = {C_TYPES[code] for code in codes}
    text = "".join(texts)
    found = ["reduction", "raw_array"]
    if "complex" in text or any("complex" in name for name in names):
        found.append("complex")
    if "float16" in text or "float16" in names:
        found.append("float16")
    if "atomic" in text:
        found.append("atomic")
    return "".join(f'#include "gpunp/custom/{name}.h"\n' for name in found)


class _Arguments:
    """The lines that give the arguments of a call their names in users' expressions."""

    def __init__(self, signature, codes, forms):
        self.inputs, self.outputs, self.elements, self.results = [], [], [], []
        self.before_map, self.before_post = [], []
        word = 0
        for param, code, form in zip(signature.params, codes, forms, strict=True):
            kind, name = param.ctype, param.name
            line = None
            if form[0] == "number":
                line = f"const {kind} {name} = _env.number<{kind}>({word}); (void){name};"
            elif form[0] == "raw":
                ndim, contiguous, wide = form[1:]
                const = "" if param.output else "const "
                array = (
                    f"::gpunp::custom::raw_array<{const}{kind}, {ndim}, {_bool(contiguous)}, {_bool(wide)}>"
                )
                line = f"const {array}& {name} = _env.raw<{array}>({word}); (void){name};"
            elif param.output:
                self.outputs.append(c_type(code))
                self.results.append(f"{kind}& {name}")
            else:
                self.inputs.append(c_type(code))
                self.elements.append(f"const {kind}& {name}")
            if line is not None:
                word += _words(code, form)
                if not param.output:
                    self.before_map.append(line)
                # There `a` is the reduced value.
                if name != "a":
                    self.before_post.append(line)
        self.words = word


_SIZES = """\
const ::gpunp::custom::Sized _in_ind = _env.in, _out_ind = _env.out;
(void)i; (void)_in_ind; (void)_out_ind;"""
_ENVIRONMENT = "const ::gpunp::custom::Environment& _env, const ptrdiff_t i"


def reduction_source(kernel, codes, forms, plan):
    """Return the source of a reduction kernel for one combination of dtypes and layouts.

    Parameters
    ----------
    kernel : ReductionKernel
    codes : tuple of int
        The dtype codes of the parameters.
    forms : list of tuple
        For each parameter ``("number",)``, ``("raw", ndim, contiguous, wide)`` or ``("array",)``.
    plan : tuple
        The variant, the bits of repeated inputs, and the capacity for dimensions.

    Returns
    -------
    Source
    """
    signature = kernel.signature
    variant, repeated, dims = plan
    arguments = _Arguments(signature, codes, forms)
    reduce_type = kernel.reduce_type or c_type(codes[signature.nin])
    texts = (kernel.map_expr, kernel.reduce_expr, kernel.post_map_expr, kernel.preamble, reduce_type)
    source = Source(kernel.name, kernel.options)
    source.add(_includes(codes, texts) + source.macros + typedefs(signature.types(codes)))
    source.add_part(kernel.preamble, "preamble")
    if kernel.reduce_type is None:
        source.add(f"typedef {reduce_type} _type_reduce;")
    else:
        source.add("typedef")
        source.add_part(reduce_type, "reduce_type")
        source.close_part(reduce_type, "reduce_type", ["_type_reduce;"])
    if kernel.identity:
        _add_value(source, "_identity()", kernel.identity, "identity")
    elements = ", ".join([_ENVIRONMENT, *arguments.elements])
    results = ", ".join([_ENVIRONMENT, "_type_reduce a", *arguments.results])
    _add_value(source, f"_map({elements})", kernel.map_expr, "map_expr", [_SIZES, *arguments.before_map])
    _add_value(source, "_reduce(_type_reduce a, _type_reduce b)", kernel.reduce_expr, "reduce_expr")
    source.add(f"static GPUNP_USER void _post({results}) {{")
    source.add("\n".join([_SIZES, *arguments.before_post]))
    source.add_part(kernel.post_map_expr, "post_map_expr")
    source.close_part(kernel.post_map_expr, "post_map_expr", [";", "}"])
    source.add(_operation(kernel, arguments))
    variant = f"::gpunp::custom::REDUCTION_{VARIANTS[variant]}"
    source.add(f"GPUNP_REDUCTION({symbol_of(kernel.name)}, _Reduction, {variant}, {repeated}u, {dims})")
    return source


def _add_value(source, function, text, label, before=()):
    """Add a function that returns the value of an expression."""
    source.add(f"static GPUNP_USER _type_reduce {function} {{")
    source.add("\n".join([*before, "return static_cast<_type_reduce>("]))
    source.add_part(text, label)
    source.close_part(text, label, [");", "}"])


def _operation(kernel, arguments):
    """Return the struct that the kernels of the headers are templates over."""
    identity = "        return _identity();\n" if kernel.identity else ""
    environment = "const ::gpunp::custom::Environment& env, ptrdiff_t i"
    return "".join(
        [
            "struct _Reduction {\n",
            "    using Acc = _type_reduce;\n",
            f"    using Inputs = ::gpunp::custom::List<{', '.join(arguments.inputs)}>;\n",
            f"    using Outputs = ::gpunp::custom::List<{', '.join(arguments.outputs)}>;\n",
            f"    static constexpr int GIVEN = {arguments.words};\n",
            f"    static constexpr bool HAS_IDENTITY = {_bool(kernel.identity)}, "
            f"INDEXED = {_bool(kernel.indexed)};\n",
            f"    static GPUNP_USER Acc identity() {{\n{identity}    }}\n" if identity else "",
            "    template <class... X>\n",
            f"    static GPUNP_USER Acc map({environment}, const X&... x) {{\n",
            "        return _map(env, i, x...);\n    }\n",
            "    static GPUNP_USER Acc combine(const Acc& a, const Acc& b) {\n",
            "        return _reduce(a, b);\n    }\n",
            "    template <class... Y>\n",
            f"    static GPUNP_USER void finish({environment}, const Acc& a, Y&... y) {{\n",
            "        _post(env, i, a, y...);\n    }\n",
            "};\n",
        ]
    )


def _bool(value):
    return "true" if value else "false"
