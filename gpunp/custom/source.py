"""Generated sources: the few lines of C++ around what users write, for both devices.

`#line` directives name the parts of users' text, so that messages of compilers have the user's own line
numbers: ``saxpy:2`` is the second line of the operation of the kernel saxpy, and ``saxpy.preamble:1`` the
first of its preamble.
"""

import re

from gpunp.compiler import compile_source, load_module
from gpunp.compiler.errors import CompileException, split_lines
from gpunp.compiler.request import Options
from gpunp.custom.signature import C_TYPES, c_type, typedefs

# The names of the roles in kernels/include/gpunp/custom/elementwise_params.h, by value.
ROLES = ("STRIDED", "UNIT", "ALIGNED", "SPREAD", "IN_MEMORY")

# Words of 8 bytes of a scalar in the parameters.
_WIDE_SCALARS = frozenset({C_TYPES.index("complex<double>")})

# An operation with these runs long for each element: a thread takes fewer elements, since a kernel has a copy
# of the operation for each.
_LOOPS = re.compile(r"\b(?:for|while|do)\b")
LONG_TEXT = 400


def is_long(operation):
    """Whether an operation has loops or much text, so that few copies of it should be in a kernel."""
    return len(operation) > LONG_TEXT or _LOOPS.search(operation) is not None


def uses_index(texts):
    """Whether an operation depends on the index: ``i``, or ``_ind`` other than its size."""
    return any(re.search(r"\bi\b|\b_ind\b(?!\s*\.\s*size\b)", text) for text in texts)


def uses_axes(texts):
    """Whether an operation asks ``_ind`` for the index of each axis."""
    return any(re.search(r"\b_ind\b(?!\s*\.\s*size\b)", text) for text in texts)


def takes_address(name, text):
    """Whether ``text`` takes the address of a variable: `&` is binary after a name, a number or a bracket."""
    return re.search(rf"(?:^|[^\w\s)\]&]|\breturn)\s*&\s*{name}\b", text) is not None


def symbol_of(name):
    """Return the symbol of a kernel: not its bare name, which may be that of a function, such as ``exp``."""
    return f"gpunp_{name}"


def scalar_words(code):
    """Return the number of words of a scalar of this dtype code."""
    return 2 if code in _WIDE_SCALARS else 1


def raw_words(ndim, contiguous, wide):
    """Return the number of words of a raw array: address, size, shape, strides and dividers."""
    return 2 + (2 if contiguous or wide else 3) * ndim


def space_words(ndim, wide):
    """Return the number of words of the index space: size, shape and dividers."""
    return 1 + (1 if wide else 2) * ndim


class Source:
    """A generated source, which notes where the lines of users' text are.

    Parameters
    ----------
    name : str
        The name of the kernel.
    options : sequence of str
        The user's options. Macros become a part of the source, below the headers, which do not see them.

    Attributes
    ----------
    macros : str
        Lines that define the macros of the options.
    options : tuple of str
        The other options.
    """

    def __init__(self, name, options=()):
        self.name = name
        self.macros, self.options = Options(options).apart_from_macros()
        self.lines = []
        self.parts = {}

    def add(self, text):
        """Add generated lines, numbered as in the whole source."""
        self.lines.append(f'#line {len(self.lines) + 2} "{self.name}.generated"')
        self.lines += text.splitlines()

    def add_part(self, text, label=None):
        """Add a part of the user's text, numbered from 1, unless it is blank."""
        if text.strip():
            label = self.name if label is None else f"{self.name}.{label}"
            self.parts[label] = text
            self.lines += [f'#line 1 "{label}"', *split_lines(text)]
            if self.lines[-1].endswith("\\"):
                # The end of the text continues no line of the source.
                self.lines.append("")

    def close_part(self, text, label, lines):
        """Add generated lines with the number of a part's last line, where an incomplete part ends."""
        label = self.name if label is None else f"{self.name}.{label}"
        self.lines += [f'#line {max(len(split_lines(text)), 1)} "{label}"', *lines]

    def __str__(self):
        return "\n".join(self.lines) + "\n"

    def load(self, device, link=()):
        """Compile for a device, and load.

        Parameters
        ----------
        device : Device
        link : sequence of tuple of (bytes, str), optional
            Code to link, as `compile_source` takes it.

        Returns
        -------
        Module

        Raises
        ------
        CompileException
            If the source does not compile, as `explain` returns it.
        """
        try:
            compiled = compile_source(str(self), device, name=self.name, options=self.options, link=link)
        except CompileException as error:
            raise self.explain(error) from None
        return load_module(compiled, device)

    def explain(self, error):
        """Return a `CompileException` that quotes the part of which its log speaks first."""
        text, label, first = str(self), f"{self.name}.generated", len(error.log)
        for each, part in self.parts.items():
            found = re.search(rf"(?<![\w.]){re.escape(each)}[(:]\d", error.log)
            if found and found.start() < first:
                text, label, first = part, each, found.start()
        return type(error)(error.log, text, label, error.options, error.backend)


