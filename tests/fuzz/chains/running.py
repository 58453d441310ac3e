"""Programs run without fusion, then several times with it; what they print and leave has the same bits."""

import random
import re

import numpy as np
from explained import explanation
from program import fewest
from registry import Made

from chains import compound, controls, differences, kinds, rows, values, visiting  # noqa: F401 - some register what they define
from chains.maker import ChainMaker

# How often a program runs with fusion: later runs find kernels that earlier ones asked for.
RUNS = 3
_VARIABLES = 8
_LARGEST = 1500
CONTROL = "control"
_KINDS = [function for function, _ in kinds.KINDS]
_CUMULATIVE = [sum(weight for _, weight in kinds.KINDS[: i + 1]) for i in range(len(kinds.KINDS))]
# NumPy's errors for data in which a kernel finds the error. On CUDA, a later call raises it.
_IN_DATA = re.compile(
    r"index .* out of bounds|invalid entry|cannot assign .* input values|negative integer powers"
)
# Names of variables that are compared at the end.
_KEPT = re.compile(r"[vlegmnswxyrtopz]\d?")


class Failure(Exception):
    """A difference between a program with and without fusion.

    Attributes
    ----------
    kind, text : str
        A class of differences; the difference.
    statements : list of Made
        The program, with the controls of the run that differs.
    case : differences.Case
        What is seen of both runs.
    """

    def __init__(self, kind, text, case):
        super().__init__(text)
        self.kind, self.text, self.statements, self.case = kind, text, case.statements, case


def generate(seed, note=None, errors_in_data=True):
    """Make the statements of a program, each after the previous one has run with NumPy.

    Parameters
    ----------
    seed : int
    note : callable, optional
        As for `run`.
    errors_in_data : bool
        Whether calls may have indices, choices or numbers of values that only a kernel finds to be wrong.

    Returns
    -------
    made : list of Made
    variables : dict
        The variables of NumPy.
    g : ChainMaker
    """
    rng = random.Random(seed)
    names = values.host_names()
    g = ChainMaker(rng, names)
    g.elements = values.elements
    made, count = [], 0

    def add(each):
        nonlocal count
        if each.results:
            targets = ", ".join(f"v{(count + i) % _VARIABLES}" for i in range(each.results))
            count += each.results
            each = Made(f"{targets} = {each.text}", each.mode, each.results)
        if note is not None:
            note(made, each)
        made.append(each)
        before = names.copy()
        # Most statements that raise an exception are left out: they teach less than others.
        error = execute(compiled(each), names)
        if error is not None and (g.chance(0.7) or (not errors_in_data and _IN_DATA.search(error))):
            made.pop()
            return
        for name, value in [*names.items()]:
            if value is not before.get(name) and getattr(value, "size", 0) > _LARGEST:
                # Written out, so that the device drops it too.
                del names[name]
                made.append(Made(f"del {name}", each.mode, 0))

    for _ in range(2 + g.below(2)):
        add(Made(g.literal().text, "exact", 1))
    length = 1 + g.below(9) if g.chance(0.8) else 8 + g.below(30)
    chosen = kinds.PURE if g.faults else _KINDS
    for function in rng.choices(chosen, cum_weights=None if g.faults else _CUMULATIVE, k=length):
        add(function(g))
    return made, names, g


_codes = {}


def compiled(made):
    """The code of a statement."""
    code = _codes.get(made.text)
    if code is None:
        if len(_codes) > 500:
            _codes.clear()
        try:
            code = _codes[made.text] = compile(made.text, "<program>", "exec")
        except SyntaxError as error:
            raise AssertionError(f"the generator wrote {made.text!r}") from error
    return code


def execute(code, names):
    """Run a statement; return its exception as text, or None."""
    try:
        controls.attempt(exec, code, names)
    except Exception as error:
        return values.text_of(error)
    return None


def observe(made, device, mode="on"):
    """Run statements on the device; return what can be seen of them, in order, and what they leave."""
    seen, left = [], {}
    names = values.device_names(device, seen)
    names.update(controls.NAMES)
    try:
        with controls.settings(mode):
            for each in made:
                error = execute(compiled(each), names)
                if error is not None:
                    seen.append(error)
            for name in sorted(names):
                if _KEPT.fullmatch(name):
                    try:
                        left[name] = controls.attempt(values.state, names[name])
                    except Exception as error:
                        left[name] = values.text_of(error)
            controls.attempt(device.synchronize)
    except Exception as error:
        seen.append(values.text_of(error))
    return seen, left


