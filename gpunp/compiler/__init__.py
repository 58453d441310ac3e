"""The run-time compiler: sources to code, code to modules.

Neither NVRTC nor a host compiler is loaded or run before the first compilation.
"""

from gpunp.compiler.compiling import compile_source
from gpunp.compiler.module import Module, load_module
from gpunp.compiler.result import Compiled

__all__ = ["CompileException", "Compiled", "Module", "compile_source", "load_module"]


def __getattr__(name):
    if name != "CompileException":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpunp.compiler.errors import CompileException

    return CompileException
