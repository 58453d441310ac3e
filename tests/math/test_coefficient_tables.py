"""The committed polynomials and tables agree with the output of the scripts in kernels/codegen."""

import contextlib
import io
import os
import re
from pathlib import Path

import numpy as np
import pytest
from codegen_scripts import script

pytest.importorskip("mpmath")
KERNELS = Path(__file__).parents[2] / "kernels"
# These take minutes of mpmath and run only with GPUNP_LONG_TESTS=1.
SLOW = ("error", "bessel")

POLYNOMIALS, SPECIAL = script("polynomials"), script("special_polynomials")
CYLINDER = script("cylinder_expansions")


def numbers(text):
    """Return the numbers of a header outside of comments, which clang-format leaves as they are."""
    code = re.sub(r"//.*", "", text)
    found = [float(x) for x in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?", code)]
    assert len(found) > 10
    return found


def committed(name):
    return (KERNELS / "include/gpunp" / name).read_text()


@pytest.mark.parametrize("header", POLYNOMIALS.HEADERS)
def test_polynomials(header):
    assert numbers(POLYNOMIALS.text(header)) == numbers(committed(header))


@pytest.mark.parametrize("topic", SPECIAL.TOPICS)
def test_special_polynomials(topic):
    if topic in SLOW and not os.environ.get("GPUNP_LONG_TESTS"):
        pytest.skip("takes minutes; set GPUNP_LONG_TESTS=1")
    with contextlib.redirect_stdout(io.StringIO()) as text:
        SPECIAL.TOPICS[topic]()
    assert numbers(text.getvalue()) == numbers(committed(f"math/special_{topic}_polynomials.h"))


def test_cylinder_expansions():
    assert numbers(CYLINDER.text()) == numbers(committed(f"math/{CYLINDER.HEADER}"))


def test_every_generated_header_has_its_script():
    generated = {f"math/special_{topic}_polynomials.h" for topic in SPECIAL.TOPICS} | set(POLYNOMIALS.HEADERS)
    generated.add(f"math/{CYLINDER.HEADER}")
    folder = KERNELS / "include/gpunp"
    assert {str(path.relative_to(folder)) for path in folder.rglob("*polynomials.h")} == generated


def test_cosines_of_the_fourier_transform():
    text = committed("fft/butterfly.h")
    table = re.search(r"VALUES\[\] = \{(.*?)\}", text, re.DOTALL)[1]
    exact = [float(SPECIAL.mp.cos(SPECIAL.mp.pi * m / 16)) for m in range(8)]
    assert [float(x) for x in table.split(",")] == [*exact, 0.0]


def test_named_constants():
    mp = SPECIAL.mp
    exact = {
        "ROOT_TWO_PI": mp.sqrt(2 * mp.pi),
        "HALF_LOG_TWO_PI": mp.log(2 * mp.pi) / 2,
        "HALF_LOG_2PI": mp.log(2 * mp.pi) / 2,
        "FADDEEVA_STEP": mp.sqrt(mp.pi / 12),
        "FADDEEVA_RATE": mp.pi / mp.sqrt(mp.pi / 12),
        "ROOT_PI_INVERSE": 1 / mp.sqrt(mp.pi),
        "ROOT_HALF": mp.sqrt(mp.mpf(0.5)),
        "LN2": mp.log(2),
        "LN2_LOW": mp.log(2) - mp.mpf(float(mp.log(2))),
        "LOG2_E": 1 / mp.log(2),
        "LOG10_E": 1 / mp.log(10),
        "PI": mp.pi,
        "HALF_PI": mp.pi / 2,
        "ROOT_2_OVER_E": mp.sqrt(2 / mp.e),
    }
    found = {}
    for path in (KERNELS / "include/gpunp").rglob("*.h"):
        for name, value in re.findall(r"\b([A-Z][A-Z0-9_]+) = (-?\d+\.\d{9,}(?:e-?\d+)?)", path.read_text()):
            if name in exact:
                found[name] = float(value)
                np.testing.assert_allclose(found[name], float(exact[name]), rtol=2**-52, err_msg=name)
    assert set(found) == set(exact)
