"""Where the compilers and headers of CUDA are: in Python packages, in conda, or in a CUDA toolkit.

Files are looked for directly, as importing cuda.pathfinder takes 30 to 110 ms; it has the last word.
"""

import functools
import os
import sys

_LIBRARIES = {"nvrtc": "libnvrtc.so.13", "nvJitLink": "libnvJitLink.so.13"}
_LIBRARY_FOLDERS = ("lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib")
_INCLUDE_FOLDERS = ("include", "targets/x86_64-linux/include", "targets/sbsa-linux/include")
# A header of each package, the folder below the include folder that must be on the include path for it, and a
# file that changes with the version of the package.
_HEADERS = (
    ("cuda_fp16.h", "", "cuda_runtime_api.h"),
    ("cccl/cub/cub.cuh", "cccl", "cccl/cub/version.cuh"),
    ("crt/mma.h", "", "crt/host_config.h"),
    ("curand_kernel.h", "", "curand.h"),
)


@functools.cache
def prefixes():
    """Folders that may hold parts of CUDA, the first choice first.

    Returns
    -------
    tuple of str
    """
    found = [os.path.join(entry or os.curdir, "nvidia", "cu13") for entry in sys.path]
    found += [os.environ.get(variable) for variable in ("CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME")]
    found.append("/usr/local/cuda")
    return tuple(
        dict.fromkeys(os.path.abspath(prefix) for prefix in found if prefix and os.path.isdir(prefix))
    )


def identity(path):
    """Text that changes if the file does: its real path, size and time of modification.

    Parameters
    ----------
    path : str
        A file; if there is none, the text is its path.

    Returns
    -------
    str
    """
    path = os.path.realpath(path)
    try:
        state = os.stat(path)
    except OSError:
        return path
    return f"{path} {state.st_size} {state.st_mtime_ns}"


@functools.cache
def _library(name):
    """The path of a library; the system's loader searches for it if no prefix has it."""
    file = _LIBRARIES[name]
    for prefix in prefixes():
        for folder in _LIBRARY_FOLDERS:
            path = os.path.join(prefix, folder, file)
            if os.path.exists(path):
                return path
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib

        return load_nvidia_dynamic_lib(name).abs_path or file
    except (ImportError, RuntimeError):
        return file


def nvrtc_path():
    """The path of NVRTC, or its bare name if it was not found.

    Returns
    -------
    str
    """
    return _library("nvrtc")


def nvjitlink_path():
    """The path of nvJitLink, or its bare name if it was not found.

    Returns
    -------
    str
    """
    return _library("nvJitLink")


def missing_library(title, error):
    """The exception for a library that cannot be opened.

    Parameters
    ----------
    title : str
        The name of the library.
    error : Exception
        What the loader said.

    Returns
    -------
    RuntimeError
    """
    return RuntimeError(
        f"compiling kernels for CUDA needs {title}, which cannot be loaded ({error}): "
        "pip install gpunp[cuda13], or set CUDA_PATH to a CUDA toolkit"
    )


@functools.cache
def include_folders():
    """The folders of CUDA's headers that are installed.

    Returns
    -------
    tuple of str
    """
    return tuple(dict.fromkeys(folder for folder, _ in _found_headers()))


@functools.cache
def headers_identity():
    """Text that changes if the installed headers of CUDA do.

    Returns
    -------
    str
    """
    return "\n".join(f"{folder} {identity(witness)}" for folder, witness in _found_headers())


@functools.cache
def _found_headers():
    roots = [os.path.join(prefix, folder) for prefix in prefixes() for folder in _INCLUDE_FOLDERS]
    found = []
    for header, below, witness in _HEADERS:
        for root in roots:
            if os.path.exists(os.path.join(root, header)):
                found.append((os.path.join(root, below) if below else root, os.path.join(root, witness)))
                break
    return found


def find_program(name):
    """The path of a program on the PATH, or None.

    Parameters
    ----------
    name : str
        A name, or a path.

    Returns
    -------
    str or None
    """
    places = [""] if os.path.dirname(name) else os.get_exec_path()
    for place in places:
        path = os.path.join(place, name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return os.path.abspath(path)
    return None


def nvcc_path():
    """The path of nvcc.

    Returns
    -------
    str

    Raises
    ------
    RuntimeError
        If it is not on this machine.
    """
    found = find_program("nvcc")
    for prefix in prefixes():
        found = found or find_program(os.path.join(prefix, "bin", "nvcc"))
    if found is None:
        raise RuntimeError(
            'backend="nvcc" needs nvcc, which was not found on the PATH or under CUDA_PATH: install the CUDA '
            'toolkit, or use backend="nvrtc"'
        )
    return found
