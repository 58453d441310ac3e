"""Marks and ranges for profilers, through the package ``nvtx``."""

# Colors by number, which `RangePush` takes.
_COLORS = (0xFF76B900, 0xFFE52B50, 0xFFFFBF00, 0xFF9966CC, 0xFF007FFF, 0xFFFF7F50, 0xFF00CED1)
_colors = [f"#{color & 0xFFFFFF:06x}" for color in _COLORS]


def _package():
    try:
        import nvtx
    except ImportError as error:
        raise ImportError("gpunp.cuda.nvtx needs the package nvtx: pip install gpunp[profiling]") from error
    return nvtx


def _color(number):
    return _colors[0 if number < 0 else number % len(_colors)]


def _of_argb(color):
    return f"#{color & 0xFFFFFF:06x}"


def Mark(message, id_color=-1):
    """Mark the present moment.

    Parameters
    ----------
    message : str
    id_color : int, default -1
        The number of a color.
    """
    _package().mark(message=message, color=_color(id_color))


def MarkC(message, color=0):
    """Mark the present moment in a color.

    Parameters
    ----------
    message : str
    color : int, default 0
        ``0xAARRGGBB``.
    """
    _package().mark(message=message, color=_of_argb(color))


def RangePush(message, id_color=-1):
    """Begin a range of this thread, nested in those that began before.

    Parameters
    ----------
    message : str
    id_color : int, default -1
        The number of a color.
    """
    _package().push_range(message=message, color=_color(id_color))


def RangePushC(message, color=0):
    """Begin a range of this thread in a color, nested in those that began before.

    Parameters
    ----------
    message : str
    color : int, default 0
        ``0xAARRGGBB``.
    """
    _package().push_range(message=message, color=_of_argb(color))


def RangePop():
    """End the range of this thread that began last."""
    _package().pop_range()
