"""The code that hooked Python functions have where the interpreter does not call their vectorcall."""

import functools
import types

# The constant of a template that `exchange_code` replaces by the hook.
PLACE = "the hook"


@functools.cache
def template_of(names):
    """The code of a function that calls a hook, and has free variables: a function keeps as many as it had.

    The compiler has to make it: frames of a code that does not begin with copying its free variables crash
    the interpreter when somebody looks at their variables, as debuggers and pytest do.
    """
    lines = [f"    {name} = None" for name in names]
    unreached = [f"        return ({', '.join(names)})"] if names else []
    text = "\n".join(
        [
            "def outer():",
            *lines,
            "    def call(*args, **kwargs):",
            f"        hook = {PLACE!r}",
            "        return hook(args, kwargs)",
            *unreached,
            "    return call",
        ]
    )
    code = compile(text, "<hook>", "exec")
    for _ in range(2):
        code = next(each for each in code.co_consts if isinstance(each, types.CodeType))
    return code
