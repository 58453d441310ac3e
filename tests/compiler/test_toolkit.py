"""Where libraries, headers and programs of CUDA are looked for."""

import os
import sys

import pytest

from gpunp.compiler import toolkit


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """Three empty prefixes: of Python packages, of conda and of a toolkit."""
    found = {
        "wheel": tmp_path / "site" / "nvidia" / "cu13",
        "conda": tmp_path / "conda",
        "toolkit": tmp_path / "cuda",
    }
    for folder in found.values():
        folder.mkdir(parents=True)
    monkeypatch.setattr(
        sys, "path", [str(tmp_path / "site"), *(p for p in sys.path if not os.path.isdir(f"{p}/nvidia"))]
    )
    monkeypatch.setenv("CONDA_PREFIX", str(found["conda"]))
    monkeypatch.setenv("CUDA_PATH", str(found["toolkit"]))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    cached = [value for value in vars(toolkit).values() if hasattr(value, "cache_clear")]
    for function in cached:
        function.cache_clear()
    yield found
    for function in cached:
        function.cache_clear()


def put(folder, *files):
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


@pytest.mark.parametrize("folder", ["lib", "lib64", "targets/x86_64-linux/lib"])
@pytest.mark.parametrize("place", ["wheel", "conda", "toolkit"])
def test_libraries(places, place, folder):
    put(places[place], f"{folder}/libnvrtc.so.13", f"{folder}/libnvJitLink.so.13")
    assert toolkit.nvrtc_path() == str(places[place] / folder / "libnvrtc.so.13")
    assert toolkit.nvjitlink_path() == str(places[place] / folder / "libnvJitLink.so.13")


def test_python_packages_come_first(places):
    for folder in places.values():
        put(folder, "lib/libnvrtc.so.13")
    assert toolkit.nvrtc_path() == str(places["wheel"] / "lib/libnvrtc.so.13")


def test_headers_of_several_places(places):
    put(places["wheel"], "include/cuda_fp16.h")
    put(places["conda"], "targets/x86_64-linux/include/cccl/cub/cub.cuh")
    put(places["toolkit"], "include/cuda_fp16.h", "include/crt/mma.h")
    put(places["conda"], "include/curand_kernel.h")
    assert toolkit.include_folders() == (
        str(places["wheel"] / "include"),
        str(places["conda"] / "targets/x86_64-linux/include/cccl"),
        str(places["toolkit"] / "include"),
        str(places["conda"] / "include"),
    )


def test_identity_of_headers(places):
    put(places["wheel"], "include/cuda_fp16.h", "include/cuda_runtime_api.h")
    before = toolkit.headers_identity()
    os.utime(places["wheel"] / "include/cuda_runtime_api.h", (5, 5))
    for function in (toolkit._found_headers, toolkit.headers_identity):
        function.cache_clear()
    assert toolkit.headers_identity() != before


def test_programs(places, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path / 'one'}:{tmp_path / 'two'}")
    put(tmp_path, "one/tool", "two/tool")
    assert toolkit.find_program("tool") is None
    (tmp_path / "two/tool").chmod(0o755)
    assert toolkit.find_program("tool") == str(tmp_path / "two/tool")
    assert toolkit.find_program(str(tmp_path / "two/tool")) == str(tmp_path / "two/tool")
    put(places["toolkit"], "bin/nvcc")
    (places["toolkit"] / "bin/nvcc").chmod(0o755)
    assert toolkit.nvcc_path() == str(places["toolkit"] / "bin/nvcc")
