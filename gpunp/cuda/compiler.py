"""The run-time compiler's exception, under the name that programs catch it by."""

from gpunp.compiler.errors import CompileException

__all__ = ["CompileException"]