def eager(made, device):
    """What is seen of a program without fusion."""
    return observe([each for each in made if each.mode != CONTROL], device, "off")


def compare(case):
    """Return the `Failure` of two runs, or None."""
    if case.expected == case.actual:
        return None
    (seen, left), (seen_here, left_here) = case.expected, case.actual
    for name in sorted({*left, *left_here}):
        value, here = left.get(name), left_here.get(name)
        if here != value:
            return Failure("bits", f"{name}: {shown(here)}; eager {shown(value)}", case)
    for first, second in zip(seen, seen_here, strict=False):
        if first != second:
            kind = "error" if isinstance(first, str) or isinstance(second, str) else "printed"
            return Failure(kind, f"{shown(second)}; eager {shown(first)}", case)
    return Failure("length", f"{seen_here[len(seen) :]}; eager {seen[len(seen_here) :]}", case)


def run_all(expected, programs, device):
    """Run programs with fusion; return the first failure that is not explained, else any failure, or None."""
    failure = None
    for made in programs:
        found = compare(differences.Case(expected, observe(made, device), made, device))
        if found is not None and explanation(found.case) is None:
            return found
        failure = failure or found
    return failure


def shown(state):
    """A state with its elements as numbers."""
    if isinstance(state, tuple) and state and state[0] in ("array", "host"):
        array = np.frombuffer(state[-1], state[1]).reshape(state[2])
        return f"{array!r} {state[:-1]}"
    if isinstance(state, list):
        return f"[{', '.join(map(shown, state))}]"
    return str(state)


def controlled(made, g):
    """A program with random controls between its statements."""
    found = [Made(text, CONTROL, 0) for text in controls.statements(g)]
    for each in made:
        found.append(each)
        text = controls.between(g)
        if text is not None:
            found.append(Made(text, CONTROL, 0))
    return found


def run(seed, device, scalars=True, note=None, mark=None, visit=None):
    """Run the program of a seed; return its number of statements, or raise `Failure`.

    Parameters
    ----------
    seed : int
    device : gpunp.Device
    scalars : bool
        Not used: no results are compared with NumPy's.
    note : callable, optional
        Called before each statement with the earlier statements and this one, and before each run.
    mark : callable, optional
        Called after NumPy has run the program, before the device does.
    visit : int, optional
        The number of the visit, for a program that is visited several times.
    """

    def make():
        return generate(seed, note, errors_in_data=device.is_cpu)

    with np.errstate(all="ignore"):
        if visit is None:
            made, _, g = make()
        else:
            made, g = visiting.program_of(seed, visit, make)
            if note is not None:
                note(made[:-1], made[-1])
        if mark is not None:
            mark()
        expected = eager(made, device)
        # Later visits are the later runs.
        runs = (controlled(made, g) for _ in range(1 if visit else RUNS))
        if visit is not None:
            runs = (visiting.calmer(each, g, visit) for each in runs)
        failure = run_all(expected, runs, device)
    if failure is not None:
        raise failure
    return len(made)


def replay(made, device, scalars=True):
    """Run the given statements several times; return the `Failure`, or None."""
    with np.errstate(all="ignore"):
        return run_all(eager(made, device), [made] * (RUNS + 2), device)


def shorten(failure, device, scalars=True):
    """Reproduce a failure with fewer statements."""

    def fails(made):
        found = replay(made, device, scalars)
        same = found is not None and found.kind == failure.kind and explanation(found.case) is None
        return found if same else None

    return fewest(failure, 0, fails)


SCRIPT = '''"""{title}"""
import sys
sys.path.insert(0, "tests/fuzz")
from chains.running import replay
from registry import Made
import gpunp

STATEMENTS = [
{lines}
]
found = replay([Made(text, mode, 0) for mode, text in STATEMENTS], gpunp.get_device())
print(found.text if found else "no difference")
'''


def script(made):
    """A program as a script that runs it with and without fusion."""
    lines = "\n".join(f"    ({each.mode!r}, {each.text!r})," for each in made)
    return SCRIPT.format(title="A chain.", lines=lines)
