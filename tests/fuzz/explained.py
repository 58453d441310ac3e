"""Explained differences: each is described by a paragraph of docs/differences.md, and allows no more."""

import re

import numpy as np
from compare import is_array, public_type

# (words of docs/differences.md, pattern of the statement, kinds, function of the case or None)
EXPLAINED = []
_SETS = r"np\.(sort|unique|union1d|intersect1d|setdiff1d|setxor1d|sort_complex|partition)|\.sort\("
_EXTREMES = r"(min|max|fmax|fmin|minimum|maximum|amin|amax|clip|ptp)"


def explained(words, pattern, kinds):
    """Register a function of a `Case` that tells whether these words explain the difference."""

    def register(function):
        EXPLAINED.append((words, re.compile(pattern), frozenset(kinds.split()), function))
        return function

    return register


def explanation(case):
    """The words of docs/differences.md that explain a difference, or None."""
    for words, pattern, kinds, function in EXPLAINED:
        if case.kind.replace(" ", "_") in kinds and pattern.search(case.statement) and function(case):
            return words
    return None


def differing(case):
    """The elements that differ, on the host and on the device."""
    expected, actual = np.asarray(case.expected), np.asarray(case.actual)
    if expected.dtype.kind in "fc":
        same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
        same &= (np.signbit(expected.real) == np.signbit(actual.real)) | np.isnan(expected)
        same &= (np.signbit(expected.imag) == np.signbit(actual.imag)) | np.isnan(expected)
    else:
        same = expected == actual
    return expected[~same], actual[~same]


def _error(case, expected, actual, words=""):
    """Whether both sides raise exceptions of these types, with the words in their messages."""
    return (
        public_type(case.expected_error).__name__ in expected.split()
        and public_type(case.error).__name__ in actual.split()
        and re.search(words, f"{case.expected_error}\n{case.error}") is not None
    )


@explained("the elements of an output are not specified then", r"\*\*|power", "value")
def negative_power(case):
    return case.error is not None and "negative integer powers" in str(case.expected_error)


@explained("**Which error.**", "", "error")
def two_errors(case):
    # A refused Python number or cast, an axis or index out of bounds, or incompatible shapes.
    number = "out of bounds for u?int|too large to convert|Cannot cast|cannot convert float|with a sequence"
    number += "|only 0-dimensional|must be a string|array indexing assignment"
    place = "shape mismatch|out of bounds for (axis|array)|could not (be )?broadcast|an empty array"
    place += "|non-broadcastable output|does not have an identity"
    loop = "did not contain a loop|No loop matching|on a scalar|not supported"
    kinds = "OverflowError TypeError IndexError ValueError AxisError"
    both = f"{number}|{place}|{loop}"
    return _error(case, kinds, kinds, f"(?s)({both}).*\n.*({both})")


def extreme(case):
    """Whether the variables or the program contain numbers near the greatest of their dtype."""
    values = [v for v in case.values if v.dtype.kind in "fc"]
    near = any(v.size and bool((np.abs(v) > np.finfo(v.dtype).max / 64).any()) for v in values)
    # Values overwritten by an in-place operator are only in the text of an earlier statement.
    return near or re.search(r"e\+(308|38)|inf", case.program) is not None


@explained("**`a // b` with infinities** is the standard's", r"//", "value")
def floor_division(case):
    expected, actual = differing(case)
    if expected.dtype.kind != "f":
        return False
    infinite = np.isinf(actual) & np.isnan(expected)
    return bool((infinite | ((actual == 0) & (np.abs(expected) <= 1))).all())


@explained("`0.0` and `-0.0` are equal", f"{_SETS}|{_EXTREMES}", "value")
def signs_of_zeros(case):
    expected, actual = differing(case)
    return expected.dtype.kind in "fc" and bool((expected == actual).all())


@explained("Which complex NaN stands for all of them", _SETS, "value")
def complex_nan(case):
    expected, actual = differing(case)
    return expected.dtype.kind == "c" and bool((np.isnan(expected) & np.isnan(actual)).all())


