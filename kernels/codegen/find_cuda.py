"""Print nvcc, its include folder and its flags for architectures, one per line, or nothing.

The last line has the flags for kernels that run in clusters of blocks.

nvcc is looked for on PATH, under CUDA_PATH and CUDA_HOME, and in the merged prefix that the
cuda-toolkit wheels of PyPI install to (``nvidia/cu13`` on the Python path).
"""

import os
import pathlib
import shutil
import subprocess
import sys

ALL_ARCHS = ("75", "80", "86", "89", "90", "100", "120")
# Meaning of `native` without a GPU in the machine; the driver compiles the PTX of 8.0 for all others.
COMMON_ARCHS = ("90",)


def candidates():
    """Yield prefixes that may hold nvcc and paths of nvcc, best first."""
    found = shutil.which("nvcc")
    if found:
        # nvcc on PATH may be a wrapper script: a dry run prints the toolkit's real location.
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
    """Return the compute capabilities of this machine's GPUs."""
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
    """Return the architectures that the option ``cuda-archs`` selects."""
    if option == "native":
        return native_archs() or COMMON_ARCHS
    if option == "all":
        return ALL_ARCHS
    archs = tuple(part.strip() for part in option.split(",") if part.strip())
    if not archs or not all(part.isdigit() for part in archs):
        raise SystemExit(f"cuda-archs: {option!r} is invalid: use native, all, or a list such as 80,90")
    return archs


def gencode(archs):
    """Return nvcc's flags: machine code for each architecture, and PTX for later ones.

    Code for 8.0 and later shares one PTX: the kernels use no newer features, and PTX takes half of the
    compilation time.
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
    """Return the flags for kernels that need compute capability 9.0 and are never launched on less."""
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
