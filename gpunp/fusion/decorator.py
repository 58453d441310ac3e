"""The decorator `fuse`."""

import functools

from gpunp.fusion.observing import enter_function, leave_function


def fuse(*args, **kwargs):
    """Have the kernels of a function of array operations compiled when it is called, and wait for them.

    Used with or without parentheses. Without the decorator, operations run one by one until their kernel has
    been compiled in the background, and those on small arrays always do. While the function runs, operations
    of any size are deferred and share kernels; when it returns, all of them have been launched. What the
    function computes is the same.

    Parameters
    ----------
    func : callable
        The function to decorate.
    kernel_name : str, optional
        The name of its kernels in reports, where a number follows it.

    Returns
    -------
    callable
        A function with the same signature, or a decorator if no function is given.

    Raises
    ------
    TypeError
        For other arguments.

    Examples
    --------
    >>> import gpunp
    >>> @gpunp.fuse(kernel_name="squared_difference")
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(gpunp.arange(5), gpunp.arange(5)[::-1])
    array([16,  4,  0,  4, 16])
    """
    unknown = set(kwargs) - {"kernel_name"}
    if unknown:
        raise TypeError(f"fuse() got an unexpected keyword argument {min(unknown)!r}")
    name = kwargs.get("kernel_name")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"fuse: kernel_name must be a str, not {type(name).__name__}")
    if not args:
        return functools.partial(fuse, **kwargs)
    if len(args) > 1 or not callable(args[0]):
        raise TypeError("fuse takes one function; give kernel_name by keyword")
    func = args[0]

    @functools.wraps(func)
    def fused(*args, **kwargs):
        before = enter_function(name)
        try:
            return func(*args, **kwargs)
        finally:
            leave_function(before)

    return fused
