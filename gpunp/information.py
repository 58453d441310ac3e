"""The state of this installation: the text of ``show_config`` and ``python -m gpunp info``."""

import importlib.metadata
import importlib.util
import platform
import sys
from pathlib import Path

import numpy

from gpunp import cuda
from gpunp._version import __version__
from gpunp.device import Device, get_device
from gpunp.dispatch.policy import config

_LIBRARIES = (
    "cuda-bindings",
    "nvidia-cuda-nvrtc",
    "nvidia-cuda-runtime",
    "nvidia-cuda-cccl",
    "nvidia-cublas",
    "nvidia-cufft",
    "nvidia-cusolver",
    "nvidia-cusparse",
    "scipy",
)


def _gigabytes(count):
    return f"{count / 2**30:.2f} GiB"


def _versions():
    for name in _LIBRARIES:
        try:
            yield name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield name, "not installed"


def _cuda_lines():
    if importlib.util.find_spec("gpunp.cuda.driver") is None:
        return [("CUDA", "not built in; rebuild with -Dcuda=enabled")]
    if not cuda.is_available():
        try:
            Device("cuda", 0)
            reason = "no device"
        except Exception as error:
            reason = str(error)
        return [("CUDA", f"not available: {reason}")]
    major, minor = cuda.driver_version()
    lines = [("CUDA driver", f"supports CUDA {major}.{minor}")]
    for index in range(cuda.device_count()):
        device = Device("cuda", index)
        free, total = device.memory_info
        major, minor = device.compute_capability
        lines.append(
            (
                f"cuda:{index}",
                f"{device.name}, compute capability {major}.{minor}, "
                f"{device.multiprocessors} multiprocessors, {_gigabytes(free)} of "
                f"{_gigabytes(total)} free",
            )
        )
        with device:
            lines.append(("  memory pool", repr(cuda.get_default_memory_pool())))
    return lines


def _kernel_lines():
    folder = Path(__file__).parent / "cuda" / "kernels"
    units = sorted(folder.glob("*.fatbin"))
    if not units:
        return [("CUDA kernels", "none: built without CUDA")]
    size = sum(unit.stat().st_size for unit in units)
    return [("CUDA kernels", f"{len(units)} units, {size / 2**20:.1f} MiB")]


def _compiler_lines():
    from gpunp.compiler import cache, nvrtc

    try:
        major, minor = nvrtc.version()
        lines = [("NVRTC", f"{major}.{minor} from {nvrtc.path()}")]
    except RuntimeError as error:
        lines = [("NVRTC", f"not available: {error}")]
    return [*lines, ("kernel cache", cache.folder() if cache.is_on() else "off (GPUNP_CACHE)")]


def configuration():
    """Return pairs of a topic and its state."""
    lines = [
        ("gpunp", f"{__version__} from {Path(__file__).parent}"),
        ("Python", f"{sys.version.split()[0]} on {platform.platform()}"),
        ("NumPy", numpy.__version__),
    ]
    lines += _cuda_lines()
    lines += _kernel_lines()
    lines += _compiler_lines()
    lines.append(("current device", repr(get_device())))
    lines += list(_versions())
    lines.append(("settings", repr(config)))
    return lines


def show_config():
    """Print the devices, driver, libraries, kernels, memory pools and settings."""
    lines = configuration()
    width = max(len(topic) for topic, _ in lines)
    for topic, state in lines:
        print(f"{topic:<{width}}  {state}")
