"""Several visits of each program: with other numbers and other controls, and most of its kernels compiled.

Compiling the kernels of a program takes the host of a GPU ten times as long as running it. So the programs of
a batch are visited in turn, and their kernels are compiled in the background meanwhile.
"""

import random
import re

from registry import Made

from gpunp.fusion import generated, reductions, worker

# Programs that are visited in turn.
BATCH = 32
# Seconds that the second visits wait for the kernels that the first ones asked for.
PATIENCE = 20
_START = re.compile(r"\bF\(\d+, '(f2|f4|f8|c8|c16)'")
# As in `ChainMaker.literal`.
_STARTS = 700
_programs = {}


def place_of(number, jobs, visits):
    """The number of the program that a process visits, and the number of its visit.

    Parameters
    ----------
    number : int
        Of the visit, counted over all processes.
    jobs, visits : int
        Processes, and visits of each program.

    Returns
    -------
    program, visit : int
    """
    turn, lane = divmod(number, jobs)
    batch, within = divmod(turn, BATCH * visits)
    visit, one = divmod(within, BATCH)
    return (batch * BATCH + one) * jobs + lane, visit


def program_of(seed, visit, generate):
    """The statements of a program for a visit, and its maker.

    Parameters
    ----------
    seed : int
    visit : int
    generate : callable
        Called for a program that is not known.

    Returns
    -------
    made : list of Made
    g : ChainMaker
        Its random numbers are those of the visit.
    """
    if seed not in _programs:
        if len(_programs) >= BATCH:
            # The kernels of the last batch would be kept for nothing.
            worker.wait(PATIENCE)
            _programs.clear()
            generated.forget()
            reductions.forget()
        made, _, g = generate()
        _programs[seed] = made, g
    if visit == 1:
        worker.wait(PATIENCE)
    made, g = _programs[seed]
    g.rng = rng = random.Random(f"{seed} {visit}")
    g.choice, g.random = rng.choice, rng.random
    return (_with_other_floats(made, rng) if visit else made), g


def _with_other_floats(made, rng):
    """A program whose arrays of floats are other parts of the tables; equal ones remain equal."""
    moved = {}

    def start(found):
        if found[0] not in moved:
            moved[found[0]] = f"F({rng.randrange(_STARTS)}, {found[1]!r}"
        return moved[found[0]]

    return [Made(_START.sub(start, each.text), *each[1:]) for each in made]


def calmer(made, g, visit):
    """The statements of a controlled run, of which fewer wait for a compiler."""
    if visit == 0 or g.chance(0.02):
        return made
    return [Made(each.text.replace("'check'", "'on'"), *each[1:]) for each in made]
