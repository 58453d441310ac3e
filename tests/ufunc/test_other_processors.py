"""Vector functions of the host have the same bits on other processors, by cross compilers and emulators."""

import functools
import shutil
import subprocess
from pathlib import Path

import pytest

import gpunp

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("host_bits.cpp")
FLAGS = (
    "-std=c++17",
    "-O2",
    "-w",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-ftree-vectorize",
)
# Compilers with their flags, and what runs the program.
PROCESSORS = {
    "native": (("g++",), ()),
    "v3": (("g++", "-march=x86-64-v3", "-mno-fma"), ()),
    "v4": (("g++", "-march=x86-64-v4", "-mno-fma", "-mprefer-vector-width=512"), ()),
    "aarch64": (("aarch64-linux-gnu-g++", "-static"), ("qemu-aarch64",)),
}
# On which processors the program of a level runs.
LEVELS = {"v3": ("v3", "v4"), "v4": ("v4",)}


@pytest.fixture(scope="module")
def checksums(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bits")

    @functools.cache
    def run(processor):
        compiler, emulator = PROCESSORS[processor]
        program = folder / processor
        command = [*compiler, *FLAGS, f"-I{ROOT / 'kernels/include'}", str(SOURCE), "-o", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return subprocess.run([*emulator, program], capture_output=True, text=True, check=True).stdout

    return run


@pytest.mark.parametrize("processor", [name for name in PROCESSORS if name != "native"])
def test_bits_are_those_of_the_baseline(processor, checksums, device):
    compiler, emulator = PROCESSORS[processor]
    missing = [name for name in ("g++", compiler[0], *emulator) if not shutil.which(name)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if not device.is_cpu:
        pytest.skip("of the host")
    if processor in LEVELS and gpunp.Device("cpu").vector_level not in LEVELS[processor]:
        pytest.skip("this processor does not have the level")
    expected = checksums("native").splitlines()
    assert len(expected) > 30
    assert checksums(processor).splitlines() == expected