@explained("**Floats that an integer dtype has no room for**", "", "value")
def floats_beyond_uint32(case):
    values = [v for v in case.values if v.dtype.kind in "fc"]
    beyond = re.search(r"complex|nan|inf|e\+\d", case.statement) is not None or any(
        not bool(((v.real > -1) & (v.real < 2**32)).all()) for v in values
    )
    if np.asarray(case.expected).dtype != np.uint32 and "dtype='uint32'" not in case.statement:
        return False
    # An operand that is also the output no longer has the value that was converted.
    expected, _ = differing(case)
    return beyond or bool(np.isin(expected, [0, 2**31, 2**32 - 1]).all())


@explained("Elements that `where` leaves out", r"out=.*where=|where=.*out=", "value")
def where_beside_an_overlap(case):
    return True


@explained(
    "The other elements of an assignment are written", r"np\.put(_along_axis)?\(|\] [^ =]*= |\.at\(", "value"
)
def after_an_index_error(case):
    return isinstance(case.error, IndexError)


@explained("Complex numbers near the greatest", "", "value")
def complex_overflow(case):
    expected, _ = differing(case)
    # A real part that `casting="unsafe"` keeps, or a comparison of sizes.
    if "complex" in case.program and re.search("unsafe|isclose|allclose", case.statement):
        return extreme(case)
    if expected.dtype.kind != "c":
        return False
    return extreme(case) or bool((~np.isfinite(expected) | (expected == 0)).all())


@explained("The order among NaNs", r"np\.unique_(inverse|counts|all)", "value")
def order_of_nans(case):
    values = [v for v in case.values if v.dtype.kind in "fc"]
    return "nan" in case.statement or any(bool(np.isnan(v).any()) for v in values)


@explained("**Reductions have a fixed order**", r"(std|var)\(.*ddof=", "value")
def no_degrees_of_freedom(case):
    # A sum of squares that is zero, exactly or up to rounding, divided by zero.
    expected, actual = differing(case)
    return bool((~np.isfinite(expected) & ~np.isfinite(actual)).all())


@explained("`a.flat[key] = b` and `a[mask] = b` read all of `b`", r"\] = ", "value")
def assigned_from_itself(case):
    target, _, value = case.statement.rpartition(" = ")
    target, values = case.host.get(target[:2]), [case.host.get(name) for name in re.findall(r"\bv\d", value)]
    return any(np.may_share_memory(target, each) for each in values if is_array(each))


@explained("`nanargmin` and `nanargmax` never give the place of a NaN", "nanarg(min|max)", "value")
def place_of_a_nan(case):
    values = [v for v in case.values if v.dtype.kind in "fc"]
    return "inf" in case.statement or any(bool(np.isinf(v).any()) for v in values)


@explained("Older versions raise a ValueError", r"np\.(nan)?(quantile|percentile|median)\(", "no_error error")
def ranks_of_nothing(case):
    return "newaxis" in str(case.expected_error)


@explained("dtype of a quantile does not depend on the data", r"np\.nan(quantile|percentile)\(", "dtype")
def ranks_of_nan(case):
    return bool(np.isnan(case.expected).any())


@explained("Elements are aligned", r"\.view\(", "raises")
def aligned(case):
    return "would not be aligned" in str(case.error)


@explained(
    "Running sums and products of float16 are kept in float32", r"cum(sum|prod|ulative)|accumulate", "value"
)
def running_halves(case):
    return case.expected.dtype == np.float16 and not np.isfinite(case.expected).all()


@explained("Matrices of float16 are computed in float32", r"linalg", "no_error value error")
def half_matrices(case):
    if case.kind == "value":
        return case.expected.dtype == np.float16 and not np.isfinite(case.expected).all()
    return "float16 is unsupported" in str(case.expected_error)


@explained(
    "**A NaN or an infinity of the device**",
    r"(\]|real|imag) [-+*|&^]?= |np\.(copyto|put|full_like|fill_diagonal)",
    "no_error",
)
def number_that_does_not_fit(case):
    words = "cannot convert float|out of bounds for u?int|too large to convert|Error setting single item"
    return re.search(words, str(case.expected_error)) is not None


@explained("Singular values of matrices with infinities", r"np\.linalg\.", "raises")
def singular_values_of_infinities(case):
    infinite = any(v.dtype.kind in "fc" and not np.isfinite(v).all() for v in case.values)
    return "did not converge" in str(case.error) and (
        infinite or re.search("inf|nan", case.statement) is not None
    )


