"""Machine code for a GPU by NVRTC."""

from gpunp.compiler import nvrtc, precompiled, toolkit
from gpunp.compiler.errors import CompileException
from gpunp.compiler.module import Compiled
from gpunp.compiler.request import INCLUDE_FOLDER, STAND_INS

# A folder in which no file can be. NVRTC looks for quoted includes beside the source, by default in the
# working directory.
NOWHERE = "/dev/null/"


def target(request):
    """The option that chooses the architecture, and the kind of the image.

    Parameters
    ----------
    request : Request

    Returns
    -------
    tuple of str
        Such as ``("sm_90", "CUBIN")``. The kind is PTX, which the driver compiles, if NVRTC does not know the
        architecture.
    """
    given = request.options.architecture
    if given is not None:
        return given, "PTX" if given.startswith("compute_") else "CUBIN"
    known = nvrtc.supported_architectures()
    if request.architecture in known:
        return f"sm_{request.architecture}", "CUBIN"
    older = [each for each in known if each < request.architecture]
    if not older:
        major, minor = nvrtc.version()
        raise RuntimeError(
            f"NVRTC {major}.{minor} does not compile for compute capability "
            f"{request.architecture // 10}.{request.architecture % 10}; the oldest is "
            f"{known[0] // 10}.{known[0] % 10}"
        )
    return f"compute_{older[-1]}", "PTX"


def arguments(request, architecture):
    """The options for NVRTC, as a list of bytes.

    Parameters
    ----------
    request : Request
    architecture : str

    Returns
    -------
    list of bytes
    """
    words = list(request.options.words)
    if request.options.architecture is None:
        words.append(f"-arch={architecture}")
    if request.options.standard is None:
        words.append("-std=c++17")
    if request.line_info and not request.options.has("-lineinfo", "--generate-line-info"):
        words.append("-lineinfo")
    # The driver's own cache of code is not wanted: gpunp has one, and NVRTC would start the driver for it.
    words.append("--no-cache")
    folders = (INCLUDE_FOLDER, *toolkit.include_folders(), STAND_INS)
    words += [f"-I{folder}" for folder in folders]
    return [word.encode() for word in words]


def compile_cuda(request):
    """Compile for a GPU by NVRTC, and link.

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
    """
    architecture, kind = target(request)
    if request.link:
        from gpunp.compiler.linking import compile_and_link

        return compile_and_link(request, architecture)
    program = run(request, architecture, ())
    if request.options.has("-dlto", "--dlink-time-opt"):
        kind = "LTOIR"
    return Compiled(
        program.image(kind), lowered_names(request, program), program.log, seconds=program.seconds
    )


def run(request, architecture, extra):
    """Compile by NVRTC.

    Parameters
    ----------
    request : Request
    architecture : str
    extra : tuple of bytes
        More options.

    Returns
    -------
    Program
    """
    options = [*arguments(request, architecture), *extra]
    planned = precompiled.plan(request, options)
    if planned:
        try:
            program, succeeded = attempt(request, planned[0], [*options, *planned[1]])
        except nvrtc.NVRTCError:
            # The header could not be made or used, for example because the disk is full.
            succeeded = False
        if succeeded:
            return program
    # Messages are those of a compilation without a precompiled header.
    program, succeeded = attempt(request, request.numbered, options)
    if not succeeded:
        log = program.log.replace(NOWHERE + request.file_name, request.name)
        raise CompileException(log, request.source, request.name, request.options.words, "NVRTC")
    return program


def attempt(request, text, options):
    """Compile a text by NVRTC.

    Parameters
    ----------
    request : Request
    text : str
    options : list of bytes

    Returns
    -------
    tuple of (Program, bool)
        The program, and whether it compiled.
    """
    name = (request.name if request.folder else NOWHERE + request.file_name).encode()
    program = nvrtc.Program(text.encode(), name)
    for expression in request.expressions:
        program.add_expression(expression)
    return program, program.compile(options)


def lowered_names(request, program):
    """The symbols of the name expressions.

    Parameters
    ----------
    request : Request
    program : Program

    Returns
    -------
    dict of str to str
    """
    return {expression: program.lowered_name(expression) for expression in request.expressions}
