"""Machine code of groups: found in the disk cache by their description, or compiled."""

from gpunp.compiler import cache
from gpunp.compiler.keys import key_of_description
from gpunp.compiler.request import Request
from gpunp.fusion.description import CUDA_OPTIONS, HOST_OPTIONS


def _request(description, text, architecture):
    options = CUDA_OPTIONS if architecture else HOST_OPTIONS
    return Request(text, architecture, name=description.name, options=options, native=description.native)


def key_of(description, architecture):
    """The key of a kernel's code in the disk cache.

    Parameters
    ----------
    description : Description or Reduced
    architecture : int
        The compute capability, 90 for 9.0; 0 for the CPU device.

    Returns
    -------
    str
    """
    return key_of_description(_request(description, repr(description), architecture))


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
    """Compile the code of a kernel.

    Parameters
    ----------
    description : Description or Reduced
    architecture : int

    Returns
    -------
    Compiled
    """
    from gpunp.compiler import compiling, run
    from gpunp.fusion.worker import pause

    text = description.source()
    pause()
    return run(compiling.build, _request(description, text, architecture))


def keep(key, compiled, description, architecture):
    """Keep code in the disk cache.

    Parameters
    ----------
    key : str
    compiled : Compiled
    description : Description or Reduced
    architecture : int

    Raises
    ------
    OSError
        If the folder of the cache cannot be written.
    """
    if cache.is_on():
        from gpunp.compiler import cache_files, compiling

        target = compiling.describe(_request(description, "", architecture))
        cache_files.keep(key, compiled, description.name, target)