def includes(codes, texts, raw, axes):
    """Return the include lines of the types that a kernel has."""
    text = "".join(texts)
    found = ["prelude", "elementwise"]
    if any("complex" in C_TYPES[code] for code in codes) or "complex" in text:
        found.append("complex")
    if any(C_TYPES[code] == "float16" for code in codes) or "float16" in text:
        found.append("float16")
    if "atomic" in text:
        found.append("atomic")
    if raw:
        found.append("raw_array")
    if axes:
        found.append("indexer")
    return "".join(f'#include "gpunp/custom/{name}.h"\n' for name in found)


def elementwise_source(kernel, codes, forms, loop, threads, space):
    """Return the source of an elementwise kernel for one combination of dtypes and roles.

    Parameters
    ----------
    kernel : ElementwiseKernel
    codes : tuple of int
        The dtype codes of the parameters.
    forms : list of tuple
        For each parameter ``("scalar",)``, ``("raw", ndim, contiguous, wide)`` or ``("array", role)``.
    loop : tuple
        Number of axes, elements of a vector, vectors of a thread, and whether 32 bits cannot count the
        vectors.
    threads : int
        Most threads of a block.
    space : tuple or None
        Number of axes and width of ``_ind``, if the operation asks it for more than its size.

    Returns
    -------
    Source
    """
    signature = kernel.signature
    before, elements, operands = [], [], []
    words = space_words(*space) if space else 0
    for param, code, form in zip(signature.params, codes, forms, strict=True):
        kind = param.ctype
        if form[0] == "scalar":
            before.append(f"    const {kind} {param.name} = _p.scalar<{kind}>({words});")
            words += scalar_words(code)
        elif form[0] == "raw":
            ndim, contiguous, wide = form[1:]
            array = f"::gpunp::custom::raw_array<{kind}, {ndim}, {_bool(contiguous)}, {_bool(wide)}>"
            before.append(f"    const auto& {param.name} = _p.as<{array}>({words});")
            words += raw_words(ndim, contiguous, wide)
        else:
            direction = "OUTPUT" if param.output else "INPUT"
            operands.append(
                f"::gpunp::custom::Operand<{len(operands)}, {c_type(code)}, "
                f"::gpunp::custom::ELEMENTWISE_{ROLES[form[1]]}, ::gpunp::custom::{direction}>"
            )
            elements.append(f"{'' if param.output else 'const '}{kind}& {param.name}")
    rank, width, vectors, wide = loop
    raw = any(form[0] == "raw" for form in forms)
    if space:
        shape = f"{space[0]}, {_bool(space[1])}"
        before.append(
            f"    ::gpunp::custom::Indexer<{shape}> _ind(_p.as<::gpunp::custom::Space<{shape}>>(0));"
        )
    else:
        before.append("    const ::gpunp::custom::Range _ind{_p.size()};")
    before.append("    const ptrdiff_t n = _p.size(); (void)n; (void)_ind;")
    texts = (kernel.operation, kernel.preamble, kernel.loop_prep, kernel.after_loop)
    template = ", ".join([str(rank), str(width), str(vectors), _bool(wide), _bool(not raw), *operands])
    params = f"::gpunp::custom::ElementwiseParams<{rank}, {len(operands)}, {words}>"
    source = Source(kernel.name, kernel.options)
    source.add(includes(codes, texts, raw, space) + source.macros + typedefs(signature.types(codes)))
    source.add_part(kernel.preamble, "preamble")
    source.add(
        f"GPUNP_ELEMENTWISE_KERNEL({symbol_of(kernel.name)}, {threads}, {params}) {{\n" + "\n".join(before)
    )
    source.add_part(kernel.loop_prep, "loop_prep")
    source.add(
        f"::gpunp::custom::Loop<{template}>::run(\n"
        f"    _p, [&]({', '.join(['const ptrdiff_t i', *elements])}) {{\n"
        f"        {'_ind.set(i); ' if space else ''}do {{"
    )
    source.add_part(kernel.operation)
    source.close_part(kernel.operation, None, ["        ; } while (0); });"])
    source.add_part(kernel.after_loop, "after_loop")
    source.add("}")
    return source


def _bool(value):
    return "true" if value else "false"
