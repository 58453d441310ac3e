"""Tests marked ``fake_driver`` run in separate processes, on the stand-in driver built here.

The mark's keyword arguments are environment variables of the process.
"""

import ctypes
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
IN_CHILD = "GPUNP_ON_FAKE_DRIVER"


def pytest_configure(config):
    config.addinivalue_line("markers", "fake_driver(**environment): runs on the stand-in CUDA driver")


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory):
    """The folder of the stand-in libraries."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler to build the stand-in driver with")
    pytest.importorskip("gpunp.cuda.driver", reason="gpunp was built without CUDA", exc_type=ImportError)
    folder = tmp_path_factory.mktemp("fake_driver")
    for source, library in (
        ("libcuda.cpp", "libcuda.so.1"),
        ("libcublas.cpp", "libcublas.so.13"),
        ("libcublasLt.cpp", "libcublasLt.so.13"),
        ("libcufft.cpp", "libcufft.so.12"),
        ("libcusparse.cpp", "libcusparse.so.12"),
    ):
        subprocess.run(
            [
                compiler,
                "-std=c++17",
                "-O1",
                "-shared",
                "-fPIC",
                "-pthread",
                HERE / "fake_driver" / source,
                "-o",
                folder / library,
            ],
            check=True,
        )
    return folder


@pytest.fixture(scope="session")
def fake_server(fake_libraries):
    """The process that runs each marked test in a fork of itself."""
    environment = {**os.environ, IN_CHILD: "1", "LD_LIBRARY_PATH": str(fake_libraries)}
    # -P: the script's folder must not be on the module path, where it could shadow installed packages.
    command = [sys.executable, "-P", HERE / "fake_driver" / "server.py"]
    with subprocess.Popen(
        command, env=environment, cwd=fake_libraries, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        yield server
        server.stdin.close()


@pytest.fixture(autouse=True)
def server_of_marked(request):
    """The server that runs a marked test; None for other tests, and in the process that runs it."""
    if request.node.get_closest_marker("fake_driver") and IN_CHILD not in os.environ:
        return request.getfixturevalue("fake_server")
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    server = pyfuncitem.funcargs.get("server_of_marked")
    if server is None:
        return None
    name = pyfuncitem.nodeid.split("::", 1)[1]
    environment = {}
    for mark in pyfuncitem.iter_markers("fake_driver"):
        environment = {**mark.kwargs, **environment}
    request = {
        "environment": environment,
        "arguments": [
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-p",
            "no:hypothesispytest",
            "-c",
            str(pyfuncitem.config.inipath),
            "--rootdir",
            str(pyfuncitem.config.rootpath),
            f"{pyfuncitem.path}::{name}",
        ],
    }
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    assert answer, "the process that runs the tests on the stand-in driver ended"
    result = json.loads(answer)
    if result["status"] != 0:
        pytest.fail(
            f"on the stand-in driver, exit status {result['status']}:\n{result['output']}", pytrace=False
        )
    return True


@pytest.fixture
def fake():
    """The test functions of the stand-in driver; None outside the process that runs a marked test."""
    if IN_CHILD not in os.environ:
        return None
    library = ctypes.CDLL("libcuda.so.1")
    library.fake_calls.restype = ctypes.c_long
    library.fake_living_blocks.restype = ctypes.c_long
    library.fake_last_free_stream.restype = ctypes.c_size_t
    library.fake_set_memory.argtypes = [ctypes.c_size_t]
    return library


@pytest.fixture
def cuda_device():
    """The first device; None outside the process that runs a marked test."""
    if IN_CHILD not in os.environ:
        return None
    import gpunp.device

    return gpunp.device.Device("cuda", 0)


@pytest.fixture
def current_cuda_device(cuda_device):
    """Make the first device the current one."""
    if cuda_device is not None:
        cuda_device.use()


@pytest.fixture
def pair(cuda_device):
    """The first two devices; None outside the process that runs a marked test."""
    if cuda_device is None:
        return None
    from gpunp.device import Device

    return cuda_device, Device("cuda", 1)


@pytest.fixture
def units(tmp_path):
    """A function that writes a kernel unit of the stand-in driver: ``units(name, "kernel kernel")``."""
    if IN_CHILD not in os.environ:
        return None
    import gpunp.cuda.device

    gpunp.cuda.device.kernel_directories.insert(0, str(tmp_path))

    def write(unit, text):
        (tmp_path / f"{unit}.fatbin").write_text(text)

    return write


# What precedes machine code in a fatbin; the stand-in driver reads names and sizes of parameters after it.
FATBIN = b"\x50\xed\x55\xba"


@pytest.fixture
def raw_image(cuda_device):
    """Machine code for the stand-in driver: kernels with a parameter of each size, and one with several."""
    return FATBIN + b"none p1(1) p2(2) p4(4) p8(8) p16(16) p24(24) p128(128) axpy(8,8,4,4)"


@pytest.fixture
def module(cuda_device, raw_image):
    """A `RawModule` on the current device, the first one."""
    if cuda_device is None:
        return None
    import gpunp

    cuda_device.use()
    return gpunp.RawModule(raw_image)


@pytest.fixture
def packed(fake):
    """A function that returns the parameters of the last launch in one buffer."""
    if fake is None:
        return None
    fake.fake_last_parameters.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    fake.fake_last_parameters.restype = ctypes.c_size_t

    def read():
        buffer = ctypes.create_string_buffer(1 << 13)
        count = fake.fake_last_parameters(buffer, len(buffer))
        return buffer.raw[:count]

    return read


@pytest.fixture
def fill(cuda_device, units):
    """A function that sets bytes of a buffer by a kernel: ``fill(buffer, value)``."""
    if cuda_device is None:
        return None
    units("memory", "fill nothing set_status")
    kernel = cuda_device.get_kernel("memory", "fill")

    def run(buffer, value):
        params = struct.pack("PQi4x", buffer.address, buffer.nbytes, value)
        cuda_device.launch_kernel(kernel, (1, 1, 1), 32, params)

    return run
