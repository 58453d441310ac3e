"""Which calls of SciPy reach the device, in which order of imports, and how that is turned off."""

import asyncio
import copy
import inspect
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from waiting import PATIENCE

import gpunp
import gpunp_scipy
from gpunp.dispatch import hooks

scipy_fft = pytest.importorskip("scipy.fft")
special = pytest.importorskip("scipy.special")

PROGRAM = """
import sys, warnings
warnings.simplefilter("error")
{imports}
x = gpunp.asarray([3.0, 1.0, 2.0])
assert type(fftshift(x)) is gpunp.ndarray
assert type(scipy.fft.dct(x)) is gpunp.ndarray
assert type(scipy.special.polygamma(1, x)) is gpunp.ndarray
assert type(fftshift([1, 2])) is type(scipy.special.polygamma(1, [2.0, 3.0]))
"""
BEFORE = "import scipy.fft, scipy.special\nfrom scipy.fft import fftshift\nimport gpunp"
AFTER = "import gpunp\nimport scipy.fft, scipy.special\nfrom scipy.fft import fftshift"


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**{k: v for k, v in os.environ.items() if k != "SCIPY_ARRAY_API"}, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def x():
    return gpunp.asarray([3.0, 1.0, 2.0])


@pytest.mark.parametrize("imports", [BEFORE, AFTER], ids=["scipy first", "gpunp first"])
@pytest.mark.parametrize("mode", [{}, {"SCIPY_ARRAY_API": "1"}], ids=["", "array API mode"])
def test_order_of_imports(imports, mode):
    run(PROGRAM.format(imports=imports), **mode)


ALL = (
    "cluster.hierarchy cluster.vq constants differentiate fft fftpack integrate interpolate linalg ndimage "
    "optimize signal sparse sparse.csgraph sparse.linalg spatial spatial.transform special stats stats.qmc"
)


def test_all_of_scipy_before_gpunp():
    """What the handlers import finds gpunp's names; a warning would name a module that is not routed."""
    imports = "\n".join(f"import scipy.{name}" for name in ALL.split())
    run(
        f"{imports}\nimport warnings\nwarnings.simplefilter('error')\nimport gpunp\n"
        "x = gpunp.asarray([3.0, 1.0, 2.0])\n"
        "for result in scipy.stats.norm.cdf(x), scipy.signal.hilbert(x), scipy.ndimage.laplace(x):\n"
        "    assert type(result) is gpunp.ndarray\n"
    )


def test_gpunp_alone_imports_nothing():
    loaded = "[name for name in sys.modules if name.startswith(('scipy', 'gpunp_scipy'))]"
    assert run(f"import sys, gpunp\nprint({loaded})") == "[]\n"


def test_our_functions_are_imported_at_their_first_call():
    program = (
        "import sys, gpunp, scipy.fft\nprint('gpunp_scipy.fft.helper' in sys.modules)\n"
        "scipy.fft.fftshift([1, 2])\nprint('gpunp_scipy.fft.helper' in sys.modules)\n"
        "scipy.fft.fftshift(gpunp.ones(2))\nprint('gpunp_scipy.fft.helper' in sys.modules)\n"
    )
    assert run(program).split() == ["False", "False", "True"]


def test_off_by_the_environment():
    program = (
        "import gpunp, scipy.fft, gpunp_scipy\nfrom gpunp.dispatch import hooks\n"
        "print(hooks.is_hooked(scipy.fft.fftshift))\ngpunp_scipy.enable()\n"
        "print(hooks.is_hooked(scipy.fft.fftshift))\n"
    )
    assert run(program, GPUNP_SCIPY="0").split() == ["False", "True"]


def test_disable_and_enable(x):
    assert hooks.is_hooked(special.polygamma)
    gpunp_scipy.disable()
    assert not hooks.is_hooked(special.polygamma)
    with pytest.raises(TypeError):
        scipy_fft.dct(x)
    gpunp_scipy.disable()
    gpunp_scipy.enable()
    assert hooks.is_hooked(special.polygamma)
    assert type(scipy_fft.dct(x)) is gpunp.ndarray


def test_disabled_in_a_block(x):
    with gpunp_scipy.disabled():
        with pytest.raises(TypeError):
            scipy_fft.dct(x)
        with gpunp_scipy.disabled():
            pass
        with pytest.raises(TypeError):
            scipy_fft.dct(x)
    assert type(scipy_fft.dct(x)) is gpunp.ndarray


def test_a_block_concerns_one_thread_and_one_task(x):
    inside, seen = threading.Event(), threading.Event()
    results = []

    def other():
        inside.wait(PATIENCE)
        results.append(type(scipy_fft.dct(x)))
        seen.set()

    thread = threading.Thread(target=other)
    thread.start()
    with gpunp_scipy.disabled():
        inside.set()
        assert seen.wait(PATIENCE)
    thread.join()
    assert results == [gpunp.ndarray]

    async def without():
        with gpunp_scipy.disabled():
            await asyncio.sleep(0)
            with pytest.raises(TypeError):
                scipy_fft.dct(x)

    async def with_it():
        await asyncio.sleep(0)
        return type(scipy_fft.dct(x))

    async def both():
        return (await asyncio.gather(without(), with_it(), without()))[1]

    assert asyncio.run(both()) is gpunp.ndarray


def test_functions_stay_as_they_were():
    for function in (special.polygamma, scipy_fft.fftshift):
        assert hooks.is_hooked(function)
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
        enabled = inspect.signature(function), function.__doc__, function.__module__, repr(function)
        gpunp_scipy.disable()
        assert enabled == (inspect.signature(function), function.__doc__, function.__module__, repr(function))
        gpunp_scipy.enable()


def test_calls_while_hooks_come_and_go(x):
    stop = threading.Event()
    wrong = []

    def call():
        while not stop.is_set():
            if special.polygamma(1, 2.5) != expected:
                wrong.append("host")
            if gpunp.asnumpy(special.psi(x))[0] != on_device:
                wrong.append("device")

    expected, on_device = special.polygamma(1, 2.5), gpunp.asnumpy(special.psi(x))[0]
    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(50):
        gpunp_scipy.disable()
        gpunp_scipy.enable()
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_policy_for_host_operands(x):
    with gpunp.config.using(host_operands="error"):
        with pytest.raises(TypeError, match=r"scipy\.special\.polygamma: a host operand"):
            special.polygamma(np.arange(3), x)
        assert type(special.polygamma(1, x)) is gpunp.ndarray


def test_a_function_of_c():
    """It cannot be hooked: in the module there is a function of Python instead."""
    program = (
        "import gpunp, gpunp_scipy, pickle, numpy\n"
        "import scipy.signal as s\nfrom scipy.signal import sepfir2d\n"
        "taps = numpy.ones(3)\n"
        "print(type(sepfir2d(gpunp.ones((5, 6)), taps, taps)).__module__)\n"
        "print(type(sepfir2d(numpy.ones((5, 6)), taps, taps)).__module__)\n"
        "print(pickle.loads(pickle.dumps(sepfir2d)) is sepfir2d, sepfir2d.__name__)\n"
        "gpunp_scipy.disable()\nprint(s.sepfir2d is sepfir2d)\n"
        "gpunp_scipy.enable()\nprint(s.sepfir2d is sepfir2d)\n"
    )
    first, second, *rest = run(program).split()
    assert first.startswith("gpunp")
    assert second.startswith("numpy")
    assert rest == ["True", "sepfir2d", "False", "True"]
