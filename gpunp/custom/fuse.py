"""The decorator `fuse`."""


def fuse(*args, **kwargs):
    """Mark a function of array operations as a unit, for programs that were written for fused kernels.

    Used with or without parentheses. The function itself runs; calls in it are run like the same calls
    elsewhere. Whether gpunp joins calls into one kernel depends on the calls, not on the decorator.

    Parameters
    ----------
    func : callable
        The function to decorate.
    kernel_name : str, optional
        A name for the kernel.

    Returns
    -------
    callable
        The function, or a decorator if no function is given.

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
        return fuse
    if len(args) > 1 or not callable(args[0]):
        raise TypeError("fuse takes one function; give kernel_name by keyword")
    return args[0]
