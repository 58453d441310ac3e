"""Programs: generated from a seed, run with NumPy and on the device, and shortened on failure."""

import contextlib
import random
import re

import elementwise
import functions
import numpy as np
import products
import rearranging
import reducing
from compare import Difference, compare, compare_errors, is_array, scale_of
from operands import Maker
from registry import EXACT, POWER, STATEMENTS, SUMMED, WEIGHTS, Made

import gpunp

MODULES = (elementwise, functions, reducing, rearranging, products)
_CUMULATIVE = [sum(WEIGHTS[: i + 1]) for i in range(len(WEIGHTS))]
_VARIABLES = 8
_LARGEST = 1500
_NAME = re.compile(r"\bv\d\b")
# Literals other than small numbers.
_EXTREME = re.compile(r"\bnan|(?<!np\.)\binf|e[+-]\d\d|\d{6}")
# Large literals in computations with an explicit dtype.
_LARGE = re.compile(r"\d{3}")
# Bytes of the real numbers that functions compute with, by the dtype of the operands.
_SIZES = {"f2": 2, "i1": 2, "u1": 2, "b1": 2, "f4": 4, "c8": 4, "i2": 4, "u2": 4}
_NAMED = (("dtype='complex64'", 4), ("dtype='float32'", 4), ("dtype='float16'", 2))
np.seterr(all="ignore")


def _is_inexact(value):
    return is_array(value) and value.dtype.kind in "fc"


def host_array(values, dtype, shape=None):
    """The function ``A`` of programs on the host."""
    made = np.array(values, dtype)
    return made if shape is None else made.reshape(shape)


def device_array(values, dtype, shape=None):
    """The function ``A`` of programs on the device."""
    return gpunp.asarray(host_array(values, dtype, shape))


_COMMON = {"np": np, "nan": float("nan"), "inf": float("inf")}
HOST = {**_COMMON, "A": host_array}
DEVICE = {**_COMMON, "A": device_array}


class Failure(Exception):
    """A difference between the host and the device.

    Attributes
    ----------
    kind, text : str
        As in `Difference`.
    statements : list of Made
        The program so far; the last statement is the one that differs.
    case : Case
        The values before and after.
    """

    def __init__(self, kind, text, statements, case):
        super().__init__(text)
        self.kind, self.text, self.statements, self.case = kind, text, statements, case


class Case:
    """The data from which a difference may be explained.

    Attributes
    ----------
    kind : str
        The kind of the difference.
    statement : str
        The text of the statement.
    host, device : dict
        The variables after the statement.
    error : Exception or None
        The exception on the device.
    expected_error : Exception or None
        The exception on the host.
    name : str or None
        The variable that differs.
    program : str
        All statements so far.
    values : list
        All variables of the host before and after the statement; arrays it wrote to have their new contents.
    """

    def __init__(self, kind, statement, host, device, expected_error, error, name, before):
        self.kind, self.statement, self.host, self.device = kind, statement, host, device
        self.expected_error, self.error, self.name = expected_error, error, name
        self.program = statement
        self.values = [value for value in (*before.values(), *host.values()) if is_array(value)]

    @property
    def expected(self):
        return self.host.get(self.name)

    @property
    def actual(self):
        value = self.device.get(self.name)
        return value.get() if isinstance(value, gpunp.ndarray) else value


