"""Shared libraries for the CPU device by the host's C++ compiler."""

import functools
import os
import shlex
import time

from gpunp.compiler.module import Compiled
from gpunp.compiler.request import INCLUDE_FOLDER
from gpunp.compiler.toolkit import find_program

# What /proc/cpuinfo says of the instructions of a processor, on x86, Arm and RISC-V.
_CPU_FIELDS = ("model name", "cpu family", "model", "flags", "Features", "CPU part", "uarch", "isa")
# IEEE arithmetic, as in gpunp's own kernels: no contraction, wrapping integers.
FLAGS = (
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fPIC",
    "-shared",
    # Names of a source mean its own functions, whatever the process has loaded.
    "-Wl,-Bsymbolic",
    "-w",
)


def command():
    """The host's C++ compiler: ``CXX``, else g++ or clang++ on the PATH.

    Returns
    -------
    list of str
        The path of the compiler, and its first arguments.

    Raises
    ------
    RuntimeError
        If there is none.
    """
    given = shlex.split(os.environ.get("CXX", ""))
    for words in [given] if given else (["g++"], ["clang++"], ["c++"]):
        path = find_program(words[0])
        if path is not None:
            return [path, *words[1:]]
    reason = (
        f"CXX is {given[0]!r}, which was not found" if given else "there is no g++ or clang++ on the PATH"
    )
    raise RuntimeError(
        f"compiling kernels for the CPU device needs a C++ compiler: {reason}; install g++, or set CXX"
    )


@functools.cache
def processor():
    """Text that tells this processor from others, for which ``-march=native`` makes other code.

    Returns
    -------
    str
    """
    try:
        with open("/proc/cpuinfo", "rb") as file:
            # The first of the processors.
            text = file.read(1 << 14).partition(b"\n\n")[0].decode(errors="replace")
    except OSError:
        import platform

        return " ".join(platform.uname())
    return "\n".join(line for line in text.splitlines() if line.partition(":")[0].strip() in _CPU_FIELDS)


def arguments(request):
    """The arguments of the compiler other than the files.

    Parameters
    ----------
    request : Request

    Returns
    -------
    list of str
    """
    words = [*FLAGS, "-march=native"] if request.native else [*FLAGS]
    if request.options.standard is None:
        words.append("-std=c++17")
    if request.line_info:
        words.append("-g")
    words += request.options.for_host()
    for header in request.options.pre_includes:
        words += ["-include", header]
    if request.folder:
        words += ["-iquote", request.folder]
    return [*words, f"-I{INCLUDE_FOLDER}"]


def wrappers(expressions):
    """Functions with C names that call what the name expressions name, and their names.

    Parameters
    ----------
    expressions : sequence of str

    Returns
    -------
    tuple of (str, dict of str to str)
    """
    text, names = [], {}
    for i, expression in enumerate(expressions):
        if expression.lstrip().startswith("&"):
            raise ValueError(
                f'the CPU device has no name expressions of variables: declare {expression[1:]} extern "C"'
            )
        names[expression] = f"gpunp_expression_{i}"
        text.append(f'extern "C" void gpunp_expression_{i}(const void* params) {{ ({expression})(params); }}')
    return "\n".join(text), names


def compile_host(request):
    """Compile a shared library for the host's processor.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Compiled

    Raises
    ------
    CompileException
        If the source does not compile.
    RuntimeError
        If there is no compiler.
    """
    from gpunp.compiler.external import run_compiler
    from gpunp.compiler.folders import temporary_folder

    start = time.perf_counter()
    compiler = command()
    words = arguments(request)
    text, names = wrappers(request.expressions)
    with temporary_folder() as folder:
        source, output = os.path.join(folder, request.file_name), os.path.join(folder, "kernel.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'{request.numbered}\n#line 1 "name expressions"\n{text}\n')
        words = [*compiler, *words, source, "-o", output]
        log = run_compiler(request, words, folder, os.path.basename(compiler[0]))
        with open(output, "rb") as file:
            image = file.read()
    return Compiled(image, names, log, seconds=time.perf_counter() - start)
