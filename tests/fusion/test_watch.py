"""Operations that a program has deferred and left run by themselves."""

import contextlib
import threading
import time

import numpy as np
import pytest
from gpunp.indexing.masks import bits_of
from waiting import PATIENCE, until

import gpunp
from gpunp import fusion, watching
from gpunp.fusion import watch


@pytest.fixture
def left_alone():
    """Here, what a program leaves is run by the thread."""


@pytest.fixture(autouse=True)
def deferring():
    before = gpunp.config.fusion
    gpunp.config.fusion = "on"
    least = fusion.set_least_elements(1)
    yield
    gpunp.config.fusion = before
    fusion.set_least_elements(least)


@pytest.fixture
def ended():
    """What ended the chains of this test, in order."""
    reasons = []

    def observe(event):
        if event[0] == "group":
            reasons.append(event[4])

    fusion.observe(observe)
    yield reasons
    fusion.observe(None)


@pytest.mark.parametrize("pause", [0, 0.3])
def test_what_is_left_runs(ended, pause):
    x = gpunp.asarray(np.arange(10.0))
    # The thread sleeps if nothing was deferred for a while.
    time.sleep(pause)
    y = x + 1
    assert until(lambda: ended)
    assert ended == ["a pause of the program"]
    assert gpunp.asnumpy(y).tolist() == list(range(1, 11))


def test_a_busy_program_is_interrupted(ended):
    x = gpunp.asarray(np.arange(10.0))
    y = x * 2
    end = time.monotonic() + PATIENCE
    while not ended and time.monotonic() < end:
        pass
    assert ended == ["a pause of the program"]
    assert gpunp.asnumpy(y)[-1] == 18


def test_bits_of_masks_are_kept_while_the_thread_waits(watched):
    x = gpunp.ones(1000)
    mask = gpunp.asarray(np.arange(1000) % 3 == 0)
    y = x * 2
    assert watch._thread.is_alive()
    assert until(lambda: bits_of(mask) is bits_of(mask))
    assert y[5].item() == 2


@pytest.mark.parametrize(("context", "kept"), [(watching.reading, True), (contextlib.nullcontext, False)])
def test_bits_of_masks_beside_a_busy_thread(context, kept, watched):
    started, ends = threading.Event(), threading.Event()

    def compute():
        with context():
            started.set()
            while not ends.is_set():
                sum(range(100))

    thread = threading.Thread(target=compute)
    thread.start()
    started.wait()
    mask = gpunp.asarray(np.arange(1000) % 3 == 0)
    try:
        # The thread may be caught where `started.set` waits for a lock.
        assert until(lambda: (bits_of(mask) is bits_of(mask)) == kept)
    finally:
        ends.set()
        thread.join()