class Session:
    """The variables of one program on host and device.

    Parameters
    ----------
    device : gpunp.Device
    scalars : bool
        Whether gpunp's scalars keep their values, as NumPy's do.
    thorough : bool
        Whether to compare all variables after each statement. Otherwise, after statements that should not
        modify existing variables, only the new ones are compared, and the others later.
    """

    def __init__(self, device, scalars=True, thorough=True):
        self.place, self.scalars, self.thorough = device, scalars, thorough
        self.mark = None
        self.host, self.device = {}, {}
        self.statements = []

    def step(self, made):
        """Run a statement on both sides and compare the variables; raise `Failure` if they differ."""
        self.statements.append(made)
        text, host, device = made.text, self.host, self.device
        try:
            code = compile(text, "<program>", "exec")
        except SyntaxError as error:
            raise AssertionError(f"the generator wrote {text!r}") from error
        scale, size = 0.0, 8
        if "dtype=" in text or "out=" in text or "emath" in text or "'f2'" in text:
            size = self.computed(text)
        if made.mode in (POWER, SUMMED):
            literal = float("inf") if _EXTREME.search(text) or (size == 2 and _LARGE.search(text)) else 0.0
            scale = max(literal, scale_of(host[n] for n in set(_NAME.findall(text)) if n in host))
            # Whether long products overflow depends on their order.
            scale = min(scale, 1e60) ** 4 if "prod" in text or "multiply" in text else scale
        shown = dict(host)
        expected_error = self.execute(code, HOST, host)
        if self.mark is not None:
            self.mark()
        error = self.execute(code, DEVICE, device, wait=True)
        name = None
        try:
            compare_errors(expected_error, error)
            if made.results and expected_error is None:
                self.normalise([n for n in host if host[n] is not shown.get(n)])
            differing = []
            if not self.scalars:
                for name, value in shown.items():
                    if isinstance(value, np.generic) and host.get(name) is value:
                        device[name] = gpunp.asarray(value)
            # Floats are compared before integers, which may be views of them.
            names = host
            if made.results and not self.thorough and expected_error is None and "out=" not in text:
                names = [name for name in host if host[name] is not shown.get(name)]
            for name in sorted(names, key=lambda name: not _is_inexact(host[name])):
                if differing and not _is_inexact(host[name]):
                    self.synchronise(differing)
                    differing = []
                if not self.agree(name, made.mode, scale, size):
                    differing.append(name)
        except Difference as difference:
            case = Case(difference.kind, text, host, device, expected_error, error, name, shown)
            case.program = "\n".join(each.text for each in self.statements)
            raise Failure(difference.kind, difference.text, self.statements, case) from None
        if differing:
            self.synchronise(differing)

    def agree(self, name, mode, scale, size):
        """Return what `compare` says of a variable, which may view numbers rounded in another dtype."""
        host, device = self.host, self.device
        try:
            return compare(name, host[name], device.get(name), mode, scale, gpunp.ndarray, size)
        except Difference as difference:
            rounded = [] if difference.kind != "value" else self.rounded_views(name, mode, scale, size)
            if not rounded:
                raise
        self.synchronise(rounded)
        return compare(name, host[name], device.get(name), mode, scale, gpunp.ndarray, size)

    def rounded_views(self, name, mode, scale, size):
        """The variables of another dtype in the same memory that differ by no more than roundings."""
        found, value = [], self.host[name]
        for other, seen in self.host.items():
            if not (is_array(value) and is_array(seen)) or value.dtype == seen.dtype:
                continue
            if not np.may_share_memory(value, seen):
                continue
            with contextlib.suppress(Difference):
                if not compare(other, seen, self.device.get(other), mode, scale, gpunp.ndarray, size):
                    found.append(other)
        return found

    def execute(self, code, names, variables, wait=False):
        before = dict(variables)
        try:
            exec(code, names, variables)
            if wait:
                self.place.synchronize()
        except Exception as error:
            variables.clear()
            variables.update(before)
            if wait:
                # Discard errors that a kernel of the same statement reports later, as for `v[i] |= 1.5`.
                with contextlib.suppress(Exception):
                    self.place.synchronize()
            return error
        return None

    def computed(self, text):
        """Bytes of the real numbers that a statement computes with, if fewer than the result's."""
        sizes = [nbytes for words, nbytes in _NAMED if words in text]
        if "'f2'" in text:
            sizes.append(2)
        if "out=" in text or "emath" in text:
            dtypes = re.findall(r"'([a-z]\d)'", text)
            dtypes += [self.host[n].dtype.str[1:] for n in _NAME.findall(text) if is_array(self.host.get(n))]
            sizes += [_SIZES.get(dtype, 8) for dtype in dtypes]
        return min(sizes, default=8)

    def normalise(self, names):
        """Replace arrays whose memory order differs by copies on both sides, and drop large arrays."""
        for name in names:
            value, other = self.host[name], self.device.get(name)
            if not is_array(value) or not isinstance(other, gpunp.ndarray) or value.shape != other.shape:
                continue
            if value.size > _LARGEST:
                del self.host[name], self.device[name]
            elif (
                isinstance(value, np.ndarray)
                and value.size > 1
                and any(
                    n > 1 and a != b
                    for n, a, b in zip(value.shape, value.strides, other.strides, strict=True)
                )
            ):
                self.host[name], self.device[name] = value.copy(), other.copy()

    def synchronise(self, names):
        """Replace device values that are rounded differently by those of the host."""
        for name in names:
            value = self.host[name]
            if isinstance(value, np.generic):
                # Indexing creates a scalar on the device too.
                self.device[name] = gpunp.asarray(np.array([value]))[0]
            elif not is_array(value):
                continue
            elif value.flags.writeable and self.device[name].flags.writeable:
                self.device[name][...] = gpunp.asarray(value)
        for name in names:
            if is_array(self.host[name]) and self.device[name].get().tobytes() != self.host[name].tobytes():
                del self.host[name], self.device[name]


