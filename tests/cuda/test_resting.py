"""Calls are not deferred for a while if that gained nothing; on the stand-in driver, without a compiler."""

import itertools

import numpy as np
import pytest

pytestmark = pytest.mark.fake_driver()

# As in gpunp/fusion/habits.pxd.
ENOUGH, STILL, REST, LONGEST_REST = 128, 64, 2048, 8192
CALLS = [np.add, np.subtract, np.multiply]
# A chain ends where a call of the program comes again, so each of its calls is one of its own.
TEXTS = {
    n: f"lambda calls, value: [{', '.join(f'value := calls[{i}](value, value)' for i in range(n))}]"
    for n in (2, 3, 6, 9)
}
CHAINS = {n: eval(text) for n, text in TEXTS.items()}


@pytest.fixture
def program(cuda_device, units, monkeypatch):
    """A function that runs calls as a chain and returns how many of them were deferred."""
    if cuda_device is None:
        return None
    import gpunp
    from gpunp.fusion import generated, trace, worker

    cuda_device.use()
    generated.forget()
    monkeypatch.setattr(worker, "request", lambda entry: None)
    units(
        "arithmetic_f4",
        " ".join(f"{call.__name__}_f4f4_{loop}" for call in CALLS for loop in ("vector", "strided", "tiled")),
    )
    x = gpunp.empty(1 << 16, "f4")

    def run(calls, *, elements=1 << 16, chains=CHAINS):
        before = trace.counts_of(cuda_device)["recorded"]
        value = x if elements == x.size else gpunp.empty(elements, "f4")
        # A result that nothing holds would not be computed.
        result = chains[len(calls)](calls, value)
        cuda_device.synchronize()
        del result
        return trace.counts_of(cuda_device)["recorded"] - before

    return run


def new_chains(length=6):
    """Chains that never come again."""
    return itertools.product(CALLS, repeat=length)


def rests(program, chains, limit):
    """How many calls ran until one was not deferred, or None."""
    calls = 0
    for chain in chains:
        deferred = program(chain)
        calls += deferred
        if deferred < len(chain):
            return calls
        if calls > limit:
            return None
    return None


def test_new_chains(program):
    calls = rests(program, new_chains(), 3 * ENOUGH)
    # The first eight were looked for on disk.
    assert calls is not None
    assert ENOUGH <= calls <= ENOUGH + 8 * 6 + 6
    resting = sum(6 - program(chain) for chain in itertools.islice(new_chains(), 1 + REST // 6))
    assert REST - 6 <= resting <= REST


def test_rests_become_longer(program):
    chains = new_chains(9)
    rests(program, chains, 3 * ENOUGH)
    rest = REST
    for _ in range(4):
        resting = itertools.takewhile(lambda deferred: deferred < 9, (program(chain) for chain in chains))
        count = 9 * sum(1 for _ in resting)
        assert rest - 18 <= count <= rest + 18
        assert rests(program, chains, 3 * ENOUGH) <= STILL + 3 * 9
        rest = min(2 * rest, LONGEST_REST)


def test_lines_that_run_for_the_first_time(program):
    """They make new chains, from which nothing follows."""
    places = [eval(TEXTS[6]) for _ in range(3 * ENOUGH // 6)]
    for chain, place in zip(new_chains(), places, strict=False):
        assert program(chain, chains={6: place}) == 6


def test_new_chains_among_some_that_come_again(program):
    def mixed():
        for chain in new_chains():
            yield chain
            yield CALLS[:2]

    assert rests(program, mixed(), 4 * ENOUGH) is not None


def test_chains_that_come_again(program):
    assert rests(program, itertools.cycle([CALLS, CALLS[:2], CALLS * 3]), 4 * ENOUGH) is None


def test_chains_that_cannot_be_compiled(program, monkeypatch):
    from gpunp.fusion import worker

    monkeypatch.setattr(
        worker, "request", lambda entry: worker.fail(entry, RuntimeError("there is no compiler"))
    )
    assert rests(program, itertools.repeat(CALLS), 4 * ENOUGH) is not None


def test_large_calls_never_rest(program):
    assert rests(program, new_chains(), 3 * ENOUGH) is not None
    assert program(CALLS) < len(CALLS)
    assert program(CALLS, elements=1 << 20) == len(CALLS)


@pytest.mark.parametrize("setting", ["on", "off"])
def test_the_setting_of_a_block(setting, program):
    """A block sets it for its thread; outside, it is that of the process."""
    import gpunp

    assert program(CALLS) == len(CALLS)
    with gpunp.config.using(fusion=setting), gpunp.config.using(fallback="warn"):
        assert program(CALLS) == (0 if setting == "off" else len(CALLS))
    assert program(CALLS) == len(CALLS)