@explained("`irfft` and `hfft` of an axis without elements", r"fft\.(irfft|hfft)", "value")
def empty_spectrum(case):
    return not np.asarray(case.actual).any()


@explained("`i0` of float16 is computed in float32", r"np\.i0", "value")
def half_bessel(case):
    return case.expected.dtype == np.float16 or bool(np.isinf(differing(case)[0]).any())


@explained("take Python integers of any size", r"np\.logical_", "no_error")
def large_truth(case):
    return "too large to convert" in str(case.expected_error)


@explained("`unique` with an `axis` puts NaN of float16 last", r"np\.unique.*axis", "value")
def half_nan(case):
    return case.expected.dtype == np.float16


@explained("If index arrays broadcast to an empty shape", r"\[", "no_error")
def unused_index(case):
    return isinstance(case.expected_error, IndexError) and re.search(r"\(0,", case.statement) is not None


@explained(
    "integers that convert to the same float are one element",
    r"np\.(intersect1d|setxor1d|union1d|setdiff1d|isin)",
    "shape value",
)
def integers_that_become_one_float(case):
    values = [v for v in case.values if v.dtype.kind in "iu" and v.dtype.itemsize == 8]
    return (
        any(v.size and bool((np.abs(v.astype(float)) > 2.0**53).any()) for v in values)
        or re.search(r"e\+|\d{16}", case.statement) is not None
    )


@explained("below the smallest normal number", r"/|divide|np\.sign", "value")
def complex_subnormals(case):
    values = [v for v in case.values if v.dtype.kind == "c"]
    tiny = any(bool(((np.abs(v) < np.finfo(v.dtype).tiny) & (v != 0)).any()) for v in values)
    return tiny or re.search(r"e-3[0-9][0-9]", case.program) is not None


@explained("**Last digits.**", r"/= ", "value")
def sign_of_a_zero_part(case):
    expected, actual = differing(case)
    close = np.isclose(expected, actual, rtol=1e-12, atol=1e-12)
    return bool(close.all()) and "complex" in case.program


@explained("**Last digits.**", r"np\.\w+\(.*out=", "value")
def rounded_into_another_dtype(case):
    expected, actual = differing(case)
    if expected.dtype.kind in "iu":
        # Differences of 1, also with wraparound from the greatest integer to the least.
        apart = np.abs(expected.astype(float) - actual)
        return bool(((apart <= 1) | (apart >= 2.0 ** (8 * expected.itemsize) - 1)).all())
    # A result of a narrower dtype, or its NaN, in memory that is also viewed as float64.
    narrow = re.search("float32|float16|view", case.program) is not None
    return narrow and bool((np.isclose(expected, actual, rtol=1e-3) | (np.abs(expected) > 1e300)).all())


@explained("**Last digits.**", r"np\.sign\(", "value")
def sign_of_a_spectrum(case):
    expected, actual = differing(case)
    return expected.dtype.kind == "c" and bool(np.isclose(expected, actual, rtol=1e-11, atol=1e-11).all())


@explained("a base of minus infinity or minus zero", r"\*\*|power", "value")
def roots_of_one_element(case):
    expected, actual = differing(case)
    one = "(1,)" in case.statement or "[..., " in case.statement
    return one and bool((np.isnan(expected) & np.isinf(actual) | (expected == actual)).all())


@explained("**Last digits.**", r"np\.poly\(", "value")
def long_products(case):
    expected, actual = differing(case)
    finite = np.isfinite(expected) & np.isfinite(actual)
    overflow = ~np.isfinite(expected) & ~np.isfinite(actual)
    scale = np.abs(case.expected[np.isfinite(case.expected)]).max()
    return bool((overflow | (finite & (np.abs(expected - actual) <= 1e-6 * scale))).all())


@explained("scalars on the device follow those of arrays", r" [<>/%]=? |//", "value no_error")
def rules_of_scalars(case):
    if case.kind == "no error":
        return isinstance(case.expected_error, ZeroDivisionError)
    values = [v for v in case.values if v.dtype.kind == "c"]
    return np.ndim(case.expected) == 0 and any(bool(np.isnan(v).any()) for v in values)