def statements(seed, session):
    """Generate the statements of a program; each is made after the previous one has run."""
    rng = random.Random(seed)
    maker = Maker(rng, session.host)
    count = 0
    for _ in range(2 + maker.below(2)):
        yield Made(f"v{count} = {maker.literal()}", EXACT, 1)
        count += 1
    for function in rng.choices(STATEMENTS, cum_weights=_CUMULATIVE, k=3 + maker.below(8)):
        made = function(maker)
        if made.results:
            targets = ", ".join(f"v{(count + i) % _VARIABLES}" for i in range(made.results))
            count += made.results
            made = Made(f"{targets} = {made.text}", made.mode, made.results)
        yield made


def run(seed, device, scalars=True, note=None, mark=None):
    """Run the program of a seed; return its number of statements, or raise `Failure`.

    Parameters
    ----------
    seed : int
    device : gpunp.Device
    scalars : bool
        As in `Session`.
    note : callable, optional
        Called before each statement with the earlier statements and this one.
    mark : callable, optional
        Called after NumPy has run a statement, before the device does.
    """
    session = Session(device, scalars, thorough=False)
    session.mark = mark
    for made in statements(seed, session):
        if note is not None:
            note(session.statements, made)
        session.step(made)
    session.step(Made("pass", EXACT, 0))
    return len(session.statements) - 1


def replay(made, device, scalars=True):
    """Run the given statements; return the `Failure`, or None."""
    session = Session(device, scalars)
    try:
        for each in made:
            session.step(each)
    except Failure as failure:
        return failure
    return None


def fewest(failure, last, fails):
    """Leave out statements of a failure, from the last to the first, until each of them is needed.

    Parameters
    ----------
    failure : Failure
    last : int
        How many statements at the end must stay.
    fails : callable
        Called with fewer statements; returns their `Failure`, or None.
    """
    shortest, count = failure, None
    while count != len(shortest.statements):
        count = len(shortest.statements)
        for i in reversed(range(count - last)):
            found = fails(shortest.statements[:i] + shortest.statements[i + 1 :])
            shortest = found or shortest
    return shortest


def shorten(failure, device, scalars=True):
    """Reproduce a failure with fewer statements."""
    end = failure.statements[-1]

    def fails(made):
        found = replay(made, device, scalars)
        same = found and found.kind == failure.kind and found.statements == made and made[-1] == end
        return found if same else None

    return fewest(failure, 1, fails)


SCRIPT = """import numpy as np
import gpunp
from numpy import inf, nan


def program(A):
{lines}
    return {names}


def host(values, dtype, shape=None):
    return np.array(values, dtype).reshape(np.shape(values) if shape is None else shape)


for array in (host, lambda *given: gpunp.asarray(host(*given))):
    try:
        print(program(array))
    except Exception as error:
        print(type(error).__name__, error)
"""


def script(made):
    """A program as a script that prints both results."""
    names = sorted({name for each in made for name in _NAME.findall(each.text)})
    lines = "\n".join(f"    {each.text}" for each in made)
    return SCRIPT.format(lines=lines, names="{" + ", ".join(f"{name!r}: {name}" for name in names) + "}")
