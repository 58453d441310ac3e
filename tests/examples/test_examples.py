"""The programs in docs/examples run on the device under test, agree with NumPy, and save their pictures."""

import ast
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
# Each program with a small size, and whether it needs CUDA.
PROGRAMS = {
    "conjugate_gradient": (40, False),
    "custom_structs": (1000, True),
    "denoising": (200, False),
    "gaussian_mixture": (3000, False),
    "gemm_shared_memory": (150, True),
    "gemm_tensor_cores": (150, True),
    "heat_equation": (200, False),
    "kernel_density": (500, False),
    "kmeans": (3000, False),
    "kmeans_colors": (60, False),
    "large_svd": (4000, False),
    "monte_carlo": (4000, False),
    "overlapped_transfers": (20_000, False),
    "pagerank": (3000, False),
    "pi_on_all_gpus": (100_000, False),
    "poisson": (12, False),
    "registration": (256, False),
    "segmentation": (256, False),
    "spectral_clustering": (500, False),
    "spectrogram": (20_000, False),
    "spline_surface": (100, False),
    "stiff_reactions": (40, False),
    "texture_rotation": (128, True),
    "waves_in_a_graph": (40, False),
}


def run(name, *arguments, cwd, device):
    # Small operands gain nothing from the threads of OpenBLAS, which wait for each other on a busy machine.
    environment = {**os.environ, "GPUNP_DEVICE": str(device), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", "--repeats", "1", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_every_program_is_listed():
    files = {path.stem for path in EXAMPLES.glob("*.py")} - {"side_by_side"}
    assert files == set(PROGRAMS)
    page = (EXAMPLES / "index.md").read_text()
    assert [name for name in PROGRAMS if f"({name}.py)" not in page] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, device, tmp_path):
    size, needs_cuda = PROGRAMS[name]
    if needs_cuda and device.kind != "cuda":
        pytest.skip("needs a CUDA device")
    if name == "large_svd":
        # Without the package, "distributed" alone would find the folder of tests of that name.
        pytest.importorskip("dask.distributed", reason="dask and distributed are not installed")
    options = ["--size", str(size)]
    source = (EXAMPLES / f"{name}.py").read_text()
    has_picture = "arguments.picture" in source and importlib.util.find_spec("matplotlib") is not None
    if has_picture:
        options += ["--picture", "picture.png"]
    result = run(name, *options, cwd=tmp_path, device=device)
    assert result.returncode == 0, result.stderr
    assert re.search(r"^  NumPy.* ms +1\.0x$", result.stdout, re.MULTILINE), result.stdout
    assert re.search(r"^  differences? from NumPy ", result.stdout, re.MULTILINE), result.stdout
    assert not has_picture or (tmp_path / "picture.png").stat().st_size > 5000


@pytest.mark.parametrize("name", [name for name, (_, needs_cuda) in PROGRAMS.items() if needs_cuda])
def test_programs_in_cuda_say_what_they_need(name, tmp_path):
    result = run(name, cwd=tmp_path, device="cpu")
    assert result.returncode == 1
    assert "CUDA" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("architecture", [75, 80, 90, 100])
@pytest.mark.parametrize("name", [name for name, (_, needs_cuda) in PROGRAMS.items() if needs_cuda])
def test_sources_in_cuda_compile(name, architecture, monkeypatch, nvrtc):
    from gpunp.compiler import cuda_compiler, request

    monkeypatch.syspath_prepend(EXAMPLES)
    program = importlib.import_module(name)
    kernel = program.module if hasattr(program, "module") else program.kernel
    names = tuple(program.INSTANCES.values()) if hasattr(program, "module") else ()
    compiled = cuda_compiler.compile_cuda(
        request.Request(kernel.code, architecture, options=kernel.options, name_expressions=names)
    )
    assert compiled.image
    assert set(compiled.names) == set(names)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_short_and_documented(name):
    text = (EXAMPLES / f"{name}.py").read_text()
    assert text.count("\n") < 150
    assert f"python {name}.py --size " in ast.get_docstring(ast.parse(text))


def test_wrong_results_are_found(tmp_path):
    # The check of the programs, which the tests above rely on.
    code = (
        f"import sys; sys.path.insert(0, {str(EXAMPLES)!r}); "
        "import numpy as np; from side_by_side import check; "
        "check(np.array([1.0, 2.0]), np.array([1.0, 2.1]), 1e-3)"
    )
    environment = {**os.environ, "GPUNP_DEVICE": "cpu"}
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert "differs from NumPy's by 0.0476" in result.stderr
