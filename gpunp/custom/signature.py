"""Parameters of elementwise and reduction kernels, as text such as ``"T x, raw float32 y"``.

A parameter is an optional ``raw``, a type and a name. The type is the name of a NumPy dtype, or a
*placeholder*: one letter, or a longer name that starts with a capital letter. Parameters with the same
placeholder have the same dtype, which the arguments of a call decide.

A kernel parses its parameters once (`Signature`). Calls ask for the dtypes of all parameters
(`Signature.resolve`), and generated sources for the C++ types (`c_type`) and the typedefs of the
placeholders (`typedefs`).
"""

import re

import numpy as np

from gpunp.array.dtype import CODE_OF_KIND, DTYPES, dtype_code

# The C++ names of the element types, by dtype code. Integers of 64 bits are `long long` on every device, so
# that overloads are the same.
C_TYPES = (
    *("bool", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"),
    *("long long", "unsigned long long", "float16", "float", "double", "complex<float>", "complex<double>"),
)

# The Python types of numbers that have no dtype of their own (NEP 50); bool has one.
WEAK_TYPES = (int, float, complex)

_NAME = re.compile(r"[A-Za-z_]\w*")
_RESERVED = {
    "n": "the number of elements",
    "i": "the index of the element",
}
_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public register reinterpret_cast return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned
using virtual void volatile wchar_t while xor xor_eq
"""
# Names of NumPy that are types, but not of array elements on the device, and the dtype that is.
_NAMED = {name: kind for name, kind in np.sctypeDict.items() if isinstance(name, str)}


class Parameter:
    """One parameter of a kernel.

    Attributes
    ----------
    name : str
        The variable in the kernel.
    code : int or None
        The dtype code, or None if the type is a placeholder.
    placeholder : str or None
        The name of the placeholder, or None if the dtype is fixed.
    raw : bool
        Whether the kernel indexes the array itself; such arguments are not broadcast.
    output : bool
        Whether the kernel writes it.
    """

    __slots__ = ("code", "name", "output", "placeholder", "raw")

    def __init__(self, name, code, placeholder, raw, output):
        self.name, self.code, self.placeholder, self.raw, self.output = name, code, placeholder, raw, output

    @property
    def dtype(self):
        """The NumPy dtype, or None if the type is a placeholder."""
        return None if self.code is None else DTYPES[self.code]

    @property
    def ctype(self):
        """The C++ type as generated sources write it: the placeholder's typedef, or the type itself."""
        return c_type(self.code) if self.placeholder is None else self.placeholder

    def __str__(self):
        kind = self.placeholder if self.code is None else DTYPES[self.code].name
        return f"{'raw ' if self.raw else ''}{kind} {self.name}"

    def __repr__(self):
        return f"<Parameter '{self}'>"


def c_type(code):
    """Return the C++ type of a dtype code, for sources of both devices."""
    return C_TYPES[code]


def typedefs(types):
    """Return the typedefs of placeholders, one a line; ``types`` maps each to a dtype code."""
    return "".join(f"typedef {C_TYPES[code]} {name};\n" for name, code in types.items())


def type_code(name, kernel="kernel"):
    """Return the dtype code of a type's name, or None if it is a placeholder.

    Raises
    ------
    TypeError
        For a name that is neither, and for dtypes that arrays on the device do not have.
    """
    if len(name) > 1:
        known = _NAMED.get(name)
        if known is not None:
            return dtype_code(np.dtype(known))
        if not name[0].isupper():
            try:
                # Other spellings: "f4", "i8", "intp".
                return dtype_code(np.dtype(name))
            except TypeError as error:
                raise TypeError(
                    f"{kernel}: {name!r} is not a parameter type: write the name of a NumPy dtype, such as "
                    "float32, or a placeholder: one letter, or a name that starts with a capital letter"
                ) from error
    return None


def _parse_one(text, output, kernel):
    words = text.split()
    raw = len(words) == 3 and words[0] == "raw"
    if raw:
        words = words[1:]
    if len(words) != 2:
        raise ValueError(
            f"{kernel}: {text.strip()!r} is not a parameter: write a type and a name, such as 'float32 x', "
            "or 'raw T x'"
        )
    kind, name = words
    for word in words:
        if not _NAME.fullmatch(word):
            raise ValueError(f"{kernel}: {word!r} in the parameter {text.strip()!r} is not an identifier")
    if name.startswith("_"):
        raise ValueError(
            f"{kernel}: the parameter name {name!r} starts with an underscore, which is reserved"
        )
    if name in _RESERVED:
        raise ValueError(f"{kernel}: the parameter name {name!r} is reserved for {_RESERVED[name]}")
    if name in _KEYWORDS.split():
        raise ValueError(f"{kernel}: the parameter name {name!r} is a keyword of C++")
    if kind.startswith("_"):
        raise ValueError(f"{kernel}: the type {kind!r} starts with an underscore, which is reserved")
    if kind in _RESERVED:
        raise ValueError(f"{kernel}: the type {kind!r} is the name of {_RESERVED[kind]}")
    code = type_code(kind, kernel)
    return Parameter(name, code, kind if code is None else None, raw, output)


def parse_parameters(text, *, output=False, kernel="kernel"):
    """Parse a comma-separated list of parameters.

    Parameters
    ----------
    text : str
        Such as ``"T x, raw float32 y"``; the list may be empty.
    output : bool, default False
        Whether these are the outputs.
    kernel : str, default "kernel"
        The name of the kernel, for messages.

    Returns
    -------
    tuple of Parameter

    Raises
    ------
    TypeError
        For text that is not a string, and for types that are not known.
    ValueError
        For parameters that are not of the form ``[raw] type name``, and reserved names.
    """
    if not isinstance(text, str):
        raise TypeError(
            f"{kernel}: parameters must be a str, such as 'float32 x, T y', not {type(text).__name__}"
        )
    if not text.strip():
        return ()
    return tuple(_parse_one(each, output, kernel) for each in text.split(","))


class Signature:
    """All parameters of a kernel: inputs, then outputs.

    Parameters
    ----------
    in_params, out_params : str
        Lists of parameters.
    name : str, default "kernel"
        The name of the kernel, for messages.

    Attributes
    ----------
    inputs, outputs, params : tuple of Parameter
    nin, nout, nargs : int
    placeholders : tuple of str
        In the order of their first parameter.

    Raises
    ------
    TypeError, ValueError
        As for `parse_parameters`, and ValueError for a name that occurs twice.

    Examples
    --------
    >>> from gpunp.custom.signature import Signature
    >>> import numpy as np
    >>> signature = Signature("T x, raw float32 y", "T z")
    >>> signature.params
    (<Parameter 'T x'>, <Parameter 'raw float32 y'>, <Parameter 'T z'>)
    >>> float64, float32 = np.dtype("float64"), np.dtype("float32")
    >>> codes = signature.resolve([float64, float32, None], [False, False, False])
    >>> signature.types(codes)
    {'T': 11}
    """

    __slots__ = ("inputs", "name", "nargs", "nin", "nout", "outputs", "params", "placeholders")

    def __init__(self, in_params, out_params, name="kernel"):
        self.name = name
        self.inputs = parse_parameters(in_params, kernel=name)
        self.outputs = parse_parameters(out_params, output=True, kernel=name)
        self.params = self.inputs + self.outputs
        self.nin, self.nout, self.nargs = len(self.inputs), len(self.outputs), len(self.params)
        self.placeholders = tuple(dict.fromkeys(p.placeholder for p in self.params if p.placeholder))
        seen = set()
        for param in self.params:
            if param.name in seen:
                raise ValueError(f"{name}: two parameters have the name {param.name!r}")
            if param.name in self.placeholders:
                raise ValueError(f"{name}: {param.name!r} is the name of a parameter and of a type")
            seen.add(param.name)

    def check_count(self, given):
        """Raise TypeError unless ``given`` arguments are all inputs, or all inputs and all outputs."""
        if given != self.nin and given != self.nargs:
            wanted = f"{self.nin}" if self.nin == self.nargs else f"{self.nin} or {self.nargs}"
            raise TypeError(
                f"{self.name}: wrong number of arguments: {given} were given, it takes {wanted} "
                f"({', '.join(map(str, self.params))})"
            )

    def resolve(self, given, scalar):
        """Return the dtype codes of all parameters in a call.

        Arrays decide what a placeholder is, and must agree; if only scalars have it, it is NumPy's promotion
        of these scalars. Scalars are converted to the type of their parameter, arrays are not.

        Parameters
        ----------
        given : sequence
            For each parameter, in order: the dtype of an array or of a NumPy scalar; ``int``, ``float`` or
            ``complex`` for a Python number; None for an output that is not given.
        scalar : sequence of bool
            For each parameter: whether the argument is a number and not an array.

        Returns
        -------
        tuple of int

        Raises
        ------
        TypeError
            For an array of another dtype than its parameter, for arrays that disagree on a placeholder, for a
            placeholder without an argument, and for complex numbers where the parameter is real.
        """
        types = {name: self._decide(name, given, scalar) for name in self.placeholders}
        codes = tuple(types[p.placeholder] if p.placeholder else p.code for p in self.params)
        for param, code, kind, single in zip(self.params, codes, given, scalar, strict=True):
            if kind is not None:
                self._check(param, DTYPES[code], kind, single)
        return codes

    def types(self, codes):
        """Return the dtype code of each placeholder, from the codes of all parameters."""
        return {p.placeholder: code for p, code in zip(self.params, codes, strict=True) if p.placeholder}

    def _decide(self, placeholder, given, scalar):
        """Return the dtype code that the arguments give to a placeholder."""
        found = first = None
        numbers = []
        # Outputs first: a given output decides, and a mismatch is reported for the input.
        for index in (*range(self.nin, self.nargs), *range(self.nin)):
            param, kind = self.params[index], given[index]
            if param.placeholder != placeholder or kind is None:
                continue
            if scalar[index]:
                numbers.append(kind)
            elif found is None:
                found, first = kind, param
            elif kind != found:
                raise TypeError(
                    f"{self.name}: type mismatch: {placeholder} is {found} by {first.name} and {kind} by "
                    f"{param.name}; convert one of them with astype"
                )
        if found is None and numbers:
            # Python's numbers as values, which promote weakly.
            found = np.result_type(*[kind(0) if kind in WEAK_TYPES else kind for kind in numbers])
        if found is None:
            names = [p.name for p in self.outputs if p.placeholder == placeholder]
            raise TypeError(
                f"{self.name}: no argument determines the type {placeholder}; give the output "
                f"{', '.join(names)} as an argument"
            )
        return dtype_code(found)

    def _check(self, param, dtype, kind, single):
        """Raise TypeError if an argument cannot be that of a parameter with this dtype."""
        if single:
            if dtype.kind != "c" and (kind is complex or (kind not in WEAK_TYPES and kind.kind == "c")):
                raise TypeError(
                    f"{self.name}: type mismatch: {param.name} is {dtype} and the argument a complex number; "
                    "take its real part"
                )
        elif CODE_OF_KIND.get((kind.kind, kind.itemsize)) != CODE_OF_KIND[dtype.kind, dtype.itemsize]:
            raise TypeError(
                f"{self.name}: type mismatch: {param.name} is {dtype} and the argument {kind}; convert it "
                f"with astype({dtype.name!r})"
            )
