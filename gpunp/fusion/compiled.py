"""Machine code of groups: found in the disk cache by their description, or compiled."""

from gpunp.compiler import cache, run
from gpunp.compiler.keys import key_of_description
from gpunp.compiler.request import Request
from gpunp.fusion.description import CUDA_OPTIONS, HOST_OPTIONS, NAME


def _request(text, architecture):
    # GCC 12 contracts complex products where it vectorizes, whatever -ffp-contract says, unless the processor
    # may have no fused instructions.
    options = CUDA_OPTIONS if architecture else HOST_OPTIONS
    return Request(text, architecture, name=NAME, options=options, native=False)


def key_of(description, architecture):
    """The key of a group's code in the disk cache.

    Parameters
    ----------
    description : Description
    architecture : int
        The compute capability, 90 for 9.0; 0 for the CPU device.

    Returns
    -------
    str
    """
    return key_of_description(_request(repr(description), architecture))


def find(key):
    """Take code from the disk cache.

    Parameters
    ----------
    key : str

    Returns
    -------
    Compiled or None
    """
    return cache.load(key) if cache.is_on() else None


def build(description, architecture):
    """Compile the code of a group.

    Parameters
    ----------
    description : Description
    architecture : int

    Returns
    -------
    Compiled
    """
    from gpunp.compiler import compiling
    from gpunp.fusion.source import group_source

    return run(compiling.build, _request(group_source(description), architecture))


def keep(key, compiled, architecture):
    """Keep code in the disk cache.

    Parameters
    ----------
    key : str
    compiled : Compiled
    architecture : int

    Raises
    ------
    OSError
        If the folder of the cache cannot be written.
    """
    if cache.is_on():
        from gpunp.compiler import cache_files, compiling

        cache_files.keep(key, compiled, NAME, compiling.describe(_request("", architecture)))
