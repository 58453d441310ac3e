"""Machine code for a GPU by nvcc, for sources that NVRTC does not compile."""

import os
import re
import time

from gpunp.compiler.external import run_compiler
from gpunp.compiler.module import Compiled
from gpunp.compiler.request import INCLUDE_FOLDER
from gpunp.compiler.toolkit import nvcc_path

# A variable with the address of what an expression names, as the PTX shows it.
_ADDRESS = re.compile(r"^.*\bgpunp_expression_(\d+) = (?:generic\()?([\w$]+)\)?;\n", re.MULTILINE)


def compile_nvcc(request):
    """Compile for a GPU by nvcc.

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
        If there is no nvcc.
    """
    from gpunp.compiler.folders import temporary_folder

    start = time.perf_counter()
    compiler = nvcc_path()
    target = request.options.architecture or f"sm_{request.architecture}"
    as_ptx = target.startswith("compute_")
    words = arguments(request, target)
    with temporary_folder() as folder:
        source, ptx, cubin = (
            os.path.join(folder, name) for name in (request.file_name, "kernel.ptx", "kernel.cubin")
        )
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'{request.numbered}\n#line 1 "name expressions"\n{addresses(request.expressions)}')
        names = {}
        if request.expressions or as_ptx:
            log = run_compiler(request, [compiler, "-ptx", *words, source, "-o", ptx], folder, "nvcc")
            names = _take_names(ptx, request.expressions)
            if not as_ptx:
                run_compiler(
                    request, [compiler, "-cubin", *for_ptx(request, target), ptx, "-o", cubin], folder, "nvcc"
                )
        else:
            log = run_compiler(request, [compiler, "-cubin", *words, source, "-o", cubin], folder, "nvcc")
        with open(ptx if as_ptx else cubin, "rb") as file:
            image = file.read()
    # The driver reads PTX up to a null character.
    return Compiled(image + bytes(as_ptx), names, log, seconds=time.perf_counter() - start)


def arguments(request, target):
    """The options for nvcc other than the files.

    Parameters
    ----------
    request : Request
    target : str
        The architecture.

    Returns
    -------
    list of str
    """
    words = list(request.options.words)
    if request.options.architecture is None:
        words.append(f"-arch={target}")
    if request.options.standard is None:
        words.append("-std=c++17")
    if request.line_info and not request.options.has("-lineinfo", "--generate-line-info"):
        words.append("-lineinfo")
    if request.folder:
        words.append(f"-I{request.folder}")
    return [*words, f"-I{INCLUDE_FOLDER}"]


def for_ptx(request, target):
    """Those of the options that matter to the assembler of PTX.

    Parameters
    ----------
    request : Request
    target : str

    Returns
    -------
    list of str
    """
    words = [f"-arch={target}"]
    for name, value in request.options.pairs:
        if name in ("-maxrregcount", "--maxrregcount", "-Xptxas", "--ptxas-options") and value:
            words.append(f"{name}={value}")
        elif name in ("-G", "--device-debug"):
            words.append(name)
    if request.line_info or request.options.has("-lineinfo", "--generate-line-info"):
        words.append("-lineinfo")
    return words


def addresses(expressions):
    """Variables with the addresses of what name expressions name, so that the compiler instantiates it.

    Parameters
    ----------
    expressions : sequence of str

    Returns
    -------
    str
    """
    return "".join(
        f"__device__ const void* const gpunp_expression_{i} = (const void*)({expression});\n"
        for i, expression in enumerate(expressions)
    )


def _take_names(path, expressions):
    """Read the symbols of the expressions in a file of PTX, and remove the variables that show them."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = {expressions[int(number)]: symbol for number, symbol in _ADDRESS.findall(text)}
    with open(path, "w", encoding="utf-8") as file:
        file.write(_ADDRESS.sub("", text))
    return names
