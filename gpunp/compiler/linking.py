"""A source compiled by NVRTC and linked with other code by nvJitLink."""

import time

from gpunp.compiler.cuda_compiler import lowered_names, run
from gpunp.compiler.errors import CompileException
from gpunp.compiler.module import Compiled
from gpunp.compiler.nvjitlink import Link, LinkError

# Options of NVRTC that decide how floating-point operations become instructions, and their names in
# nvJitLink, which makes the instructions if it optimizes.
_ARITHMETIC = {
    "-fmad": "-fma",
    "--fmad": "-fma",
    "-ftz": "-ftz",
    "--ftz": "-ftz",
    "-prec-div": "-prec-div",
    "--prec-div": "-prec-div",
    "-prec-sqrt": "-prec-sqrt",
    "--prec-sqrt": "-prec-sqrt",
}
_TRUTH = {"true": "1", "false": "0"}


def compile_and_link(request, architecture):
    """Compile by NVRTC, and link with the request's other code.

    Parameters
    ----------
    request : Request
    architecture : str

    Returns
    -------
    Compiled

    Raises
    ------
    CompileException
        If the source does not compile, or the code does not link.
    """
    start = time.perf_counter()
    # LTO-IR can be linked with LTO-IR only if ours is that, too.
    with_lto = any(kind == "ltoir" for _, kind in request.link)
    program = run(request, architecture, (b"-dlto",) if with_lto else (b"-rdc=true",))
    own = program.image("LTOIR" if with_lto else "PTX")
    try:
        link = Link([word.encode() for word in options(request, with_lto)])
        link.add(own, "ltoir" if with_lto else "ptx", request.name)
        for i, (image, kind) in enumerate(request.link):
            link.add(image, kind, f"link[{i}] ({kind})")
        image = link.complete()
    except LinkError as error:
        raise CompileException(
            str(error), request.source, request.name, request.options.words, "nvJitLink"
        ) from None
    names = lowered_names(request, program)
    return Compiled(image, names, program.log, seconds=time.perf_counter() - start)


def options(request, with_lto):
    """The options of nvJitLink.

    Parameters
    ----------
    request : Request
    with_lto : bool
        Whether the linker optimizes.

    Returns
    -------
    list of str
    """
    given = request.options
    words = [f"-arch={given.architecture or f'sm_{request.architecture}'}"]
    if with_lto:
        words.append("-lto")
        if given.has("--use_fast_math", "-use_fast_math"):
            words += ["-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"]
        for name, value in given.pairs:
            if name in _ARITHMETIC and value in _TRUTH:
                words.append(f"{_ARITHMETIC[name]}={_TRUTH[value]}")
    registers = given.value("-maxrregcount", "--maxrregcount")
    if registers:
        words.append(f"-maxrregcount={registers}")
    if request.line_info or given.has("-lineinfo", "--generate-line-info"):
        words.append("-lineinfo")
    if given.has("-G", "--device-debug"):
        words.append("-g")
    return words
