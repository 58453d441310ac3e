"""Print nvcc, its include folders and the architectures to compile for, one a line, or nothing.

The last line has the architectures for kernels that run in clusters of blocks.

nvcc is looked for on PATH, under CUDA_PATH and CUDA_HOME, and in the merged prefix that the
cuda-toolkit wheels of PyPI install to (``nvidia/cu13`` on the Python path).
"""

import os
import pathlib
import shutil
import subprocess
import sys

ALL_ARCHS = ("75", "80", "86", "89", "90", "100", "120")
# What `native` means on a machine without a GPU; the driver compiles the PTX of 8.0 for all others.
COMMON_ARCHS = ("90",)


def candidates():
    """Prefixes that may hold bin/nvcc, best first."""
    found = shutil.which("nvcc")
    if found:
        # A wrapper script on PATH says where it really lives.
        question = [found, "--dryrun", "-x", "cu", "-E", os.devnull]
        dry = subprocess.run(question, capture_output=True, text=True)
        for line in (dry.stdout + dry.stderr).splitlines():
            if "TOP=" in line:
                yield pathlib.Path(line.split("TOP=", 1)[1].strip()).resolve(), found
                break
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(variable):
            prefix = pathlib.Path(os.environ[variable])
            yield prefix, str(prefix / "bin" / "nvcc")
    for entry in sys.path:
        prefix = pathlib.Path(entry) / "nvidia" / "cu13"
        yield prefix, str(prefix / "bin" / "nvcc")


def native_archs():
    """Compute capabilities of this machine's GPUs."""
    try:
        answer = subprocess.run(
            ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    if answer.returncode:
        return ()
    found = {line.strip().replace(".", "") for line in answer.stdout.splitlines()}
    return tuple(sorted(found - {""}, key=int))


def architectures(option):
    """The list that the option ``cuda-archs`` stands for."""
    if option == "native":
        return native_archs() or COMMON_ARCHS
    if option == "all":
        return ALL_ARCHS
    archs = tuple(part.strip() for part in option.split(",") if part.strip())
    if not archs or not all(part.isdigit() for part in archs):
        raise SystemExit(f"cuda-archs: {option!r} is not native, all or a list such as 80,90")
    return archs


def gencode(archs):
    """nvcc's flags: machine code for each, from as few PTX as will do, and the PTX for what comes after.

    The kernels use nothing newer than compute capability 8.0, and PTX costs half of the compilation.
    """
    old = [a for a in archs if int(a) < 80]
    new = [a for a in archs if int(a) >= 80]
    flags = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in old]
    if new:
        code = ",".join([f"sm_{a}" for a in new] + ["compute_80"])
        flags.append(f"-gencode=arch=compute_80,code=[{code}]")
    else:
        flags.append(f"-gencode=arch=compute_{old[-1]},code=compute_{old[-1]}")
    return flags


def gencode_of_clusters(archs):
    """The same for kernels that need compute capability 9.0 and are never launched on less."""
    new = [f"sm_{a}" for a in archs if int(a) >= 90]
    return [f"-gencode=arch=compute_90,code=[{','.join([*new, 'compute_90'])}]"]


def main(option):
    for prefix, nvcc in candidates():
        folders = (prefix / "include", prefix / "targets" / "x86_64-linux" / "include")
        include = next((folder for folder in folders if (folder / "cuda.h").exists()), None)
        if include is None or not os.access(nvcc, os.X_OK):
            continue
        print(nvcc)
        print(include)
        archs = architectures(option)
        print(" ".join(gencode(archs)))
        print(" ".join(gencode_of_clusters(archs)))
        return


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "native")
